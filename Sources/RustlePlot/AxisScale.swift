import Foundation

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
