internal import ArgumentParser
import Foundation
import RustleFiles
import RustleLighting
import RustlePlot

struct ProvisionSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Give a node its values, and verify them.",
    usage: """
      rustle provision set [--node <node>] --name <name> --ssid <ssid>
              --universe <number> --start <number>
              (--password-file <file> | --open) [--timeout <seconds>]
      rustle provision set --table <file> --ssid <ssid>
              (--password-file <file> | --open) [--timeout <seconds>]
      """,
    discussion: """
      THE PASSWORD GOES IN CLEAR OVER THE AIR: whoever listens to Bluetooth nearby meanwhile can read it. --encrypt pairs first, and \
      does nothing where the node does not pair. The password is read from a file or from standard input, never from an argument.

      Writes the values, reads them back, has the node apply them once, waits until it says that it is provisioned, and reads all \
      again. Only then the last state is SUCCESS. Without --node the node with the strongest signal is taken; the line of CONNECTING \
      says which. A line is written for each state. The node is disconnected on every way out, also by Ctrl-C and SIGTERM.

      A table is CSV with the columns node, name, universe, start, and if wanted ssid and footprint. Its nodes come one after the \
      other; after a failure the next one follows.

      EXAMPLES:
        rustle provision set --name left --ssid stage --universe 1 --start 1 \\
          --password-file wifi.txt
        pass wifi/stage |
          rustle provision set --table nodes.csv --ssid stage --password-file -
        rustle provision set --name left --ssid stage --universe 1 --start 1 \\
          --open --demo

      EXIT STATUS:
        0   the last state is SUCCESS
        64  values that no node takes, or an empty name
        65  a table that cannot be read
        66  no such node, or several of that name
        69  no Bluetooth adapter that may be used and is on
        70  the attempt failed otherwise: the line of ERROR says why
        Of several nodes that failed the status that all have, else 70.

      NDJSON FIELDS:
        As rustle provision read.
      """)

  @Option("The node's name or address. (default: the strongest)", value: "node")
  var node: String?

  @Option("The name to give, 1 to 32 bytes.", value: "name")
  var name: String?

  @Option("The network (SSID), 1 to 32 bytes.", value: "ssid")
  var ssid: String?

  @Option("The universe, 0 to 32767.", value: "number", parse: Parse.integer("a universe", in: 0...32_767))
  var universe: Int?

  @Option("The DMX start address, 1 to 512.", value: "number", parse: Parse.integer("a start address", in: 1...512))
  var start: Int?

  @Option(
    "The slots of the fixture, which have to end in the universe.", value: "number",
    parse: Parse.integer("slots", in: 1...512))
  var footprint: Int?

  @Option(
    "The file with the network's password; - is standard input. A newline at its end is left out.", value: "file",
    completion: .file())
  var passwordFile: String?

  @Flag(help: "The network has no password.")
  var open = false

  @Option("A table of nodes, CSV; - is standard input.", value: "file", completion: .file(extensions: ["csv"]))
  var table: String?

  @OptionGroup var attempt: NodeAttemptOptions
  @OptionGroup var output: StreamOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    let single = [("--node", node), ("--name", name), ("--universe", universe.map(String.init))]
    let others = single + [("--start", start.map(String.init)), ("--footprint", footprint.map(String.init))]
    for (option, value) in others where table != nil && value != nil {
      throw ValidationError("--table cannot be used with \(option)")
    }
    for (option, value) in others.dropFirst().dropLast() + [("--ssid", ssid)]
    where value == nil && (table == nil || option == "--ssid") {
      throw ValidationError("expected \(option)")
    }
    try Parse.reject(
      (passwordFile == nil && !open, "expected --password-file or --open, got neither"),
      (passwordFile != nil && open, "--password-file cannot be used with --open"),
      (passwordFile == "-" && table == "-", "--password-file and --table cannot both be standard input"))
  }

  func run() async throws {
    log.bootstrap()
    let settings = NodeSettings(
      name: name ?? "", ssid: ssid ?? "", password: try password(), universe: universe ?? 0, start: start ?? 1,
      footprint: footprint)
    if let table {
      let text = try TextFile.exactText(of: table, option: "--table")
      try await attempt.run(output) { provisioner in
        try await provisioner.provision(table: text, with: settings)
      }
    } else {
      try await attempt.run(output) { try await $0.provision(node, with: settings) }
    }
  }

  private func password() throws -> NodePassword {
    try passwordFile.map { NodePassword(try TextFile.password(of: $0)) } ?? .open
  }
}
