/// A picture of values over a plane as colours with a scale, such as a spectrogram.
///
/// ```swift
/// let time = PlotAxis(title: "Time (s)", scale: .linear, range: 0...5, maximumLabelCount: 10)
/// let map = HeatMap(
///   title: "take1.flac", x: time, y: .frequency(20...20_000), values: .level(-90...0), grid: grid)
/// try map.writePNG(to: "spectrogram.png")
/// ```
public struct HeatMap: Sendable {
  /// The first line, large.
  public var title: String
  /// The second line, smaller; empty for none.
  public var subtitle: String
  /// The horizontal axis.
  public var x: PlotAxis
  /// The vertical axis.
  public var y: PlotAxis
  /// The axis of the values, drawn as the scale of colours: values outside its range have the colour of the nearer end.
  public var values: PlotAxis
  /// The values.
  public var grid: HeatGrid
  /// The colours.
  public var colors = ColorMap.dusk
  /// Curves over the colours, in drawing order; their fills and names are ignored.
  /// The points of a curve that share a pixel column are drawn as their highest.
  public var curves: [LineChart.Series] = []
  /// The looks.
  public var style: PlotStyle

  /// Creates a picture.
  public init(
    title: String, subtitle: String = "", x: PlotAxis, y: PlotAxis, values: PlotAxis, grid: HeatGrid,
    style: PlotStyle = PlotStyle()
  ) {
    self.title = title
    self.subtitle = subtitle
    self.x = x
    self.y = y
    self.values = values
    self.grid = grid
    self.style = style
  }

  /// Draws the map and writes it as a PNG file.
  ///
  /// - Parameters:
  ///   - path: the file, which is replaced if it is there.
  ///   - width: pixels, 256 ... 16384.
  ///   - height: pixels, 192 ... 16384.
  /// - Throws: `PlotError` with `invalidSize`, `drawingFailed` or `writeFailed`.
  public func writePNG(to path: String, width: Int = 1_200, height: Int = 600) throws(PlotError) {
    guard (256...16_384).contains(width), (192...16_384).contains(height) else {
      throw PlotError(
        .invalidSize, "expected a width from 256 and a height from 192 to 16384 pixels, got \(width) x \(height)",
        advice: "Choose a size in that range.")
    }
    let canvas = try Canvas(width: width, height: height, fontFamily: style.fontFamily)
    HeatMapDrawing(map: self, canvas: canvas).draw()
    try canvas.writePNG(to: path)
  }
}

/// One drawing of a map onto a canvas.
struct HeatMapDrawing {
  let map: HeatMap
  let canvas: Canvas

  /// Pixels between the area and the scale, and the width of the scale.
  private static let gap = 24.0
  private static let scaleWidth = 18.0

  func draw() {
    let style = map.style
    let axes = AxesDrawing(
      title: map.title, subtitle: map.subtitle, x: map.x, y: map.y, style: style, canvas: canvas)
    let widest = axes.maximumLabelWidth(of: map.values)
    let right = Self.gap + Self.scaleWidth + 8 + widest + 10 + style.subtitleSize + 14
    let area = axes.layout(right: right).area
    axes.drawBackground()
    let (width, height) = (Int(area.width), Int(area.height))
    let levels = map.grid.points(width: width, height: height, x: map.x, y: map.y)
    canvas.fill(area, pixels: levels.map { map.colors.color(of: map.values.fraction(of: Double($0))) })
    canvas.clipped(to: area) { _ in
      for curve in map.curves { draw(axes.points(of: curve, in: area)) }
    }
    axes.drawFrame(area)
    axes.drawTitles(area)
    let scale = PlotRect(x: area.maxX + Self.gap, y: area.y, width: Self.scaleWidth, height: area.height)
    draw(scale, labels: widest)
  }

  /// Light with a dark rim: legible on every colour of the map.
  private func draw(_ curve: [PlotPoint]) {
    let style = map.style
    canvas.path(curve, style.overlayRim, width: style.lineWidth + 2.4)
    canvas.path(curve, style.overlay, width: style.lineWidth)
  }

  /// The scale: every colour of the map, the marks and their title.
  private func draw(_ scale: PlotRect, labels: Double) {
    let style = map.style
    let (width, height) = (Int(scale.width), Int(scale.height))
    let rows = (0..<height).map { map.colors.color(of: 1 - (Double($0) + 0.5) / Double(height)) }
    canvas.fill(scale, pixels: rows.flatMap { [UInt32](repeating: $0, count: width) })
    for tick in map.values.ticks where tick.isMajor {
      let y = (scale.maxY - map.values.fraction(of: tick.value) * scale.height).rounded(.down) + 0.5
      canvas.line(from: PlotPoint(x: scale.maxX, y: y), to: PlotPoint(x: scale.maxX + 4, y: y), style.frame)
      let base = PlotPoint(x: scale.maxX + 8 + labels, y: y + style.labelSize * 0.36)
      canvas.text(map.values.label(tick.value), at: base, size: style.labelSize, style.text, align: .end)
    }
    let beside = PlotPoint(
      x: scale.maxX + 8 + labels + 10 + style.subtitleSize * 0.8, y: scale.y + scale.height / 2)
    canvas.text(
      map.values.title, at: beside, size: style.subtitleSize, style.secondaryText, align: .center, isUpwards: true)
  }
}
