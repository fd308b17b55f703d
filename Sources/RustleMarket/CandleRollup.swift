/// Makes candles of days, weeks, sessions or intervals within them from those of ``MarketCalendar/step``.
///
/// ```swift
/// var days = CandleRollup(.day, in: try MarketCalendar(zone: "America/New_York"))
/// for await case .value(let minute) in try await feed.candles(every: MarketCalendar.step) {
///   if let day = days.add(minute) { print(day.start, day.close) }
/// }
/// for day in days.finish() { print(day.start, day.close) }
/// ```
public struct CandleRollup: Sendable {
  /// The period of a candle.
  public let period: MarketCalendar.Period
  /// The calendar.
  public let calendar: MarketCalendar
  /// Trades outside of the sessions, which no candle has.
  public private(set) var outsideCount: UInt64 = 0
  private var open: [String: Candle] = [:]
  private var turnover: [String: Double] = [:]

  /// Creates a roll-up without candles.
  public init(_ period: MarketCalendar.Period, in calendar: MarketCalendar) {
    (self.period, self.calendar) = (period, calendar)
  }

  /// Adds a candle to that of its period. Those of a symbol come in the order of their times.
  ///
  /// - Returns: the candle of the previous period of its symbol, which the given one closes; nil when it closes none.
  public mutating func add(_ candle: Candle) -> Candle? {
    let symbol = candle.symbol
    if let begun = open[symbol], (begun.start..<begun.end).contains(candle.start), isInSession(candle.start) {
      turnover[symbol, default: 0] += candle.turnover
      open[symbol] = begun.adding(candle, turnover: turnover[symbol] ?? 0)
      return nil
    }
    guard let bounds = calendar.bounds(of: candle.start, period) else {
      outsideCount += candle.tradeCount
      return nil
    }
    let closed = open[symbol]
    turnover[symbol] = candle.turnover
    open[symbol] = candle.with(bounds)
    return closed
  }

  /// Whether a time within a period is one of its sessions': a week has times between them.
  private func isInSession(_ time: Timestamp) -> Bool {
    period != .week || calendar.session == nil || calendar.bounds(of: time, .day) != nil
  }

  /// Returns the open candles, in the order of their times and symbols, and begins anew.
  public mutating func finish() -> [Candle] {
    defer { (open, turnover) = ([:], [:]) }
    return open.values.sorted { ($0.start, $0.symbol) < ($1.start, $1.symbol) }
  }
}

extension Candle {
  fileprivate var turnover: Double { (vwap ?? 0) * volume }

  fileprivate func with(_ bounds: Range<Timestamp>) -> Self {
    Self(
      symbol: symbol, start: bounds.lowerBound, end: bounds.upperBound, open: open, high: high, low: low, close: close,
      exactVolume: exactVolume, volume: volume, vwap: vwap, tradeCount: tradeCount)
  }

  /// This candle and a later one of the same period.
  fileprivate func adding(_ later: Self, turnover: Double) -> Self {
    let exact = exactVolume.flatMap { sum in later.exactVolume.flatMap(sum.adding) }
    let volume = exact?.doubleValue ?? volume + later.volume
    return Self(
      symbol: symbol, start: start, end: end, open: open, high: max(high, later.high), low: min(low, later.low),
      close: later.close, exactVolume: exact, volume: volume, vwap: volume == 0 ? nil : turnover / volume,
      tradeCount: tradeCount + later.tradeCount)
  }
}
