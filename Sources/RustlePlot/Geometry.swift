/// A point in pixels: x grows to the right, y grows downwards.
public struct PlotPoint: Sendable, Hashable {
  /// Pixels from the left edge.
  public var x: Double
  /// Pixels from the upper edge.
  public var y: Double

  /// Creates a point.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// An upright rectangle in pixels.
public struct PlotRect: Sendable, Hashable {
  /// The left edge.
  public var x: Double
  /// The upper edge.
  public var y: Double
  /// Pixels across, 0 or more.
  public var width: Double
  /// Pixels down, 0 or more.
  public var height: Double

  /// Creates a rectangle from its upper left corner and its size.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The right edge.
  public var maxX: Double { x + width }
  /// The lower edge.
  public var maxY: Double { y + height }

  /// Whether the two have an area in common; rectangles that only touch have none.
  public func overlaps(_ other: Self) -> Bool {
    x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
  }

  /// Whether the other lies inside, edges included.
  public func contains(_ other: Self) -> Bool {
    x <= other.x && other.maxX <= maxX && y <= other.y && other.maxY <= maxY
  }
}

/// A colour with red, green, blue and opacity in 0 ... 1.
public struct PlotColor: Sendable, Hashable {
  /// Red, 0 ... 1.
  public var red: Double
  /// Green, 0 ... 1.
  public var green: Double
  /// Blue, 0 ... 1.
  public var blue: Double
  /// Opacity: 0 is invisible, 1 covers.
  public var alpha: Double

  /// Creates a colour from a number like `0x1F77B4`: eight bits each of red, green and blue.
  ///
  /// - Parameters:
  ///   - hex: 0 ... 0xFFFFFF; higher bits are ignored.
  ///   - alpha: opacity, 0 ... 1.
  public init(hex: UInt32, alpha: Double = 1) {
    red = Double(hex >> 16 & 0xFF) / 255
    green = Double(hex >> 8 & 0xFF) / 255
    blue = Double(hex & 0xFF) / 255
    self.alpha = alpha
  }
}
