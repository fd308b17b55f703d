internal import RustleCore

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

/// A source that streams prices: the native ``TickerController``, or a scripted one in tests.
public protocol PriceSource: Sendable {
  /// Streams the prices of `symbols` until the stream is dropped, its consumer's task is cancelled, or ``cancel()``.
  func prices(for symbols: [String]) async throws(TickerError) -> AsyncStream<PriceUpdate>

  /// Ends every stream of this source, and returns when they have ended.
  func cancel() async
}

extension PriceUpdate {
  init(_ price: NativePriceUpdate, symbols: [String]) {
    self.init(
      symbol: symbols[price.symbol], price: price.price, timestampMilliseconds: price.timestampMilliseconds,
      sequence: price.sequence)
  }
}

extension ElementReader where Native == NativePriceUpdate, Value == PriceUpdate {
  /// - Parameter symbols: the list with which the session is started.
  init(symbols: [String]) {
    self.init(
      value: { PriceUpdate($0, symbols: symbols) },
      append: { prices, buffer in
        for index in prices.indices {
          let price = prices[index]
          if price.gap > 0 { buffer.append(.gap(price.gap)) }
          buffer.append(.value(PriceUpdate(price, symbols: symbols)))
        }
      })
  }
}
