internal import Foundation
internal import Rustle
internal import StudioCore

/// The prices of one source, for as long as they run: the newest of each symbol, candles, and alerts.
@MainActor
final class Prices {
  /// Where prices come from.
  enum Source: Sendable, Hashable {
    case simulated
    case live(FeedAddress)
    case replay(path: String)

    /// The name in messages.
    var id: String {
      switch self {
      case .simulated: "simulated"
      case .live: "live"
      case .replay: "replay"
      }
    }

    /// The name for a person.
    var name: String {
      switch self {
      case .simulated: "Simulated"
      case .live(let address): "Live: \(address)"
      case .replay(let path): "Recording: \(URL(filePath: path).lastPathComponent)"
      }
    }
  }

  /// What is streamed.
  struct Settings: Sendable, Hashable {
    var source = Source.simulated
    /// Empty: all, of a source that is not simulated.
    var symbols = ["BTC", "ETH", "SOL"]
    /// Updates per second of each simulated symbol.
    var rate = 2.0
    /// The seconds of a candle.
    var interval = 5

    fileprivate var configuration: FeedConfiguration {
      switch source {
      case .simulated: .simulated(SimulatedFeed(symbols: symbols, updatesPerSecond: rate))
      case .live(let address): .live(LiveFeed(address))
      case .replay(let path): .replay(ReplayFeed(path: path))
      }
    }
  }

  /// The seconds that a candle may have.
  static let intervals = [1, 5, 15, 60, 300]
  /// The candles that are kept of a symbol.
  private static let candleLimit = 120
  /// The alerts that are kept.
  private static let alertLimit = 20

  /// The sources to choose from.
  let sources: [Source]
  private(set) var settings = Settings()
  private(set) var thresholds: [PriceThreshold] = []
  private(set) var alerts: [PriceAlert] = []
  private(set) var isRunning = false
  /// The state of a live source's connection.
  private(set) var connection = FeedConnection.idle
  /// Is called when the state has changed by itself.
  var onChange: @MainActor () -> Void = {}

  private let hub: Hub
  private var feed: MarketFeed?
  private var readers: [Task<Void, Never>] = []
  private var watcher: Task<Void, Never>?
  private var candles: [String: [Candle]] = [:]
  private var table: PriceTable?

  /// - Parameter sources: what to offer besides simulated prices.
  init(hub: Hub, sources: [Source]) { (self.hub, self.sources) = (hub, [.simulated] + sources) }

  /// Streams prices, in place of those before, which go on if these are refused.
  func start(_ settings: Settings) async throws(FeedError) {
    let feed = try MarketFeed(settings.configuration)
    let symbols: FeedSymbols = settings.symbols.isEmpty ? .all : .only(settings.symbols)
    let trades = try await feed.trades(of: symbols)
    let closed = try await feed.candles(of: symbols, every: .seconds(settings.interval))
    let states = try await feed.connectionStates()
    let fired = thresholds.isEmpty ? nil : try await feed.alerts(at: thresholds)
    await stop()
    (self.settings, self.feed, candles, connection, isRunning) = (settings, feed, [:], .idle, true)
    let table = PriceTable(hub: hub, settings)
    self.table = table
    readers = [
      Task { [weak self] in
        await table.read(trades)
        self?.ended(feed)
      },
      Task { [weak self] in for await element in closed { if let candle = element.value { self?.keep(candle) } } },
      Task { [weak self] in for await element in states { if let state = element.value { self?.show(state) } } },
    ]
    if let fired { watch(fired) }
    do throws(FeedError) {
      try await feed.run()
    } catch {
      await stop()
      throw error
    }
  }

  /// Ends the streams.
  func stop() async {
    let feed = feed
    (self.feed, isRunning) = (nil, false)
    watcher?.cancel()
    await feed?.shutDown()
    for reader in readers { await reader.value }
    readers = []
  }

  /// Reports when prices reach these thresholds, in place of those before, which stay if these are refused.
  func setThresholds(_ thresholds: [PriceThreshold]) async throws(FeedError) {
    if let feed, isRunning, !thresholds.isEmpty { watch(try await feed.alerts(at: thresholds)) }
    if thresholds.isEmpty { watcher?.cancel() }
    self.thresholds = thresholds
  }

  /// The last candles of a symbol, the newest last.
  func candles(of symbol: String) -> [Candle] { candles[symbol] ?? [] }

  /// The newest price of each symbol, how old it was when it came, and how many were missed: for a client that asks when it wants them.
  func newest() async -> JSON {
    let frame = SampleFrame(.prices, sequence: 0, time: 0, payload: await table?.payload() ?? [])
    return ["prices": frame.json["prices"], "lag": frame.json["lag"], "missed": frame.json["missed"]]
  }

