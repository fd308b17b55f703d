internal import ArgumentParser
import Foundation
import RustleLighting

struct DMXNodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nodes",
    abstract: "List the nodes of Art-Net, and what changes.",
    usage: "rustle dmx nodes [--to <address>] ... [--interface <name>] [--seconds <seconds>]",
    discussion: """
      Polls the interface's directed broadcast address, or the addresses given, every 2.5 to 3 s, and writes a line when a node \
      appears, changes, is late (3 s), lost (three polls) or back. It ends by Ctrl-C and SIGTERM.

      EXAMPLES:
        rustle dmx nodes --interface eth0 --seconds 4
        rustle dmx nodes --to 10.0.0.7 --to 10.0.0.8

      NDJSON FIELDS:
      \(columns(since: .now).fieldList())
      """)

  @Option(
    name: .customLong("to"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An address to poll, with or without a port.", valueName: "address"))
  var addresses: [String] = []

  @Option("Interface: a name or an address. (default: that of the default route)", value: "name")
  var interface: String?

  @Flag(help: "Show nodes without a network.")
  var demo = false

  @Option("Stop after this many seconds.", value: "seconds", parse: Parse.number("seconds", in: 0...1e9))
  var seconds: Double?

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws { try output.refuseCSV() }

  func run() async throws {
    log.bootstrap()
    var configuration = DMXNodesConfiguration()
    configuration.interface = demo ? DMXConfiguration.demoInterface : interface ?? ""
    configuration.addresses = addresses
    configuration.longName = "rustle dmx nodes"
    let browser = try DMXNodes(configuration)
    let columns = Self.columns(since: .now)
    let table = Table(columns, kind: nil, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    let ending = try await finally {
      await browser.cancel()
    } after: {
      try await RunEnding.of(view: LiveRecord?.none, isForced: false) { tasks in
        let nodes = try await browser.nodes()
        tasks.addTask {
          for await element in nodes {
            if let node = element.value { try LineWriter.standardOutput.write(table.line(node)) }
          }
          return .streamEnded
        }
        if let seconds {
          tasks.addTask {
            try await Task.sleep(for: .seconds(seconds))
            return .streamEnded
          }
        }
      }
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  static func columns(since start: Date) -> [Column<DMXNode>] {
    [
      Column("t_ms", "milliseconds since the start") { ($0.time.timeIntervalSince(start) * 1_000).rounded() },
      Column("change", "appeared, changed, late, lost or returned", \.change.rawValue),
      Column("state", "online, late or lost", \.state.rawValue),
      Column("address", "the address from which it answers", \.address),
      Column("mac", "null when it is not known", \.mac),
      Column("name", "short name", \.name),
      Column("long_name", \.longName),
      Column("style", "0 a node, 1 a controller, 2 a media server", \.style),
      Column("port_addresses", "the first 64 Port-Addresses") { $0.ports.map(\.number) },
      Column("port_count", "the number of Port-Addresses", \.portCount),
    ]
  }

  static func text(_ node: DMXNode) -> String {
    let ports = node.ports.map(\.description).joined(separator: ", ")
    return "\(node.address) \(node.change.rawValue): \(node.name)\(ports.isEmpty ? "" : ", " + ports)\n"
  }
}
