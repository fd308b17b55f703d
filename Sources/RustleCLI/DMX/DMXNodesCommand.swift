internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct DMXNodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nodes",
    abstract: "List Art-Net nodes and their changes.",
    usage: "rustle dmx nodes [--to <address>] ... [--interface <name>] [--json]",
    discussion: """
      Sends an ArtPoll to the broadcast address of the interface, or to the addresses of --to, every 2.5 to 3 s. A line of NDJSON is \
      written when a node appears, changes, is late (no reply for 3 s), lost (three polls without a reply) or returns; a terminal shows a \
      table. Ctrl-C or SIGTERM ends it.

      EXAMPLES:
        rustle dmx nodes --interface eth0 --duration 4
        rustle dmx nodes --to 10.0.0.7 --to 10.0.0.8

      NDJSON FIELDS:
      \(columns(since: .now).fieldList())
      """)

  @Option(
    name: .customLong("to"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "An address to poll, with or without a port. Repeatable. (default: broadcast)", valueName: "address"))
  var addresses: [String] = []

  @OptionGroup var network: DMXNetworkOptions
  @OptionGroup var output: StreamOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    var configuration = DMXNodesConfiguration()
    configuration.interface = network.name
    configuration.addresses = addresses
    configuration.longName = "rustle dmx nodes"
    let browser = try DMXNodes(configuration)
    let columns = Self.columns(since: .now)
    let table = Table(columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    let view = output.screen.map { LiveBoard(DMXNodeBoard(), screen: $0) }
    let ending = try await finally {
      await browser.cancel()
    } after: {
      try await RunEnding.of(view: view, isForced: false) { tasks in
        let nodes = try await browser.nodes()
        tasks.addTask {
          if let view { try await view.show(nodes) } else { try await table.write(nodes, of: "changes") }
          return .streamEnded
        }
        tasks.addEnd(after: network.limit.seconds) { await browser.cancel() }
      }
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  static func columns(since start: Date) -> [Column<DMXNode>] {
    [
      Column("t_ms", "milliseconds since the start") { $0.time.milliseconds(since: start) },
      Column("change", "appeared, changed, late, lost or returned", \.change.rawValue),
      Column("state", "online, late or lost", \.state.rawValue),
      Column("address", "its IPv4 address", \.address),
      Column("mac", "MAC address; null: unknown", \.mac),
      Column("name", "short name", \.name),
      Column("long_name", \.longName),
      Column("style", "type of device: 0 node, 1 controller, 2 media server", \.style),
      Column("port_addresses", "the first 64 Port-Addresses") { $0.ports.map(\.number) },
      Column("port_count", "the number of Port-Addresses", \.portCount),
    ]
  }

  static func text(_ node: DMXNode) -> String {
    let ports = node.ports.map(\.description).joined(separator: ", ")
    return CommandFailure.visible(
      "\(node.address) \(node.change.rawValue): \(node.name)\(ports.isEmpty ? "" : ", " + ports)") + "\n"
  }
}
