import Foundation
import RustleCLI

exit(await RustleCommandLine.run(Array(CommandLine.arguments.dropFirst())))
