/// The placement of labels of marked points.
public enum LabelPlacement {
  /// A point to label, and the label's size in pixels.
  public struct Request: Sendable, Hashable {
    /// The marked point.
    public let anchor: PlotPoint
    /// Pixels across.
    public let width: Double
    /// Pixels down.
    public let height: Double

    /// Creates a request.
    public init(anchor: PlotPoint, width: Double, height: Double) {
      self.anchor = anchor
      self.width = width
      self.height = height
    }
  }

  /// Places labels one after the other, the most important first: above the point, then beside it, then up to five
  /// lines higher; no label covers another, a marked point, or the edge of the area. Places that leave the obstacles
  /// free come first, and the others are taken when there is no such position.
  ///
  /// - Parameters:
  ///   - requests: in order of importance.
  ///   - area: where labels may lie.
  ///   - obstacles: rectangles to avoid, such as the curves.
  ///   - gap: pixels between a point and its label, 0 or more.
  /// - Returns: a rectangle for each request, or nil where there was no room.
  public static func place(
    _ requests: [Request], in area: PlotRect, avoiding obstacles: [PlotRect] = [], gap: Double = 6
  ) -> [PlotRect?] {
    var taken = requests.map { PlotRect(x: $0.anchor.x - 3, y: $0.anchor.y - 3, width: 6, height: 6) }
    return requests.map { request in
      let free = candidates(for: request, gap: gap).filter { candidate in
        area.contains(candidate) && !taken.contains(where: candidate.overlaps)
      }
      let rect = free.first { !obstacles.contains(where: $0.overlaps) } ?? free.first
      if let rect { taken.append(rect) }
      return rect
    }
  }

  private static func candidates(for request: Request, gap: Double) -> [PlotRect] {
    let (x, y) = (request.anchor.x, request.anchor.y)
    func rect(_ left: Double, _ top: Double) -> PlotRect {
      PlotRect(x: left, y: top, width: request.width, height: request.height)
    }
    let above = y - gap - request.height
    var all = [rect(x - request.width / 2, above)]
    all.append(rect(x + gap, y - request.height / 2))
    all.append(rect(x - gap - request.width, y - request.height / 2))
    for line in 1...5 {
      let top = above - Double(line) * request.height
      all += [rect(x - request.width / 2, top), rect(x + gap, top), rect(x - gap - request.width, top)]
    }
    return all
  }
}

/// Where the names of curves lie: in rows from left to right, each behind a piece of its line. In pixels.
struct LegendLayout: Equatable {
  /// The length of the piece of line.
  static let line = 24.0
  /// Between that and the name.
  static let gap = 7.0
  /// Between a name and the next line.
  static let spacing = 22.0

  /// The left end of each entry's line, from the left edge of the legend, and its row from above.
  let entries: [Entry]

  struct Entry: Equatable {
    let x: Double
    let row: Int
  }

  /// The number of rows; 0 for no names.
  var rows: Int { entries.last.map { $0.row + 1 } ?? 0 }

  /// - Parameters:
  ///   - widths: those of the names.
  ///   - width: the room; a name that is wider than that has a row of its own.
  init(widths: [Double], in width: Double) {
    var x = 0.0
    var row = 0
    entries = widths.map { name in
      let entry = Self.line + Self.gap + name
      if x > 0, x + entry > width { (x, row) = (0, row + 1) }
      defer { x += entry + Self.spacing }
      return Entry(x: x, row: row)
    }
  }
}