  private func watch(_ fired: EngineStream<PriceAlert>) {
    watcher?.cancel()
    watcher = Task { [weak self] in
      for await element in fired {
        guard let self, let alert = element.value, !Task.isCancelled else { continue }
        alerts = alerts.suffix(Self.alertLimit - 1) + [alert]
        onChange()
      }
    }
  }

  private func keep(_ candle: Candle) {
    guard candles[candle.symbol] != nil || candles.count < PriceTable.symbolLimit else { return }
    candles[candle.symbol, default: []].append(candle)
    if candles[candle.symbol, default: []].count > Self.candleLimit { candles[candle.symbol]?.removeFirst() }
    hub.publish(.candles, Self.payload(candles.values.compactMap(\.last).sorted { $0.symbol < $1.symbol }))
  }

  private func show(_ state: FeedConnection) {
    connection = state
    onChange()
  }

  /// The source has ended by itself, unless another one has taken its place.
  private func ended(_ feed: MarketFeed) {
    guard feed === self.feed else { return }
    isRunning = false
    onChange()
  }

  /// The number of candles, then of each: its symbol, after its length in one byte, its start in milliseconds of the Unix epoch, open,
  /// high, low and close, the volume, and the number of trades.
  private static func payload(_ candles: [Candle]) -> [UInt8] {
    var payload: [UInt8] = []
    payload.append(integer: UInt16(candles.count))
    for candle in candles {
      payload.append(text: candle.symbol)
      payload.append(integer: candle.start.nanosecondsSince1970 / 1_000_000)
      for price in [candle.open, candle.high, candle.low, candle.close] { payload.append(number: price.doubleValue) }
      payload.append(number: candle.volume)
      payload.append(integer: candle.tradeCount)
    }
    return payload
  }
}

/// The newest price of each symbol, published no more often than a page is written to: its rows count the others.
actor PriceTable {
  /// The most symbols that are shown.
  static let symbolLimit = 32
  private static let pause = Duration.milliseconds(40)

  private struct Row {
    var trade: Trade
    let first: ExactDecimal
    var received: UInt64
  }

  private let hub: Hub
  private var symbols: [String]
  /// Whether trades come at their time, as those of a recording do not.
  private let isPresent: Bool
  /// How much later than its time the newest trade came, in milliseconds.
  private var lag = Double.nan
  /// The prices that the engine has dropped, as this was slower.
  private var missed: UInt64 = 0
  private var rows: [String: Row] = [:]
  private var published = ContinuousClock.now - pause
  private var isWaiting = false

  init(hub: Hub, _ settings: Prices.Settings) {
    (self.hub, symbols) = (hub, settings.symbols)
    if case .replay = settings.source { isPresent = false } else { isPresent = true }
  }

  /// Reads trades to their end.
  func read<Trades: AsyncSequence & Sendable>(
    _ trades: Trades
  ) async where Trades.Element == StreamElement<Trade>, Trades.Failure == Never {
    for await element in trades {
      switch element {
      case .value(let trade): show(trade)
      case .gap(let count): missed += count
      }
    }
    publish()
  }

  private func show(_ trade: Trade) {
    if isPresent { lag = trade.time.duration(to: .now) / .milliseconds(1) }
    if let row = rows[trade.symbol] {
      rows[trade.symbol] = Row(
        trade: trade.isOutOfOrder ? row.trade : trade, first: row.first, received: row.received + 1)
    } else {
      if !symbols.contains(trade.symbol) {
        guard symbols.count < Self.symbolLimit else { return }
        symbols.append(trade.symbol)
      }
      rows[trade.symbol] = Row(trade: trade, first: trade.price, received: 1)
    }
    guard !isWaiting else { return }
    let left = Self.pause - (ContinuousClock.now - published)
    if left <= .zero {
      publish()
    } else {
      isWaiting = true
      Task {
        try? await Task.sleep(for: left)
        publish()
      }
    }
  }

  private func publish() {
    (published, isWaiting) = (.now, false)
    if !rows.isEmpty { hub.publish(.prices, payload()) }
  }

  /// The number of rows, then of each symbol with a price: its name, after its length in one byte, its price, its change since the start
  /// as a fraction, the time in milliseconds of the Unix epoch, the updates received, and the digits of the price, after their length.
  /// At the end the lag of the newest one in milliseconds, NaN: none; and how many were missed.
  func payload() -> [UInt8] {
    let priced = symbols.compactMap { rows[$0] }
    var payload: [UInt8] = []
    payload.append(integer: UInt16(priced.count))
    for row in priced {
      let change = row.trade.price.doubleValue / row.first.doubleValue - 1
      payload.append(text: row.trade.symbol)
      payload.append(number: row.trade.price.doubleValue)
      payload.append(number: change.isFinite ? change : 0)
      payload.append(integer: row.trade.time.nanosecondsSince1970 / 1_000_000)
      payload.append(integer: row.received)
      payload.append(text: row.trade.price.description)
    }
    payload.append(number: lag)
    payload.append(integer: missed)
    return payload
  }
}
