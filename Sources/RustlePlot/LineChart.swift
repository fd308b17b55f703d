/// A picture of curves over two axes: spectra, responses, levels over time.
///
/// ```swift
/// var plot = LineChart(title: "take1.flac", x: .frequency(20...20_000), y: .level(-90...0))
/// plot.series = [LineChart.Series(samples: points, isFilled: true)]
/// try plot.writePNG(to: "spectrum.png")
/// ```
public struct LineChart: Sendable {
  /// A curve.
  public struct Series: Sendable {
    /// One sample of a curve, in the units of the axes.
    public struct Sample: Sendable, Hashable {
      /// On the horizontal axis.
      public var x: Double
      /// On the vertical axis.
      public var y: Double

      /// Creates a sample.
      public init(x: Double, y: Double) {
        self.x = x
        self.y = y
      }
    }

    /// The samples, x never falling. A sample that is not finite, or not on the axis at all (0 Hz on a logarithmic one),
    /// is left out.
    public var samples: [Sample]
    /// Whether the area below the curve is tinted.
    public var isFilled: Bool
    /// What the legend above the curves calls it; empty for a curve that the legend leaves out.
    public var name: String

    /// Creates a curve.
    public init(samples: [Sample], isFilled: Bool = false, name: String = "") {
      self.samples = samples
      self.isFilled = isFilled
      self.name = name
    }

    /// Creates a curve through points; a single one becomes a horizontal line.
    ///
    /// - Parameters:
    ///   - points: with x never falling.
    ///   - width: the length of that line, in the unit of x.
    package init(through points: [Sample], width: Double) {
      let ends = points.count == 1 ? [-0.5, 0.5] : [0]
      self.init(samples: points.flatMap { point in ends.map { Sample(x: point.x + $0 * width, y: point.y) } })
    }
  }

  /// A point that is marked, and named where there is room.
  public struct Marker: Sendable, Hashable {
    /// On the horizontal axis.
    public var x: Double
    /// On the vertical axis.
    public var y: Double
    /// The name beside the point.
    public var label: String

    /// Creates a marked point.
    public init(x: Double, y: Double, label: String) {
      self.x = x
      self.y = y
      self.label = label
    }
  }

  /// The first line, large.
  public var title: String
  /// The second line, smaller; empty for none.
  public var subtitle: String
  /// The horizontal axis.
  public var x: PlotAxis
  /// The vertical axis.
  public var y: PlotAxis
  /// The curves, in the order in which they are drawn.
  public var series: [Series] = []
  /// A value on the vertical axis whose grid line is drawn like the frame, such as 0 dB; nil for none.
  public var baseline: Double?
  /// The marked points, the most important first.
  public var markers: [Marker] = []
  /// The looks.
  public var style: PlotStyle

  /// Creates a plot with axes and no curve.
  public init(title: String, subtitle: String = "", x: PlotAxis, y: PlotAxis, style: PlotStyle = PlotStyle()) {
    self.title = title
    self.subtitle = subtitle
    self.x = x
    self.y = y
    self.style = style
  }

  /// Draws the plot and writes it as a PNG file.
  ///
  /// - Parameters:
  ///   - path: the file, which is replaced if it is there.
  ///   - width: pixels, 64 ... 16384.
  ///   - height: pixels, 64 ... 16384.
  /// - Throws: `PlotError` with `invalidSize`, `drawingFailed` or `writeFailed`.
  public func writePNG(to path: String, width: Int = 1_200, height: Int = 600) throws(PlotError) {
    let canvas = try Canvas(width: width, height: height, fontFamily: style.fontFamily)
    LinePlotDrawing(plot: self, canvas: canvas).draw()
    try canvas.writePNG(to: path)
  }
}
