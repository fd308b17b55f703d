import Foundation

/// One axis of a plot: title, scale, range and marks.
public struct PlotAxis: Sendable {
  /// The text beside the axis, unit included: `Frequency (Hz)`.
  public var title: String
  /// The mapping of values to lengths.
  public let scale: AxisScale
  /// The values from one end to the other.
  public let range: ClosedRange<Double>
  /// The marks, in rising order.
  public var ticks: [Tick]
  /// Writes the label of a major mark.
  public var label: @Sendable (Double) -> String

  /// Creates an axis whose marks are chosen to suit the room there is.
  ///
  /// - Parameters:
  ///   - title: the text beside the axis.
  ///   - scale: linear or logarithmic.
  ///   - range: finite, not empty, and above 0 on a logarithmic scale.
  ///   - maximumLabelCount: about as many labels as there is room for, at least 2.
  ///   - label: writes the label of a major mark.
  /// - Precondition: the range and `maximumLabelCount` are as above.
  public init(
    title: String, scale: AxisScale, range: ClosedRange<Double>, maximumLabelCount: Int,
    label: @escaping @Sendable (Double) -> String = UnitLabel.number
  ) {
    precondition(range.lowerBound.isFinite && range.upperBound.isFinite, "an axis' range must be finite, got \(range)")
    precondition(range.lowerBound < range.upperBound, "an axis' range must not be empty, got \(range)")
    self.title = title
    self.scale = scale
    self.range = range
    self.label = label
    ticks =
      switch scale {
      case .linear: TickSelection.linear(range, maximumCount: maximumLabelCount)
      case .logarithmic: TickSelection.logarithmic(range, maximumCount: maximumLabelCount)
      }
  }

  /// A logarithmic frequency axis, labelled `20`, `100`, `1k`, …
  ///
  /// - Parameters:
  ///   - range: hertz, above 0.
  ///   - maximumLabelCount: about as many labels as there is room for, at least 2.
  public static func frequency(_ range: ClosedRange<Double>, maximumLabelCount: Int = 16) -> Self {
    Self(
      title: "Frequency (Hz)", scale: .logarithmic, range: range, maximumLabelCount: maximumLabelCount,
      label: UnitLabel.hertz)
  }

  /// A linear level axis in decibels relative to full scale.
  ///
  /// - Parameters:
  ///   - range: decibels.
  ///   - maximumLabelCount: about as many labels as there is room for, at least 2.
  public static func level(_ range: ClosedRange<Double>, maximumLabelCount: Int = 10) -> Self {
    Self(title: "Level (dBFS)", scale: .linear, range: range, maximumLabelCount: maximumLabelCount)
  }

  /// A linear level axis, down from the next multiple of ten above the highest level. A sound below -120 dBFS, less than 24 bits
  /// can hold, is silence: its axis begins at full scale.
  ///
  /// - Parameters:
  ///   - highest: in dBFS; minus infinity for silence.
  ///   - decibels: the length of the axis, above 0.
  public static func level(upTo highest: Double, decibels: Double) -> Self {
    let top = highest > -120 ? (highest / 10).rounded(.up) * 10 : 0
    return .level(top - decibels...top)
  }

  /// The axis with marks for another number of labels, chosen as by the initialiser.
  ///
  /// - Parameter maximumLabelCount: about as many labels as there is room for, at least 2.
  public func with(maximumLabelCount: Int) -> Self {
    Self(title: title, scale: scale, range: range, maximumLabelCount: maximumLabelCount, label: label)
  }

  /// A linear axis of gains in decibels, marked at multiples of 1, 2, 3, 6, 12 or 24 dB and labelled with their sign: `+6`,
  /// `0`, `−6`.
  ///
  /// - Parameters:
  ///   - range: decibels.
  ///   - maximumLabelCount: about as many labels as there is room for, at least 2.
  public static func gain(_ range: ClosedRange<Double>, maximumLabelCount: Int = 12) -> Self {
    var axis = Self(title: "Gain (dB)", scale: .linear, range: range, maximumLabelCount: maximumLabelCount) { value in
      (value > 0 ? "+" : "") + UnitLabel.number(value)
    }
    axis.ticks = TickSelection.multiples(of: [1, 2, 3, 6, 12, 24], in: range, maximumCount: maximumLabelCount)
    return axis
  }

  /// A linear axis of time. Up to two minutes it is labelled in seconds; beyond it is marked at whole minutes or simple parts
  /// of them and labelled `1:30`, or `1:05:00` from an hour on.
  ///
  /// - Parameters:
  ///   - range: seconds.
  ///   - maximumLabelCount: about as many labels as there is room for, at least 2.
  public static func time(_ range: ClosedRange<Double>, maximumLabelCount: Int = 12) -> Self {
    guard range.upperBound > 120 else {
      return Self(title: "Time (s)", scale: .linear, range: range, maximumLabelCount: maximumLabelCount)
    }
    let hasHours = range.upperBound >= 3_600
    var axis = Self(
      title: hasHours ? "Time (h:min:s)" : "Time (min:s)", scale: .linear, range: range,
      maximumLabelCount: maximumLabelCount,
      label: { UnitLabel.clock($0, hasHours: hasHours) })
    let steps: [Double] = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
    ]
    axis.ticks = TickSelection.multiples(of: steps, in: range, maximumCount: maximumLabelCount)
    return axis
  }

  /// The relative position of a value: 0 at the lower end, 1 at the upper one, outside for values outside.
  public func fraction(of value: Double) -> Double { scale.fraction(of: value, in: range) }

  /// The value at a relative position: the inverse of `fraction(of:)`.
  public func value(at fraction: Double) -> Double { scale.value(at: fraction, in: range) }
}

/// The mapping of an axis's values to lengths.
public enum AxisScale: Sendable, Hashable {
  /// Equal differences have equal lengths.
  case linear
  /// Equal ratios have equal lengths; every value is above 0.
  case logarithmic

  /// The relative position of a value in a range.
  ///
  /// - Parameters:
  ///   - value: any finite value; on a logarithmic scale one that is not above 0 lies at minus infinity.
  ///   - range: not empty, and above 0 on a logarithmic scale.
  /// - Returns: 0 at the lower bound, 1 at the upper one, below 0 or above 1 outside.
  public func fraction(of value: Double, in range: ClosedRange<Double>) -> Double {
    switch self {
    case .linear: return (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    case .logarithmic:
      guard value > 0 else { return -.infinity }
      return log(value / range.lowerBound) / log(range.upperBound / range.lowerBound)
    }
  }

  /// The inverse of `fraction(of:in:)`.
  ///
  /// - Parameters:
  ///   - fraction: 0 gives the lower bound, 1 the upper one.
  ///   - range: not empty, and above 0 on a logarithmic scale.
  public func value(at fraction: Double, in range: ClosedRange<Double>) -> Double {
    switch self {
    case .linear: range.lowerBound + fraction * (range.upperBound - range.lowerBound)
    case .logarithmic: range.lowerBound * pow(range.upperBound / range.lowerBound, fraction)
    }
  }
}
