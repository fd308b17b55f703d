/// Where the parts of a plot lie, in pixels.
struct PlotLayout: Equatable {
  /// The rectangle inside the axes.
  let area: PlotRect

  /// Leaves room for the titles and the legend above, the labels below and at the left, and `right` at the right.
  init(
    width: Int, height: Int, hasSubtitle: Bool, maximumLabelWidth: Double, right: Double = 32, legendRows: Int = 0,
    style: PlotStyle
  ) {
    let left = 16 + style.subtitleSize + 10 + maximumLabelWidth + 8
    let top =
      18 + style.titleSize + (hasSubtitle ? style.subtitleSize + 9 : 0) + 14
      + Double(legendRows) * AxesDrawing.legendRow(style)
    let bottom = 8 + style.labelSize + 8 + style.subtitleSize + 14
    area = PlotRect(
      x: left.rounded(), y: top.rounded(), width: (Double(width) - left - right).rounded(),
      height: (Double(height) - top - bottom).rounded())
  }
}

/// The parts that every plot has: titles and axes.
struct AxesDrawing {
  let title: String
  let subtitle: String
  let x: PlotAxis
  let y: PlotAxis
  let style: PlotStyle
  let canvas: Canvas

  /// The height of a row of the legend, in pixels.
  static func legendRow(_ style: PlotStyle) -> Double { style.labelSize + 9 }

  /// Where the parts lie, with that much room at the right: by default for half a label.
  func layout(right: Double = 32, legendRows: Int = 0) -> PlotLayout {
    PlotLayout(
      width: canvas.width, height: canvas.height, hasSubtitle: !subtitle.isEmpty,
      maximumLabelWidth: maximumLabelWidth(of: y),
      right: right, legendRows: legendRows, style: style)
  }

  /// The width of the widest label of an axis, in pixels.
  func maximumLabelWidth(of axis: PlotAxis) -> Double {
    axis.ticks.filter(\.isMajor).map { canvas.width(of: axis.label($0.value), size: style.labelSize) }.max() ?? 0
  }

  func drawBackground() {
    canvas.fill(PlotRect(x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height)), style.background)
  }

  func drawFrame(_ area: PlotRect) {
    let bottom = area.maxY + 0.5
    let left = area.x - 0.5
    canvas.line(from: PlotPoint(x: left, y: area.y), to: PlotPoint(x: left, y: bottom), style.frame)
    canvas.line(from: PlotPoint(x: left, y: bottom), to: PlotPoint(x: area.maxX, y: bottom), style.frame)
    var nextFree = -Double.infinity
    for tick in x.ticks where tick.isMajor {
      let across = position(x: tick.value, in: area).rounded(.down) + 0.5
      canvas.line(from: PlotPoint(x: across, y: bottom), to: PlotPoint(x: across, y: bottom + 5), style.frame)
      let text = x.label(tick.value)
      let half = canvas.width(of: text, size: style.labelSize) / 2
      guard across - half > nextFree else { continue }
      nextFree = across + half + 6
      let base = PlotPoint(x: across, y: bottom + 8 + style.labelSize)
      canvas.text(text, at: base, size: style.labelSize, style.text, align: .center)
    }
    for tick in y.ticks where tick.isMajor {
      let down = position(y: tick.value, in: area).rounded(.down) + 0.5
      canvas.line(from: PlotPoint(x: left - 5, y: down), to: PlotPoint(x: left, y: down), style.frame)
      // A digit is about 0.73 of its size high, so this centres it on the mark.
      let base = PlotPoint(x: left - 8, y: down + style.labelSize * 0.36)
      canvas.text(y.label(tick.value), at: base, size: style.labelSize, style.text, align: .end)
    }
  }

  func drawTitles(_ area: PlotRect) {
    let titleBase = 18 + style.titleSize * 0.8
    canvas.text(title, at: PlotPoint(x: area.x, y: titleBase), size: style.titleSize, style.text)
    if !subtitle.isEmpty {
      let base = PlotPoint(x: area.x, y: titleBase + style.subtitleSize + 9)
      canvas.text(subtitle, at: base, size: style.subtitleSize, style.secondaryText)
    }
    let below = PlotPoint(x: area.x + area.width / 2, y: Double(canvas.height) - 14)
    canvas.text(x.title, at: below, size: style.subtitleSize, style.secondaryText, align: .center)
    let beside = PlotPoint(x: 16 + style.subtitleSize * 0.8, y: area.y + area.height / 2)
    canvas.text(
      y.title, at: beside, size: style.subtitleSize, style.secondaryText, align: .center, isUpwards: true)
  }

  func position(x value: Double, in area: PlotRect) -> Double {
    area.x + x.fraction(of: value) * area.width
  }

  func position(y value: Double, in area: PlotRect) -> Double {
    area.maxY - y.fraction(of: value) * area.height
  }

  /// A curve in pixels, thinned to one point for each column.
  func points(of series: LineChart.Series, in area: PlotRect) -> [PlotPoint] {
    let points = series.samples.compactMap { sample -> PlotPoint? in
      let point = PlotPoint(x: position(x: sample.x, in: area), y: position(y: sample.y, in: area))
      guard point.x.isFinite, point.y.isFinite else { return nil }
      // cairo's coordinates have 24 bits before the point; what lies far outside is only brought nearer.
      return PlotPoint(x: min(max(point.x, -1e5), 1e5), y: min(max(point.y, -1e5), 1e5))
    }
    return Envelope.highestPerColumn(points)
  }
}
