/// Where the parts of a plot lie, in pixels.
struct PlotLayout: Equatable {
  /// The rectangle inside the axes.
  let area: PlotRect

  /// Leaves room for the titles above, the labels below and at the left, and half a label at the right.
  init(width: Int, height: Int, hasSubtitle: Bool, widestLabel: Double, style: PlotStyle) {
    let left = 16 + style.subtitleSize + 10 + widestLabel + 8
    let top = 18 + style.titleSize + (hasSubtitle ? style.subtitleSize + 9 : 0) + 14
    let bottom = 8 + style.labelSize + 8 + style.subtitleSize + 14
    area = PlotRect(
      x: left.rounded(), y: top.rounded(), width: (Double(width) - left - 32).rounded(),
      height: (Double(height) - top - bottom).rounded())
  }
}

/// One drawing of a plot onto a canvas.
struct LinePlotDrawing {
  let plot: LinePlot
  let canvas: Canvas

  func draw() {
    let style = plot.style
    let labels = plot.y.ticks.filter(\.isMajor).map { canvas.width(of: plot.y.label($0.value), size: style.labelSize) }
    let layout = PlotLayout(
      width: canvas.width, height: canvas.height, hasSubtitle: !plot.subtitle.isEmpty, widestLabel: labels.max() ?? 0,
      style: style)
    let area = layout.area
    canvas.fill(PlotRect(x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height)), style.background)
    canvas.fill(area, style.plotArea)
    drawGrid(area)
    let curves = plot.series.map { curve($0, in: area) }
    canvas.clipped(to: area) { _ in
      for (index, curve) in curves.enumerated() {
        draw(curve, isFilled: plot.series[index].isFilled, color: style.series[index % style.series.count], in: area)
      }
    }
    drawFrame(area)
    drawMarkers(area, avoiding: curves.flatMap(Self.boxes))
    drawTitles(area)
  }

  private func drawGrid(_ area: PlotRect) {
    // Lines of one pixel are sharp when they run through the middle of pixels.
    for isMajor in [false, true] {
      let color = isMajor ? plot.style.majorGrid : plot.style.minorGrid
      for tick in plot.x.ticks where tick.isMajor == isMajor {
        let x = position(x: tick.value, in: area).rounded(.down) + 0.5
        canvas.line(from: PlotPoint(x: x, y: area.y), to: PlotPoint(x: x, y: area.maxY), color)
      }
      for tick in plot.y.ticks where tick.isMajor == isMajor {
        let y = position(y: tick.value, in: area).rounded(.down) + 0.5
        canvas.line(from: PlotPoint(x: area.x, y: y), to: PlotPoint(x: area.maxX, y: y), color)
      }
    }
  }

  /// The series in pixels, thinned to one point for each column.
  private func curve(_ series: LinePlot.Series, in area: PlotRect) -> [PlotPoint] {
    let points = series.samples.compactMap { sample -> PlotPoint? in
      let point = PlotPoint(x: position(x: sample.x, in: area), y: position(y: sample.y, in: area))
      guard point.x.isFinite, point.y.isFinite else { return nil }
      // cairo's coordinates have 24 bits before the point; what lies far outside is only brought nearer.
      return PlotPoint(x: min(max(point.x, -1e5), 1e5), y: min(max(point.y, -1e5), 1e5))
    }
    return Envelope.highestPerColumn(points)
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

  private func drawFrame(_ area: PlotRect) {
    let style = plot.style
    let bottom = area.maxY + 0.5
    let left = area.x - 0.5
    canvas.line(from: PlotPoint(x: left, y: area.y), to: PlotPoint(x: left, y: bottom), style.frame)
    canvas.line(from: PlotPoint(x: left, y: bottom), to: PlotPoint(x: area.maxX, y: bottom), style.frame)
    var nextFree = -Double.infinity
    for tick in plot.x.ticks where tick.isMajor {
      let x = position(x: tick.value, in: area).rounded(.down) + 0.5
      canvas.line(from: PlotPoint(x: x, y: bottom), to: PlotPoint(x: x, y: bottom + 5), style.frame)
      let text = plot.x.label(tick.value)
      let half = canvas.width(of: text, size: style.labelSize) / 2
      guard x - half > nextFree else { continue }
      nextFree = x + half + 6
      let base = PlotPoint(x: x, y: bottom + 8 + style.labelSize)
      canvas.text(text, at: base, size: style.labelSize, style.text, align: .center)
    }
    for tick in plot.y.ticks where tick.isMajor {
      let y = position(y: tick.value, in: area).rounded(.down) + 0.5
      canvas.line(from: PlotPoint(x: left - 5, y: y), to: PlotPoint(x: left, y: y), style.frame)
      // A digit is about 0.73 of its size high, so this centres it on the mark.
      let base = PlotPoint(x: left - 8, y: y + style.labelSize * 0.36)
      canvas.text(plot.y.label(tick.value), at: base, size: style.labelSize, style.text, align: .end)
    }
  }

  private func drawMarkers(_ area: PlotRect, avoiding obstacles: [PlotRect]) {
    let style = plot.style
    let visible = plot.markers.filter {
      plot.x.range.contains($0.x) && plot.y.range.contains($0.y)
    }
    let requests = visible.map { marker in
      LabelPlacement.Request(
        anchor: PlotPoint(x: position(x: marker.x, in: area), y: position(y: marker.y, in: area)),
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

  private func drawTitles(_ area: PlotRect) {
    let style = plot.style
    let titleBase = 18 + style.titleSize * 0.8
    canvas.text(plot.title, at: PlotPoint(x: area.x, y: titleBase), size: style.titleSize, style.text)
    if !plot.subtitle.isEmpty {
      let base = PlotPoint(x: area.x, y: titleBase + style.subtitleSize + 9)
      canvas.text(plot.subtitle, at: base, size: style.subtitleSize, style.secondaryText)
    }
    let below = PlotPoint(x: area.x + area.width / 2, y: Double(canvas.height) - 14)
    canvas.text(plot.x.title, at: below, size: style.subtitleSize, style.secondaryText, align: .center)
    let beside = PlotPoint(x: 16 + style.subtitleSize * 0.8, y: area.y + area.height / 2)
    canvas.text(
      plot.y.title, at: beside, size: style.subtitleSize, style.secondaryText, align: .center, isUpwards: true)
  }

  private func position(x value: Double, in area: PlotRect) -> Double {
    area.x + plot.x.fraction(of: value) * area.width
  }

  private func position(y value: Double, in area: PlotRect) -> Double {
    area.maxY - plot.y.fraction(of: value) * area.height
  }
}
