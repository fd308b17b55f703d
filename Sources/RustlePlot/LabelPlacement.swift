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
