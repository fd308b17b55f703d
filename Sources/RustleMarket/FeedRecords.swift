/// A record that a stream of a ``MarketFeed`` delivers. Types of other modules are not delivered.
public protocol FeedRecord: Sendable {}

/// A record of a symbol. A stream of such records can change its symbols while it runs.
public protocol SymbolRecord: FeedRecord {}

/// A trade of one symbol, or its bid and ask (``quote``), as its source reported them.
public struct Trade: SymbolRecord, Hashable, Codable {
  /// The symbol.
  public let symbol: String
  /// The price, with every digit of its text; of a message with a quote alone the middle of it.
  public let price: ExactDecimal
  /// The size; 0 when the source has none.
  public let size: ExactDecimal
  /// The time of the trade; that of its arrival when the source has none.
  public let time: Timestamp
  /// The source's sequence number, counted for each symbol; nil when it has none.
  public let sequence: UInt64?
  /// The sequence gap: how many of the symbol's numbers did not arrive just before this trade. Values that this consumer's buffer
  /// dropped are reported as ``StreamElement/gap(_:)`` instead.
  public let sequenceGap: UInt64
  /// Whether a trade of its symbol with a higher number came before.
  public let isOutOfOrder: Bool
  /// The side of the taker; nil when the source has none.
  public let side: TradeSide?
  /// The best bid and ask, with their sizes; nil when the source does not report them.
  public let quote: Quote?

  /// Creates a trade.
  public init(
    symbol: String, price: ExactDecimal, size: ExactDecimal = .zero, time: Timestamp, sequence: UInt64? = nil,
    sequenceGap: UInt64 = 0, isOutOfOrder: Bool = false, side: TradeSide? = nil, quote: Quote? = nil
  ) {
    self.symbol = symbol
    self.price = price
    self.size = size
    self.time = time
    self.sequence = sequence
    self.sequenceGap = sequenceGap
    self.isOutOfOrder = isOutOfOrder
    self.side = side
    self.quote = quote
  }
}

/// The trades of one symbol in one interval.
public struct Candle: SymbolRecord, Hashable, Codable {
  /// The symbol.
  public let symbol: String
  /// The start of the interval, a multiple of it since 1970.
  public let start: Timestamp
  /// The end of the interval, which is no part of it.
  public let end: Timestamp
  /// The price of the earliest trade.
  public let open: ExactDecimal
  /// The highest price.
  public let high: ExactDecimal
  /// The lowest price.
  public let low: ExactDecimal
  /// The price of the latest trade.
  public let close: ExactDecimal
  /// The sum of the sizes, exact; nil when it has more than 18 digits, which ``volume`` rounds.
  public let exactVolume: ExactDecimal?
  /// The sum of the sizes, rounded to the nearest double.
  public let volume: Double
  /// The mean price, weighted by size; nil without sizes.
  public let vwap: Double?
  /// The number of trades, at least 1.
  public let tradeCount: UInt64
}

/// The price statistics of one symbol over a sliding window.
public struct PriceStatistics: SymbolRecord, Hashable, Codable {
  /// The symbol.
  public let symbol: String
  /// The time of the newest trade, at which the window ends.
  public let time: Timestamp
  /// The number of trades in the window, at least 1.
  public let tradeCount: UInt64
  /// The mean price, not weighted by size.
  public let mean: Double
  /// The sample variance of the prices; 0 for one trade.
  public let variance: Double
  /// The lowest price.
  public let lowest: ExactDecimal
  /// The highest price.
  public let highest: ExactDecimal
  /// The oldest price in the window.
  public let first: ExactDecimal
  /// The newest price in the window.
  public let last: ExactDecimal

  /// The square root of ``variance``.
  public var standardDeviation: Double { variance.squareRoot() }
  /// The difference of the last price and the first.
  public var change: Double { last.doubleValue - first.doubleValue }
  /// ``change`` divided by the magnitude of the first price; not finite when that is 0.
  public var relativeChange: Double { last.relativeChange(since: first) }
}

/// A price level at which an alert fires.
public struct PriceThreshold: Sendable, Hashable, Codable {
  /// The side of the level on which it fires.
  public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
    /// At the level or above.
    case above
    /// At the level or below.
    case below
  }

  /// The symbol; it may appear later.
  public var symbol: String
  /// The side of the level on which it fires.
  public var direction: Direction
  /// The level.
  public var level: ExactDecimal
  /// The distance that the price has to exceed on the other side of the level before the alert fires again; 0 or above.
  public var hysteresis: ExactDecimal

  /// Creates a threshold, which is checked when alerts are requested.
  public init(symbol: String, _ direction: Direction, _ level: ExactDecimal, hysteresis: ExactDecimal = .zero) {
    self.symbol = symbol
    self.direction = direction
    self.level = level
    self.hysteresis = hysteresis
  }
}

