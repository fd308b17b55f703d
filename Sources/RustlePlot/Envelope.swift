/// The reduction of a curve to a picture's columns.
public enum Envelope {
  /// Keeps the highest point of each pixel column, so that a peak of one sample is drawn at its full height however many
  /// samples share the column.
  ///
  /// - Parameter points: in pixels, x never falling; smaller y is higher.
  /// - Returns: at most one point for each whole column, in the same order; a curve that is not denser than the columns
  ///   is returned as it is.
  public static func highestPerColumn(_ points: [PlotPoint]) -> [PlotPoint] {
    var kept: [PlotPoint] = []
    for point in points {
      if let last = kept.last, last.x.rounded(.down) == point.x.rounded(.down) {
        if point.y < last.y { kept[kept.count - 1] = point }
      } else {
        kept.append(point)
      }
    }
    return kept
  }
}
