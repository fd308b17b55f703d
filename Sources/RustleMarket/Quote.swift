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
