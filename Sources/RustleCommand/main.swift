import RustleCLI

run()
