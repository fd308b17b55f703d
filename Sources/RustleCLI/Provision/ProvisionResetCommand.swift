internal import ArgumentParser
import RustleLighting
import RustlePlot

struct ProvisionResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Make a node forget its values, or restart it.",
    usage: "rustle provision reset <node> [--reboot] [--timeout <seconds>] [--json]",
    discussion: """
      A line is written for each state. SUCCESS says that the node has acknowledged the command.

      EXAMPLES:
        rustle provision reset ChromaDMX-0001
        rustle provision reset ChromaDMX-0001 --reboot --demo

      \(provisionExits)

      NDJSON FIELDS:
        As rustle provision read.
      """)

  @Argument(help: "The node's name or address.")
  var node: String

  @Flag(help: "Restart it only: it keeps its values.")
  var reboot = false

  @OptionGroup var attempt: NodeAttemptOptions
  @OptionGroup var output: StreamOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    try await attempt.run(output) { try await $0.updates(reboot ? .reboot : .factoryReset, of: node) }
  }
}