extension PriceThreshold: LosslessStringConvertible {
  /// Parses `BTC>70000`, `ETH<3000`, with an optional `=` after the sign, and with a hysteresis: `BTC>70000~250`; nil for any
  /// other text.
  public init?(_ description: String) {
    guard let match = description.wholeMatch(of: /(.+)([<>])=?([^<>~]+)(?:~(.*))?/),
      let level = ExactDecimal(match.3),
      let hysteresis = match.4.map({ ExactDecimal($0) }) ?? .zero, hysteresis >= .zero
    else { return nil }
    self.init(symbol: String(match.1), match.2 == ">" ? .above : .below, level, hysteresis: hysteresis)
  }

  /// The text that ``init(_:)`` parses: `BTC>=70000~250`, without a hysteresis of 0.
  public var description: String {
    "\(symbol)\(direction == .above ? ">" : "<")=\(level)" + (hysteresis == .zero ? "" : "~\(hysteresis)")
  }
}

/// An alert that fired.
public struct PriceAlert: SymbolRecord, Hashable, Codable {
  /// The threshold that was reached.
  public let threshold: PriceThreshold
  /// The threshold's index in the requested list.
  public let index: Int
  /// The price that reached it.
  public let price: ExactDecimal
  /// The time of the trade that reached it.
  public let time: Timestamp

  /// The alert in words: `BTC 70,000.10 is at or above 70,000.0`.
  public var text: String {
    let side = threshold.direction == .above ? "at or above" : "at or below"
    return "\(threshold.symbol) \(price.grouped()) is \(side) \(threshold.level.grouped())"
  }
}

/// An event of a feed's source.
public struct FeedNotice: FeedRecord, Hashable {
  /// The kind of an event.
  public enum Kind: Sendable, Hashable {
    /// An attempt to connect is under way.
    case connecting
    /// The connection is established.
    case connected
    /// The connection was refused or lost; the next attempt follows after this duration, a whole number of milliseconds.
    case disconnected(retryAfter: Duration)
    /// A message, by its number from 0, was malformed and skipped.
    case malformed(message: UInt64)
    /// A message exceeded the size limit and was skipped, after this number of messages.
    case oversized(messages: UInt64)
    /// The source has ended: normally, or for the reason in the text.
    case closed
    /// Another event, which the text describes.
    case other
  }

  /// The kind of the event.
  public let kind: Kind
  /// The time of the event.
  public let time: Timestamp
  /// The reason or the address, at most 104 bytes, for display.
  public let text: String
}

/// The counts of a feed's source so far. A message yields trades, or is in one of the counts from ``malformed`` to ``others``.
public struct FeedCounts: Sendable, Hashable {
  /// Bytes read.
  public let bytes: UInt64
  /// Lines or messages read, without empty ones.
  public let messages: UInt64
  /// Trades delivered to the consumers.
  public let trades: UInt64
  /// Malformed messages.
  public let malformed: UInt64
  /// Messages longer than the limit.
  public let oversized: UInt64
  /// Messages that are not trades: heartbeats, acknowledgements.
  public let others: UInt64
  /// The number of sequence gaps, not of the numbers in them.
  public let gaps: UInt64
  /// Sequence numbers in gaps, those that arrived later included.
  public let sequenceNumbersInGaps: UInt64
  /// Trades whose sequence number had come before; they are left out.
  public let duplicates: UInt64
  /// Trades that came after one of their symbol with a higher sequence number.
  public let outOfOrder: UInt64
  /// Connections made, the first included.
  public let connections: UInt64
  /// Connections lost or refused.
  public let disconnections: UInt64
  /// Messages that the connection's queue dropped because the feed read too slowly, or that came after they had been reported missing;
  /// those with sequence numbers are in gaps as well.
  public let dropped: UInt64
}

/// The best bid and ask of a symbol, with their mid and spread, as a message of a feed has them: ``Trade/quote``.
public struct Quote: Sendable, Hashable, Codable {
  /// The highest price that a buyer offers.
  public let bid: ExactDecimal
  /// The lowest price that a seller asks.
  public let ask: ExactDecimal
  /// The size at the bid; 0 when the source has none.
  public let bidSize: ExactDecimal
  /// The size at the ask; 0 when the source has none.
  public let askSize: ExactDecimal

  /// Creates a quote.
  public init(bid: ExactDecimal, ask: ExactDecimal, bidSize: ExactDecimal = .zero, askSize: ExactDecimal = .zero) {
    (self.bid, self.ask, self.bidSize, self.askSize) = (bid, ask, bidSize, askSize)
  }

  /// The exact middle between bid and ask, with one more digit after the point where it needs one; nil when it has more than 18.
  public var mid: ExactDecimal? { bid.midpoint(to: ask) }

  /// Ask less bid, exact: negative when they are crossed; nil when it has more than 18 digits.
  public var spread: ExactDecimal? { ask.subtracting(bid) }
}

/// The side of the taker, whose order met a waiting one.
public enum TradeSide: String, Sendable, Hashable, Codable, CaseIterable {
  /// The taker bought.
  case buy
  /// The taker sold.
  case sell
}
