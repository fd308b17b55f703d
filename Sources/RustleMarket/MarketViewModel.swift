public import Observation
internal import RustleCore

/// The state of a market-data feed for a view: the newest prices, their history, candles, alerts, and the source's state.
@MainActor
@Observable
public final class MarketViewModel {
  /// The newest trade of each symbol that has had one.
  public private(set) var latest: [String: Trade] = [:]
  /// The newest trades of each symbol in the order of arrival, at most ``historyLimit`` of each, without those out of order.
  public private(set) var history: [String: [Trade]] = [:]
  /// The newest closed candles of each symbol, the latest last, at most ``historyLimit`` of each.
  public private(set) var candles: [String: [Candle]] = [:]
  /// The newest alerts, the latest last, at most ``historyLimit``.
  public private(set) var alerts: [PriceAlert] = []
  /// The state of the source's connection: ``FeedConnection/idle`` while a source runs that needs none, and
  /// ``FeedConnection/closed(reason:)`` when it has ended, was stopped, or was refused.
  public private(set) var connection = FeedConnection.idle
  /// The counts of the source, as of the newest delivery of any kind; nil before the first.
  public private(set) var counts: FeedCounts?
  /// Trades that the buffering policy dropped while this model was too slow, or replaced by newer ones.
  public private(set) var droppedTradeCount: UInt64 = 0
  /// Candles dropped because this model was too slow.
  public private(set) var droppedCandleCount: UInt64 = 0
  /// Alerts dropped because this model was too slow.
  public private(set) var droppedAlertCount: UInt64 = 0
  /// A description of the source's last recoverable fault: a malformed message, a lost connection.
  public private(set) var fault: String?
  /// Whether the model runs.
  public private(set) var isRunning = false
  /// The error that refused the last start; nil if it was not refused.
  public private(set) var error: FeedError?
  /// A description of the error that refused the last start or ended the last run early; nil if there was none.
  public private(set) var errorText: String?
  /// The maximum number of trades and candles kept of each symbol, 1 or more.
  public let historyLimit: Int

  @ObservationIgnored private let runs = Runs()

  /// Creates an empty model.
  ///
  /// - Parameter historyLimit: the maximum number of trades and candles kept of each symbol; less than 1 counts as 1.
  public init(historyLimit: Int = 240) { self.historyLimit = max(1, historyLimit) }

  /// The relative change from the oldest price in ``history`` to the newest: 0.01 is one per cent; nil for a symbol without
  /// trades, and for a first price of 0.
  public func change(of symbol: String) -> Double? {
    guard let trades = history[symbol], let first = trades.first, let last = trades.last, first.price != .zero else {
      return nil
    }
    return last.price.relativeChange(since: first.price)
  }

  /// Streams from a source, replacing the previous run. A rejection is shown in ``error``.
  ///
  /// - Parameters:
  ///   - configuration: the source. A recording is opened here.
  ///   - symbols: the symbols of trades and candles.
  ///   - policy: the buffering policy for trades that the model does not take in time.
  ///   - interval: the duration of a candle; nil: no candles.
  ///   - thresholds: the price levels of alerts.
  public func start(
    _ configuration: FeedConfiguration, symbols: FeedSymbols = .all, policy: FeedPolicy = .conflated,
    candlesEvery interval: Duration? = nil, alertsAt thresholds: [PriceThreshold] = []
  ) {
    begin(symbols, policy, interval, thresholds) { () throws(FeedError) in try MarketFeed(configuration) }
  }

  /// Streams from a feed that does not run yet and that the model owns from then on.
  public func start(
    _ feed: MarketFeed, symbols: FeedSymbols = .all, policy: FeedPolicy = .conflated,
    candlesEvery interval: Duration? = nil, alertsAt thresholds: [PriceThreshold] = []
  ) {
    begin(symbols, policy, interval, thresholds) { () throws(FeedError) in feed }
  }

  /// Ends the streams and the source and returns when they have ended; the shown values stay.
  public func stop() async {
    runs.overtake()
    if isRunning { connection = .closed(reason: nil) }
    isRunning = false
    await runs.finished()
  }

