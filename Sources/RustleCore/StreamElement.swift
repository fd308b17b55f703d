/// An element of an ``EngineStream``: a value, or a report of values dropped at this place.
public enum StreamElement<Value: Sendable>: Sendable {
  /// The next value.
  case value(Value)
  /// The number of values, at least 1, that were dropped just before the next one, because the consumer was slower than the
  /// engine for longer than the buffer lasts. In a conflated buffer: values of the next one's symbol. As the last element of a
  /// stream: values that were dropped after the last one.
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

/// The counts of a stream so far. Once a consumer has read to the end, `produced == delivered + dropped`.
public struct StreamStatistics: Sendable, Hashable {
  /// Values that the engine produced for this stream.
  public let produced: UInt64
  /// Values that left the buffer for the consumer.
  public let delivered: UInt64
  /// Values that the buffer dropped.
  public let dropped: UInt64

  /// Values in the buffer; 0 also when the counts are of moments at which more had left it than had been counted in.
  public var waiting: UInt64 { produced - min(produced, delivered + dropped) }

  package init(produced: UInt64, delivered: UInt64, dropped: UInt64) {
    self.produced = produced
    self.delivered = delivered
    self.dropped = dropped
  }
}

/// The value that a full buffer drops.
public enum BufferOverflow: Sendable, Hashable {
  /// The oldest waiting value makes room for the new one.
  case dropOldest
  /// The new value is dropped.
  case dropNewest
  /// A new value replaces the waiting one of the same symbol: a consumer that is too slow receives fresh values, one per symbol.
  case conflate
}

/// The buffering of values between the engine and the consumer.
public enum StreamBuffering: Sendable, Hashable {
  /// The range of capacities, in values.
  static let capacities = 1...1_048_576

  /// One native callback and one asynchronous element per value, with a buffer of `capacity` (1 to 1,048,576) values that drops
  /// the oldest. For up to about a thousand values per second.
  case perValue(capacity: Int = 1_024)
  /// A ring buffer of `capacity` (1 to 1,048,576) values on the native side, which the consumer drains in batches after one
  /// callback. With ``BufferOverflow/conflate`` it has one place per symbol at any capacity. For any rate.
  case batched(capacity: Int = 65_536, overflow: BufferOverflow = .dropOldest)
}
