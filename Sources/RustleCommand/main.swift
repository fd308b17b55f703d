import RustleCLI
run()
