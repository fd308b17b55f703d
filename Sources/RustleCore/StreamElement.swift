/// What a consumer of an ``EngineStream`` sees: a value, or the news that values were lost at this place.
public enum StreamElement<Value: Sendable>: Sendable {
  /// The next value.
  case value(Value)
  /// This many values, at least 1, were lost just before the next one, because the consumer was slower than the engine for
  /// longer than the lane lasts. On a lane that keeps the latest value of each symbol: values of the next one's symbol. As the
  /// last element of a stream: values that were lost after the last one.
  case gap(UInt64)

  /// The value; nil for a gap.
  public var value: Value? {
    switch self {
    case .value(let value): value
    case .gap: nil
    }
  }
}

extension StreamElement: Equatable where Value: Equatable {}

/// What went through a stream so far. Once a consumer has read to the end, `produced == delivered + dropped`.
public struct StreamStatistics: Sendable, Hashable {
  /// Values that the engine made for this stream.
  public let produced: UInt64
  /// Values that left the lane for the consumer.
  public let delivered: UInt64
  /// Values that the lane gave up.
  public let dropped: UInt64

  /// Values that wait in the lane: 0 also when the counts are of moments at which more had left it than had been counted in.
  public var waiting: UInt64 { produced - min(produced, delivered + dropped) }

  package init(produced: UInt64, delivered: UInt64, dropped: UInt64) {
    self.produced = produced
    self.delivered = delivered
    self.dropped = dropped
  }
}

/// What a lane gives up when its consumer is too slow.
public enum BufferOverflow: Sendable, Hashable {
  /// The oldest waiting value makes room for the new one.
  case dropOldest
  /// The new value is dropped.
  case dropNewest
  /// A new value replaces the waiting one of the same symbol: a slow consumer sees fresh values, one per symbol.
  case conflate
}

/// How values travel from the engine to the consumer.
public enum StreamBuffering: Sendable, Hashable {
  /// The values that may wait in a lane.
  static let capacities = 1...1_048_576

  /// One native callback and one asynchronous element per value, `capacity` of which may wait; the oldest are dropped
  /// beyond that. For up to about a thousand values a second. `capacity` is 1 to 1,048,576.
  case perValue(capacity: Int = 1_024)
  /// A ring on the native side, `capacity` (1 to 1,048,576) values long, that the consumer drains many at a time after one
  /// callback. With ``BufferOverflow/conflate`` the ring has one place per symbol whatever the capacity. For any rate.
  case batched(capacity: Int = 65_536, overflow: BufferOverflow = .dropOldest)
}
