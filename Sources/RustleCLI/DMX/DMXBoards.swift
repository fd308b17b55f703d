import Foundation
import RustleCore
import RustleLighting
import RustlePlot

/// The levels of universes: a heading for each, and a grid of its slots.
struct DMXUniverseBoard: Board {
  /// The universes, in the order of the picture.
  let universes: [DMXUniverse]
  /// The sources at present, which come and go without a change of levels, and packets per second.
  var traffic: [DMXUniverse: (sources: Int, rate: Double)] = [:]
  /// The newest event, in words.
  var event = ""
  private var latest: [DMXUniverse: DMXUniverseLevels] = [:]

  init(_ universes: [DMXUniverse]) { self.universes = universes.sorted() }

  var count: Int { universes.count }

  mutating func apply(_ element: StreamElement<DMXUniverseLevels>) {
    if let changed = element.value { latest[changed.universe] = changed }
  }

  func lines(from first: Int, atMost limit: Int, _ profile: TerminalProfile) -> [ScreenLine] {
    let tail = event.isEmpty || limit < 3 ? [] : [profile.line(CommandFailure.visible(event), .yellow)]
    let room = limit - tail.count
    // The universes share the room; where they have no line each, those that fit are shown.
    let free = max(1, first == 0 ? room : room - 1)
    let height = min(free, max(2, free / max(1, count - first)))
    return shown(from: first, height: height, room: room, profile) { place in
      [heading(universes[place], profile)]
        + grid(latest[universes[place]]?.levels ?? [], rows: height - 1, profile)
    } + tail
  }

  private func heading(_ universe: DMXUniverse, _ profile: TerminalProfile) -> ScreenLine {
    let name = "\(universe.protocol.title) \(universe)"
    guard let sources = traffic[universe]?.sources ?? latest[universe]?.sources else {
      return profile.line("\(name)  waiting", .dim)
    }
    let rate = traffic[universe].map { String(format: "  %.1f Hz", $0.rate) } ?? ""
    let words = sources == 0 ? "no source" : sources == 1 ? "1 source" : "\(sources) sources"
    return profile.line("\(name)  \(words)\(rate)", sources == 0 ? .yellow : .bold)
  }

  /// The levels after the number of each row's first slot, up to the last row that is not 0.
  private func grid(_ levels: [UInt8], rows: Int, _ profile: TerminalProfile) -> [ScreenLine] {
    let wide = [64, 32, 16, 8].first { 4 + 4 * $0 <= profile.columns } ?? 4
    let used = (levels.lastIndex { $0 != 0 } ?? 0) / wide + 1
    return (0..<max(0, min(rows, levels.isEmpty ? 0 : used))).map { row in
      let cells = levels[row * wide..<min(levels.count, (row + 1) * wide)].map { String($0).leftPadded(to: 4) }
      // Rows that do not fit are announced in the last one.
      let isCut = row == rows - 1 && used > rows
      return profile.line(
        (isCut ? "\(profile.glyphs.ellipsis)" : "\(row * wide + 1)").leftPadded(to: 4) + cells.joined())
    }
  }
}

/// The nodes of Art-Net as a table.
struct DMXNodeBoard: Board {
  private var nodes: [Int: DMXNode] = [:]

  init() {}

  var count: Int { nodes.count }

  mutating func apply(_ element: StreamElement<DMXNode>) {
    if let node = element.value { nodes[node.index] = node }
  }

  func lines(from first: Int, atMost limit: Int, _ profile: TerminalProfile) -> [ScreenLine] {
    if nodes.isEmpty { return [profile.line("no node has answered yet", .dim)] }
    let table = Table(Self.columns, format: .auto, profile: profile).narrowed(to: profile.columns)
    let rows = nodes.values.sorted { $0.index < $1.index }
    let titles = limit > 2 ? [table.titles] : []
    return titles + shown(from: first, room: limit - titles.count, profile) { [table.row(rows[$0])] }
  }

  private static let columns: [Column<DMXNode>] = [
    Column().shown("address", 16, isRight: false) { node, _ in node.address },
    Column().shown("state", 8, isRight: false, ink: { $0.state == .online ? .green : .yellow }) { node, _ in
      node.state.rawValue
    },
    Column().shown("name", 19, isRight: false) { node, glyphs in
      DisplayWidth.fit(CommandFailure.visible(node.name), to: 18, ellipsis: glyphs.ellipsis)
    },
    Column().shown("MAC", 19, isRight: false, rank: 0) { node, glyphs in node.mac ?? String(glyphs.unknown) },
    Column().shown("Port-Addresses", 0, isRight: false) { node, glyphs in
      let shown = node.ports.prefix(4).map { "\($0.number >> 8).\($0.number >> 4 & 15).\($0.number & 15)" }
      return shown.joined(separator: " ") + (node.portCount > 4 ? " \(glyphs.ellipsis)" : "")
    },
  ]
}

extension DMXProtocol {
  /// The name for people.
  var title: String { self == .sacn ? "sACN" : "Art-Net" }
}
