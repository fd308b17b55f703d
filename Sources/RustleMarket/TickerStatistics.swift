/// What went through the streams of a ticker so far.
public struct TickerStatistics: Sendable, Hashable {
  /// Updates that the native side made.
  public let produced: UInt64
  /// Updates that no consumer will see: its buffer was full, or it had gone.
  public let dropped: UInt64

  static func + (left: Self, right: Self) -> Self {
    Self(produced: left.produced + right.produced, dropped: left.dropped + right.dropped)
  }
}
