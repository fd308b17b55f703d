internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct ProvisionListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the nodes in range and their changes.",
    usage: "rustle provision list [--seconds <seconds>] [--adapter <name>] [--json]",
    discussion: """
      A line of NDJSON is written when a node appears, when its name, flag or firmware changes, four times a second for its signal, and \
      when it was not seen for 10 s; a terminal shows a table. A node that is connected does not advertise. Ctrl-C or SIGTERM ends it.

      EXAMPLES:
        rustle provision list --seconds 5
        rustle provision list --demo --json | jq -r .id

      NDJSON FIELDS:
      \(columns(since: .now).fieldList())
      """)

  @Option("Stop after this many seconds.", value: "seconds", parse: Parse.number("seconds", in: 0...1e9))
  var seconds: Double?

  @OptionGroup var radio: NodeRadioOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws { try output.refuseCSV() }

  func run() async throws {
    log.bootstrap()
    let scanner = try NodeScanner(radio.configuration)
    let columns = Self.columns(since: .now)
    let table = Table(columns, format: output.streamFormat, profile: output.profile, text: Self.text)
    let view = output.screen.map { LiveBoard(ScannedNodeBoard(), screen: $0) }
    let ending = try await finally {
      await scanner.stop()
    } after: {
      try await RunEnding.of(view: view, isForced: false) { tasks in
        let nodes = try await scanner.nodes()
        tasks.addTask {
          if let view { try await view.show(nodes) } else { try await table.write(nodes, of: "changes") }
          return .streamEnded
        }
        tasks.addEnd(after: seconds) { await scanner.stop() }
      }
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  static func columns(since start: Date) -> [Column<ScannedNode>] {
    [
      Column("t_ms", "milliseconds since the start") { $0.time.milliseconds(since: start) },
      Column("change", "appeared, changed or gone", \.change.rawValue),
      Column("id", "its address", \.id),
      Column("name", "null: it advertises none") { $0.name.isEmpty ? nil : $0.name },
      Column("rssi_dbm", "signal, smoothed over a second", \.rssi),
      Column("flag", "unprovisioned, provisioned, …; null: it advertises none") { $0.flag?.name },
      Column("firmware", "major.minor; null: it advertises none", \.firmware),
    ]
  }

  static func text(_ node: ScannedNode) -> String {
    let signal = String(format: "%.0f dBm", node.rssi)
    let rest = [node.name, node.flag?.name, node.firmware.map { "firmware \($0)" }].compactMap(\.self)
    let words = rest.filter { !$0.isEmpty }.joined(separator: ", ")
    return CommandFailure.visible("\(node.id) \(node.change.rawValue), \(signal)\(words.isEmpty ? "" : ": " + words)")
      + "\n"
  }
}
