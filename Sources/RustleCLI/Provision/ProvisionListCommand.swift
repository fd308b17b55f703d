internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot
import RustleCore

struct ProvisionListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the nodes in range and their changes.",
    usage: "rustle provision list [--duration <seconds>] [--adapter <name>] [--json]",
    discussion: """
      A line of NDJSON is written when a node appears, when its name, flag or firmware changes, four times a second for its signal, and \
      when it was not seen for 10 s; a terminal shows a table. A node that is connected does not advertise. Ctrl-C or SIGTERM ends it.

      EXAMPLES:
        rustle provision list --duration 5
        rustle provision list --demo --json | jq -r .id

      NDJSON FIELDS:
      \(columns(since: .now).fieldList())
      """)

  @Option(
    name: [.customLong("duration"), .customLong("seconds")], "Stop after this many seconds, 0 to 1000000000.",
    value: "seconds", parse: Parse.number("seconds", in: 0...1e9))
  var seconds: Double?

  @OptionGroup var radio: NodeRadioOptions
  @OptionGroup var output: StreamOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let scanner = try NodeScanner(radio.configuration)
    let columns = Self.columns(since: .now)
    let table = Table(columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    let view = output.screen.map { LiveBoard(ScannedNodeBoard(), screen: $0) }
    let ending = try await finally {
      await scanner.stop()
    } after: {
      try await RunEnding.of(view: view, isForced: false) { tasks in
        let nodes = try await scanner.nodes()
        tasks.addTask {
          do {
            if let view { try await view.show(nodes) } else { try await table.write(nodes, of: "changes") }
          } catch let failure as CommandFailure {
            throw NodeError(endOf: nodes) ?? failure
          }
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

/// The nodes in range, by descending signal.
struct ScannedNodeBoard: Board {
  private var nodes: [Int: ScannedNode] = [:]

  var count: Int { nodes.count }

  mutating func apply(_ element: StreamElement<ScannedNode>) {
    guard let node = element.value else { return }
    nodes[node.index] = node.change == .gone ? nil : node
  }

  func lines(from first: Int, atMost limit: Int, _ profile: TerminalProfile) -> [ScreenLine] {
    if nodes.isEmpty { return [profile.line("no node is in range", .dim)] }
    let table = Table(Self.columns, format: .auto, profile: profile).narrowed(to: profile.columns)
    // Whole decibels, so that neighbours do not change places all the time.
    let rows = nodes.values.sorted { ($1.rssi.rounded(), $0.index) < ($0.rssi.rounded(), $1.index) }
    let titles = limit > 2 ? [table.titles] : []
    return titles + shown(from: first, room: limit - titles.count, profile) { [table.row(rows[$0])] }
  }

  private static let columns: [Column<ScannedNode>] = [
    Column().shown("address", 19, isRight: false) { node, _ in node.id },
    Column().shown("signal", 9, isRight: false) { node, _ in "\(Int(node.rssi.rounded())) dBm" },
    Column().shown("name", 19, isRight: false) { node, glyphs in
      let name = node.name.isEmpty ? String(glyphs.unknown) : CommandFailure.visible(node.name)
      return DisplayWidth.fit(name, to: 18, ellipsis: glyphs.ellipsis)
    },
    Column().shown("state", 15, isRight: false, ink: { $0.flag == .provisioned ? .green : .yellow }) { node, glyphs in
      node.flag?.name ?? String(glyphs.unknown)
    },
    Column().shown("firmware", 0, isRight: false, rank: 0) { node, glyphs in
      node.firmware ?? String(glyphs.unknown)
    },
  ]
}
