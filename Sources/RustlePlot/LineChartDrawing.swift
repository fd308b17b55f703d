/// One drawing of a plot onto a canvas.
struct LinePlotDrawing {
  let plot: LineChart
  let canvas: Canvas

  private var axes: AxesDrawing {
    AxesDrawing(
      title: plot.title, subtitle: plot.subtitle, x: plot.x, y: plot.y, style: plot.style, canvas: canvas)
  }

  func draw() {
    let style = plot.style
    let legend = legend()
    let area = axes.layout(legendRows: legend.rows).area
    axes.drawBackground()
    canvas.fill(area, style.plotArea)
    drawGrid(area)
    drawBaseline(area)
    let curves = plot.series.map { axes.points(of: $0, in: area) }
    canvas.clipped(to: area) { _ in
      for (index, curve) in curves.enumerated() {
        draw(curve, isFilled: plot.series[index].isFilled, color: color(of: index), in: area)
      }
    }
    axes.drawFrame(area)
    drawMarkers(area, avoiding: curves.flatMap(Self.boxes))
    axes.drawTitles(area)
    draw(legend, above: area)
  }

  /// The curves that the legend names.
  private var named: [Int] { plot.series.indices.filter { !plot.series[$0].name.isEmpty } }

  private func legend() -> LegendLayout {
    let widths = named.map { canvas.width(of: plot.series[$0].name, size: plot.style.labelSize) }
    return LegendLayout(widths: widths, in: axes.layout().area.width)
  }

  private func draw(_ legend: LegendLayout, above area: PlotRect) {
    let style = plot.style
    let top = area.y - Double(legend.rows) * AxesDrawing.legendRow(style) - 4
    for (entry, index) in zip(legend.entries, named) {
      let base = top + Double(entry.row) * AxesDrawing.legendRow(style) + style.labelSize
      let start = PlotPoint(x: area.x + entry.x, y: (base - style.labelSize * 0.36).rounded(.down) + 0.5)
      let end = PlotPoint(x: start.x + LegendLayout.line, y: start.y)
      canvas.line(from: start, to: end, color(of: index), width: style.lineWidth + 1)
      let text = PlotPoint(x: end.x + LegendLayout.gap, y: base)
      canvas.text(plot.series[index].name, at: text, size: style.labelSize, style.text)
    }
  }

  private func color(of index: Int) -> PlotColor { plot.style.series[index % plot.style.series.count] }

  private func drawBaseline(_ area: PlotRect) {
    guard let baseline = plot.baseline, plot.y.range.contains(baseline) else { return }
    let y = axes.position(y: baseline, in: area).rounded(.down) + 0.5
    canvas.line(from: PlotPoint(x: area.x, y: y), to: PlotPoint(x: area.maxX, y: y), plot.style.frame)
  }

  private func drawGrid(_ area: PlotRect) {
    // Lines of one pixel are sharp when they run through the middle of pixels.
    for isMajor in [false, true] {
      let color = isMajor ? plot.style.majorGrid : plot.style.minorGrid
      for tick in plot.x.ticks where tick.isMajor == isMajor {
        let x = axes.position(x: tick.value, in: area).rounded(.down) + 0.5
        canvas.line(from: PlotPoint(x: x, y: area.y), to: PlotPoint(x: x, y: area.maxY), color)
      }
      for tick in plot.y.ticks where tick.isMajor == isMajor {
        let y = axes.position(y: tick.value, in: area).rounded(.down) + 0.5
        canvas.line(from: PlotPoint(x: area.x, y: y), to: PlotPoint(x: area.maxX, y: y), color)
      }
    }
  }

  /// The box around each stretch of a curve.
  private static func boxes(around curve: [PlotPoint]) -> [PlotRect] {
    zip(curve, curve.dropFirst()).map { start, end in
      PlotRect(
        x: start.x - 1, y: min(start.y, end.y) - 1, width: end.x - start.x + 2, height: abs(start.y - end.y) + 2)
    }
  }

  private func draw(_ curve: [PlotPoint], isFilled: Bool, color: PlotColor, in area: PlotRect) {
    guard let first = curve.first, let last = curve.last else { return }
    if isFilled {
      var tint = color
      tint.alpha = plot.style.fillOpacity
      let floor = area.maxY
      canvas.fill([PlotPoint(x: first.x, y: floor)] + curve + [PlotPoint(x: last.x, y: floor)], tint)
    }
    canvas.path(curve, color, width: plot.style.lineWidth)
  }

  private func drawMarkers(_ area: PlotRect, avoiding obstacles: [PlotRect]) {
    let style = plot.style
    let visible = plot.markers.filter {
      plot.x.range.contains($0.x) && plot.y.range.contains($0.y)
    }
    let requests = visible.map { marker in
      LabelPlacement.Request(
        anchor: PlotPoint(x: axes.position(x: marker.x, in: area), y: axes.position(y: marker.y, in: area)),
        width: canvas.width(of: marker.label, size: style.labelSize) + 6, height: style.labelSize + 4)
    }
    for (index, rect) in LabelPlacement.place(requests, in: area, avoiding: obstacles).enumerated() {
      let anchor = requests[index].anchor
      if let rect, rect.maxY < anchor.y - rect.height {
        // A label that is a line or more away is tied to its point.
        let end = PlotPoint(x: min(max(anchor.x, rect.x + 4), rect.maxX - 4), y: rect.maxY)
        canvas.line(from: anchor, to: end, style.marker, width: 0.8)
      }
      canvas.ring(at: anchor, radius: 3.6, style.marker, inside: style.background)
      guard let rect else { continue }
      var behind = style.plotArea
      behind.alpha = 0.82
      canvas.fill(rect, behind)
      let base = PlotPoint(x: rect.x + 3, y: rect.maxY - 5)
      canvas.text(visible[index].label, at: base, size: style.labelSize, style.marker)
    }
  }
}