  private func begin(
    _ symbols: FeedSymbols, _ policy: FeedPolicy, _ interval: Duration?, _ thresholds: [PriceThreshold],
    _ makeFeed: () throws(FeedError) -> MarketFeed
  ) {
    let run = runs.overtake()
    (latest, history, candles, alerts) = ([:], [:], [:], [])
    (connection, counts, droppedTradeCount, fault) = (.idle, nil, 0, nil)
    (droppedCandleCount, droppedAlertCount) = (0, 0)
    (isRunning, error, errorText) = (true, nil, nil)
    do {
      let feed = try makeFeed()
      runs.perform(run) { [weak self] in
        do throws(FeedError) {
          let trades = try await feed.trades(of: symbols, policy: policy)
          let candles = interval == nil ? nil : try await feed.candles(of: symbols, every: interval ?? .zero)
          let alerts = thresholds.isEmpty ? nil : try await feed.alerts(at: thresholds)
          let notices = try await feed.notices()
          let states = try await feed.connectionStates()
          // A run that was replaced meanwhile does not start its feed.
          if !Task.isCancelled { try await feed.run() }
          let model = Reference(self)
          await withDiscardingTaskGroup { tasks in
            tasks.addTask { await model.follow(trades, of: feed, run) { $0.take($1) } }
            if let candles { tasks.addTask { await model.follow(candles, of: feed, run) { $0.take($1) } } }
            if let alerts { tasks.addTask { await model.follow(alerts, of: feed, run) { $0.take($1) } } }
            tasks.addTask { await model.follow(notices, of: feed, run) { $0.take($1) } }
            tasks.addTask { await model.follow(states, of: feed, run) { $0.take($1) } }
          }
          let counts = try await feed.counts
          self?.ended(run, counts, trades.outcome)
        } catch {
          self?.refused(run, error)
        }
        await feed.shutDown()
      }
    } catch {
      refused(run, error)
    }
  }

  private func take(_ batch: [StreamElement<Trade>]) {
    for element in batch {
      switch element {
      case .gap(let count): droppedTradeCount += count
      case .value(let trade) where trade.isOutOfOrder: break
      case .value(let trade):
        latest[trade.symbol] = trade
        append(trade, to: &history[trade.symbol, default: []])
      }
    }
  }

  func take(_ batch: [StreamElement<Candle>]) {
    for element in batch {
      switch element {
      case .gap(let count): droppedCandleCount += count
      case .value(let candle): append(candle, to: &candles[candle.symbol, default: []])
      }
    }
  }

  func take(_ batch: [StreamElement<PriceAlert>]) {
    for element in batch {
      switch element {
      case .gap(let count): droppedAlertCount += count
      case .value(let alert): append(alert, to: &alerts)
      }
    }
  }

  private func take(_ batch: [StreamElement<FeedNotice>]) {
    for case .value(let notice) in batch {
      switch notice.kind {
      case .malformed, .oversized, .disconnected: fault = notice.text
      default: break
      }
    }
  }

  private func take(_ batch: [StreamElement<FeedConnection>]) {
    for case .value(let state) in batch { connection = state }
  }

  private func append<Value>(_ value: Value, to values: inout [Value]) {
    if values.count >= historyLimit { values.removeFirst(values.count - historyLimit + 1) }
    values.append(value)
  }

  private func ended(_ run: Runs.Run, _ counts: FeedCounts, _ outcome: SessionOutcome?) {
    guard run == runs.newest else { return }
    switch outcome {
    case .failed(let reason), .panicked(let reason): errorText = reason
    case nil, .ended, .cancelled: break
    }
    (self.counts, connection, isRunning) = (counts, .closed(reason: errorText), false)
  }

  private func refused(_ run: Runs.Run, _ error: FeedError) {
    guard run == runs.newest else { return }
    (self.error, errorText, isRunning) = (error, error.message, false)
    connection = .closed(reason: error.message)
  }

  /// A weak reference, so that the tasks that read the streams do not retain the model.
  @MainActor
  private final class Reference {
    private weak var model: MarketViewModel?

    init(_ model: MarketViewModel?) { self.model = model }

    /// - Parameter take: shows a batch.
    func follow<Value>(
      _ stream: EngineStream<Value>, of feed: MarketFeed, _ run: Runs.Run,
      _ take: @escaping @MainActor (MarketViewModel, [StreamElement<Value>]) -> Void
    ) async {
      for await batch in stream.batches(upTo: 1_024) {
        let counts: FeedCounts
        do throws(FeedError) {
          counts = try await feed.counts
        } catch {
          model?.refused(run, error)
          return await feed.refuseStreams()
        }
        guard let model, run == model.runs.newest else { return }
        take(model, batch)
        // Another stream's task may have newer counts.
        if counts.messages &+ counts.trades >= model.counts.map({ $0.messages &+ $0.trades }) ?? 0 {
          model.counts = counts
        }
      }
    }
  }
}
