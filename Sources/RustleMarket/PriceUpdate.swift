/// A new price of one symbol.
public struct PriceUpdate: Sendable, Hashable, Codable {
  /// The symbol, as requested.
  public let symbol: String
  /// The price in the quote currency; finite and above 0.
  public let price: Double
  /// The time of the update: milliseconds since 1970-01-01T00:00:00Z.
  public let timestampMilliseconds: Int64
  /// The sequence number in the stream, over all symbols: 0, 1, 2 … A missing number means that updates were dropped because
  /// the consumer was slower than the stream for longer than its buffer lasts.
  public let sequence: UInt64

  /// The time of the update.
  public var timestamp: Timestamp { .unixEpoch + .milliseconds(timestampMilliseconds) }

  /// Creates an update.
  public init(symbol: String, price: Double, timestampMilliseconds: Int64, sequence: UInt64) {
    self.symbol = symbol
    self.price = price
    self.timestampMilliseconds = timestampMilliseconds
    self.sequence = sequence
  }
}
