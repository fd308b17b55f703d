public import Observation

/// The state of a ticker for a view: the newest update of each symbol.
///
/// It lives on the main actor; the prices come from whatever ``PriceSource`` it is given.
@MainActor
@Observable
public final class TickerViewModel {
  /// The newest update of each symbol that has had one since the last start.
  public private(set) var prices: [String: PriceUpdate] = [:]
  /// Whether a stream runs.
  public private(set) var isRunning = false
  /// Why the last start was refused; nil when it was not.
  public private(set) var error: TickerError?

  @ObservationIgnored private let makeSource: @Sendable () throws(TickerError) -> any PriceSource
  @ObservationIgnored private var source: (any PriceSource)?
  @ObservationIgnored private var consumer: Consumer?
  /// Counts starts and stops, so that what a start did is dropped when another call overtook it.
  @ObservationIgnored private var generation = 0
  /// What the calls before have still to end. Each waits for the one before it: an end that comes late finds no newer stream.
  @ObservationIgnored private var ending: Task<Void, Never>?

  /// A model over a native ticker.
  public convenience init(configuration: TickerConfiguration = TickerConfiguration()) {
    self.init { () throws(TickerError) in try TickerController(configuration: configuration) }
  }

  /// A model over another source: a scripted one, in tests and previews.
  public convenience init(source: any PriceSource) {
    self.init { () throws(TickerError) in source }
  }

  private init(makeSource: @escaping @Sendable () throws(TickerError) -> any PriceSource) {
    self.makeSource = makeSource
  }

  /// Streams the prices of `symbols`, in place of what ran before. Returns once the stream runs or was refused; a refusal
  /// is shown in ``error``.
  public func start(symbols: [String]) async {
    // Counted before the first wait: a call that is made during it is the newer one.
    generation += 1
    let mine = generation
    await endStream()
    guard mine == generation else { return }
    prices = [:]
    error = nil
    do {
      let source = try self.source ?? makeSource()
      self.source = source
      let stream = try await source.prices(for: symbols)
      // Overtaken while it waited: the stream is dropped here, which ends it.
      guard mine == generation else { return }
      isRunning = true
      consumer = Consumer { [weak self] in
        for await update in stream {
          guard let self else { return }
          self.prices[update.symbol] = update
        }
        self?.streamEnded(mine)
      }
    } catch let refusal as TickerError {
      if mine == generation { error = refusal }
      // A ticker that failed or was shut down refuses for ever: the next start makes another one.
      if refusal.code == .poisoned || refusal.code == .shutDown { source = nil }
    } catch {
      // Both calls above throw nothing else.
    }
  }

  /// Ends the stream and returns when it has ended; the prices stay. Does nothing when nothing runs.
  public func stop() async {
    generation += 1
    await endStream()
  }

  private func endStream() async {
    isRunning = false
    let (before, stream, source) = (ending, consumer, source)
    consumer = nil
    stream?.task.cancel()
    let mine = Task {
      await before?.value
      await source?.cancel()
      await stream?.task.value
    }
    ending = mine
    await mine.value
  }

  private func streamEnded(_ ended: Int) {
    if ended == generation { isRunning = false }
  }

  /// The task that reads the stream; it is cancelled when the model goes.
  private final class Consumer {
    let task: Task<Void, Never>

    init(_ operation: @escaping @MainActor () async -> Void) { task = Task { await operation() } }

    deinit { task.cancel() }
  }
}
