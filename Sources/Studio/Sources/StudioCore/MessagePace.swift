/// A bound on messages: so many a second, and as many at once after a pause.
public struct MessagePace: Sendable {
  private let rate: Double
  /// The messages that may come now.
  private var allowance: Double
  private var last: ContinuousClock.Instant?

  /// - Parameter rate: messages per second, above 0.
  public init(rate: Double) { (self.rate, allowance) = (rate, rate) }

  /// Takes a message; false: it is one too many.
  ///
  /// - Parameter time: when it came, not before the one before.
  public mutating func take(at time: ContinuousClock.Instant) -> Bool {
    if let last { allowance = min(rate, allowance + last.duration(to: time) / .seconds(1) * rate) }
    last = time
    guard allowance >= 1 else { return false }
    allowance -= 1
    return true
  }
}
