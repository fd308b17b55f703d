/// What a stream of a ``MarketFeed`` delivers. A type of another module cannot be one.
public protocol FeedRecord: Sendable {}

/// A record of a symbol: a stream of such records can change its symbols while it runs.
public protocol SymbolRecord: FeedRecord {}

/// A price of one symbol, as its source told it.
public struct Trade: SymbolRecord, Hashable, Codable {
  /// The symbol.
  public let symbol: String
  /// The price, with every digit of its text.
  public let price: ExactDecimal
  /// The size; 0 when the source tells none.
  public let size: ExactDecimal
  /// When: nanoseconds since 1970-01-01T00:00:00Z. Where the source tells no time, when it came in.
  public let timeNanoseconds: Int64
  /// The source's own number, counted for each symbol; nil when it tells none.
  public let sequence: UInt64?
  /// How many of the symbol's numbers the source skipped just before this one. That is no loss of this consumer's, which is told
  /// as ``StreamElement/gap(_:)``.
  public let sequenceGap: UInt64
  /// Whether a trade of its symbol with a higher number came before.
  public let isOutOfOrder: Bool

  /// A trade as a source makes it.
  public init(
    symbol: String, price: ExactDecimal, size: ExactDecimal = .zero, timeNanoseconds: Int64, sequence: UInt64? = nil,
    sequenceGap: UInt64 = 0, isOutOfOrder: Bool = false
  ) {
    self.symbol = symbol
    self.price = price
    self.size = size
    self.timeNanoseconds = timeNanoseconds
    self.sequence = sequence
    self.sequenceGap = sequenceGap
    self.isOutOfOrder = isOutOfOrder
  }
}

/// The trades of one symbol in one interval.
public struct Candle: SymbolRecord, Hashable, Codable {
  /// The symbol.
  public let symbol: String
  /// Where the interval starts: nanoseconds since 1970-01-01T00:00:00Z, a multiple of the interval.
  public let startNanoseconds: Int64
  /// The price of the earliest trade.
  public let open: ExactDecimal
  /// The highest price.
  public let high: ExactDecimal
  /// The lowest price.
  public let low: ExactDecimal
  /// The price of the latest trade.
  public let close: ExactDecimal
  /// The very sum of the sizes; nil when it has more than 18 digits.
  public let exactVolume: ExactDecimal?
  /// The sum of the sizes.
  public let volume: Double
  /// How many trades it has, at least 1.
  public let count: UInt64
}

/// The prices of one symbol's last while.
public struct PriceStatistics: SymbolRecord, Hashable, Codable {
  /// The symbol.
  public let symbol: String
  /// Where the window ends: nanoseconds since 1970-01-01T00:00:00Z.
  public let timeNanoseconds: Int64
  /// How many trades are in the window, at least 1.
  public let count: UInt64
  /// The mean price, each trade counting the same.
  public let mean: Double
  /// The sample variance of the prices; 0 for one trade.
  public let variance: Double
  /// The lowest price.
  public let lowest: ExactDecimal
  /// The highest price.
  public let highest: ExactDecimal
  /// The oldest price in the window.
  public let first: ExactDecimal
  /// The newest.
  public let last: ExactDecimal

  /// The square root of ``variance``.
  public var standardDeviation: Double { variance.squareRoot() }
  /// From the first price to the last.
  public var change: Double { last.doubleValue - first.doubleValue }
  /// ``change`` as a share of the size of the first price; not finite when that is 0.
  public var relativeChange: Double { last.relativeChange(since: first) }
}

/// A price that a consumer of alerts watches for.
public struct PriceThreshold: Sendable, Hashable, Codable {
  /// On which side of the level it fires.
  public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
    /// At the level or above.
    case above
    /// At the level or below.
    case below
  }

  /// Whose price; it need not be known yet.
  public var symbol: String
  /// On which side it fires.
  public var direction: Direction
  /// The level.
  public var level: ExactDecimal
  /// How far beyond the level, on the other side, the price has to go before it fires again; 0 or above.
  public var hysteresis: ExactDecimal

  /// A threshold; it is checked when alerts are asked for.
  public init(symbol: String, _ direction: Direction, _ level: ExactDecimal, hysteresis: ExactDecimal = .zero) {
    self.symbol = symbol
    self.direction = direction
    self.level = level
    self.hysteresis = hysteresis
  }
}

/// An alert that fired.
public struct PriceAlert: SymbolRecord, Hashable, Codable {
  /// The threshold that was reached.
  public let threshold: PriceThreshold
  /// Its place in the list that the alerts were asked for with.
  public let index: Int
  /// The price that reached it.
  public let price: ExactDecimal
  /// When: nanoseconds since 1970-01-01T00:00:00Z.
  public let timeNanoseconds: Int64
}

/// Something that happened to a feed's source.
public struct FeedNotice: FeedRecord, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// A connection is being made.
    case connecting
    /// A connection stands.
    case connected
    /// The connection was refused or lost; so many milliseconds pass before the next attempt.
    case disconnected(retryMilliseconds: UInt64)
    /// A message, by its number from 0, could not be understood. The stream goes on.
    case malformed(message: UInt64)
    /// A message was longer than the bound, and was skipped; so many messages were read.
    case oversized(messages: UInt64)
    /// The source is over: by itself, or for the reason in the text.
    case closed
    /// A kind that this version does not know.
    case other
  }

  /// What happened.
  public let kind: Kind
  /// When: nanoseconds since 1970-01-01T00:00:00Z.
  public let timeNanoseconds: Int64
  /// The reason or the place, at most 104 bytes, for people to read.
  public let text: String
}

/// What a feed's source met with so far. A message gives trades, or is in one of the counts from ``malformed`` to ``others``.
public struct FeedCounts: Sendable, Hashable {
  /// Bytes read.
  public let bytes: UInt64
  /// Lines or messages read, empty ones aside.
  public let messages: UInt64
  /// Trades handed to the consumers.
  public let trades: UInt64
  /// Messages that could not be understood.
  public let malformed: UInt64
  /// Messages longer than the bound.
  public let oversized: UInt64
  /// Messages that are no trades: heartbeats, acknowledgements.
  public let others: UInt64
  /// How many times numbers of a symbol were skipped.
  public let gaps: UInt64
  /// How many numbers were skipped, those that came later included.
  public let skippedNumbers: UInt64
  /// Trades whose number had come before; they are left out.
  public let duplicates: UInt64
  /// Trades that came after one of their symbol with a higher number.
  public let outOfOrder: UInt64
  /// Connections made, the first included.
  public let connections: UInt64
  /// Connections that were lost or refused.
  public let disconnections: UInt64
}
