internal import ArgumentParser
import RustleLighting
import RustlePlot

struct ProvisionReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read the values of a node.",
    usage: "rustle provision read <node> [--timeout <seconds>] [--json]",
    discussion: """
      A line is written for each state; the last one has the values. The password cannot be read.

      EXAMPLES:
        rustle provision read ChromaDMX-0001
        rustle provision read 02:00:00:00:00:01 --demo --json | jq -s last

      \(provisionExits)

      NDJSON FIELDS:
      \(NodeAttemptOptions.columns.fieldList())
      """)

  @Argument(help: "The node's name or address.")
  var node: String

  @OptionGroup var attempt: NodeAttemptOptions
  @OptionGroup var output: StreamOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    try await attempt.run(output) { try await $0.updates(.read, of: node) }
  }
}

/// The exit statuses of an attempt with one node that is named.
let provisionExits = """
  EXIT STATUS:
    0   the last state is SUCCESS
    64  an empty name
    66  no such node, or several of that name
    69  no Bluetooth adapter that may be used and is on
    70  the attempt failed otherwise: the line of ERROR says why
  """
