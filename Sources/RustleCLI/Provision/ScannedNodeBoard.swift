import RustleCore
import RustleLighting
import RustlePlot

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
