internal import RustleCore

/// The size, view and format of a picture of a venue.
public struct VenuePictureOptions: Sendable, Hashable {
  /// From where the venue is seen.
  public enum View: String, Sendable, Hashable, CaseIterable {
    /// From above, with the back at the top.
    case top
    /// From the front, as the audience sees it.
    case front
  }

  /// The format of the picture.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// Pixels row by row, each red, green, blue and 255.
    case rgba
    /// A PNG file.
    case png
    /// An SVG file.
    case svg
    /// The shapes of the picture, as JSON.
    case json
    /// Lines for a terminal with 24-bit colours; a character is two pixels, one above the other.
    case trueColor = "true_color"
    /// Lines for a terminal with the 256 colours of xterm.
    case palette
    /// Lines of ASCII, without colours.
    case ascii
  }

  /// The sizes of both sides in pixels.
  public static let sideRange = 1...8_192

  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int
  /// From where the venue is seen.
  public var view: View
  /// The format of the picture.
  public var format: Format
  /// Whether the floor has a grid.
  public var hasGrid = true
  /// Whether there is a scale and a count of the fixtures.
  public var hasLegend = true
  /// Whether fixtures have their ids beside them.
  public var hasLabels = false

  /// - Parameters:
  ///   - width: the width in pixels, 1 to 8,192.
  ///   - height: the height in pixels, 1 to 8,192.
  ///   - view: from where the venue is seen.
  ///   - format: the format of the picture.
  public init(width: Int = 960, height: Int = 540, view: View = .front, format: Format = .png) {
    (self.width, self.height, self.view, self.format) = (width, height, view, format)
  }

  /// Options for a terminal of these columns and lines.
  public static func terminal(columns: Int, lines: Int, view: View = .front, format: Format) -> Self {
    var picture = Self(width: columns, height: lines * 2, view: view, format: format)
    (picture.hasGrid, picture.hasLegend) = (false, false)
    return picture
  }

  func native() throws(LightingError) -> NativePictureSettings {
    for (argument, side) in [("width", width), ("height", height)] where !Self.sideRange.contains(side) {
      throw .validation(argument, expected: "1 to 8192 pixels", got: "\(side)")
    }
    let format: NativePictureFormat =
      switch format {
      case .rgba: .rgba
      case .png: .png
      case .svg: .svg
      case .json: .json
      case .trueColor: .trueColor
      case .palette: .palette
      case .ascii: .ascii
      }
    return NativePictureSettings(
      width: width, height: height, view: view == .top ? .top : .front, format: format, hasGrid: hasGrid,
      hasLegend: hasLegend, hasLabels: hasLabels)
  }
}
