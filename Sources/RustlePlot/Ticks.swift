import Foundation

/// A mark on an axis.
public struct Tick: Sendable, Hashable {
  /// The value that is marked.
  public let value: Double
  /// Whether the mark carries a label and a strong grid line.
  public let isMajor: Bool

  /// Creates a mark.
  public init(value: Double, isMajor: Bool) {
    self.value = value
    self.isMajor = isMajor
  }
}

/// Chooses the marks of an axis. All results are in rising order, inside the range, bounds included.
public enum TickSelection {
  /// Marks at multiples of 1, 2 or 5 times a power of ten: the smallest such step that gives no more than the wanted
  /// number of marks.
  ///
  /// - Parameters:
  ///   - range: finite; an empty range gives one mark at its value.
  ///   - maximumCount: at least 2.
  /// - Precondition: `maximumCount` is at least 2.
  public static func linear(_ range: ClosedRange<Double>, maximumCount: Int) -> [Tick] {
    precondition(maximumCount >= 2, "maximumCount must be at least 2, got \(maximumCount)")
    let span = range.upperBound - range.lowerBound
    guard span > 0 else { return [Tick(value: range.lowerBound, isMajor: true)] }
    // Start two steps below the only step that could fit, and go up until the marks are few enough.
    var exponent = Int(log10(span / Double(maximumCount)).rounded(.down)) - 1
    while true {
      for factor in [1.0, 2, 5] {
        let step = factor * pow(10, Double(exponent))
        // A bound that is a multiple of the step except for rounding is one of the marks.
        let first = (range.lowerBound / step - 1e-9).rounded(.up)
        let last = (range.upperBound / step + 1e-9).rounded(.down)
        guard last - first < Double(maximumCount) else { continue }
        return stride(from: first, through: last, by: 1).map { index in
          // A negative exponent is a division, so that 3 * 0.1 is the number nearest to 0.3.
          let value = exponent < 0 ? index * factor / pow(10, Double(-exponent)) : index * step
          return Tick(value: value == 0 ? 0 : value, isMajor: true)
        }
      }
      exponent += 1
    }
  }

  /// Marks at multiples of the smallest of some steps that gives no more than the wanted number of marks; where none does,
  /// those of ``linear(_:maximumCount:)``.
  ///
  /// - Parameters:
  ///   - steps: above 0, rising: such as 1, 3, 6 and 12 for decibels.
  ///   - range: finite.
  ///   - maximumCount: at least 2.
  /// - Precondition: `maximumCount` is at least 2.
  public static func multiples(of steps: [Double], in range: ClosedRange<Double>, maximumCount: Int) -> [Tick] {
    precondition(maximumCount >= 2, "maximumCount must be at least 2, got \(maximumCount)")
    for step in steps {
      // As in `linear`.
      let first = (range.lowerBound / step - 1e-9).rounded(.up)
      let last = (range.upperBound / step + 1e-9).rounded(.down)
      guard last > first, last - first < Double(maximumCount) else { continue }
      return stride(from: first, through: last, by: 1).map { Tick(value: $0 == 0 ? 0 : $0 * step, isMajor: true) }
    }
    return linear(range, maximumCount: maximumCount)
  }

  /// Marks for a logarithmic axis: the powers of ten are major, and so are their doubles and fivefolds where the range
  /// is short enough for their labels; the other digits are minor. A range that holds fewer than three major marks is
  /// marked like a linear one.
  ///
  /// - Parameters:
  ///   - range: above 0.
  ///   - maximumCount: about as many labels as there is room for, at least 2.
  /// - Precondition: the range is above 0 and `maximumCount` is at least 2.
  public static func logarithmic(_ range: ClosedRange<Double>, maximumCount: Int) -> [Tick] {
    precondition(range.lowerBound > 0, "a logarithmic range must be above 0, got \(range)")
    precondition(maximumCount >= 2, "maximumCount must be at least 2, got \(maximumCount)")
    let decades = log10(range.upperBound / range.lowerBound)
    let majorDigits: [Int] = decades * 3 <= Double(maximumCount) ? [1, 2, 5] : [1]
    var ticks: [Tick] = []
    for exponent in Int(log10(range.lowerBound).rounded(.down))...Int(log10(range.upperBound).rounded(.up)) {
      for digit in 1...9 {
        let power = pow(10, Double(abs(exponent)))
        let value = exponent < 0 ? Double(digit) / power : Double(digit) * power
        if range.contains(value) { ticks.append(Tick(value: value, isMajor: majorDigits.contains(digit))) }
      }
    }
    return ticks.count(where: \.isMajor) >= 3 ? ticks : linear(range, maximumCount: maximumCount)
  }
}
