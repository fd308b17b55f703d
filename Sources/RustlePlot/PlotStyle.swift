/// The looks of a plot. Sizes are in pixels.
public struct PlotStyle: Sendable, Hashable {
  /// Behind everything.
  public var background = PlotColor(hex: 0xFFFFFF)
  /// Behind the curves.
  public var plotArea = PlotColor(hex: 0xFAFBFC)
  /// Grid lines at labelled marks.
  public var majorGrid = PlotColor(hex: 0xD5DAE1)
  /// Grid lines at the other marks.
  public var minorGrid = PlotColor(hex: 0xEBEEF2)
  /// The frame of the plot area and the marks.
  public var frame = PlotColor(hex: 0x8A94A3)
  /// The title and the labels.
  public var text = PlotColor(hex: 0x1B2430)
  /// The subtitle and the axes' titles.
  public var secondaryText = PlotColor(hex: 0x5A6675)
  /// Marked points and their labels.
  public var marker = PlotColor(hex: 0xC2410C)
  /// The colours of curves, in turn. Neighbours differ in brightness too, for readers with colour vision deficiency.
  public var series: [PlotColor] = [
    PlotColor(hex: 0x1D5FA8), PlotColor(hex: 0xE08A1E), PlotColor(hex: 0x1F7A4D), PlotColor(hex: 0xB07CC6),
  ]
  /// Curves over a map of colours.
  public var overlay = PlotColor(hex: 0x5CF2FF)
  /// The rim between curves and the map.
  public var overlayRim = PlotColor(hex: 0x06121A, alpha: 0.85)
  /// Opacity of the area under a filled curve, 0 ... 1.
  public var fillOpacity = 0.16
  /// Width of a curve.
  public var lineWidth = 1.6
  /// A family that fontconfig looks up; where it is missing, fontconfig's own choice stands in.
  public var fontFamily = "DejaVu Sans"
  /// Height of the title's letters.
  public var titleSize = 19.0
  /// Height of the subtitle's and the axis titles' letters.
  public var subtitleSize = 13.5
  /// Height of the labels' letters.
  public var labelSize = 13.0

  /// The default looks: dark on white, legible at 1200 by 600 pixels.
  public init() {}
}
