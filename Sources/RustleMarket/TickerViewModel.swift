public import Observation
internal import RustleCore

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
  @ObservationIgnored private let runs = Runs()

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
    let run = runs.overtake()
    await endStream()
    guard run == runs.newest else { return }
    prices = [:]
    error = nil
    do {
      let source = try self.source ?? makeSource()
      self.source = source
      let stream = try await source.prices(for: symbols)
      // Overtaken while it waited: the stream is dropped here, which ends it.
      guard run == runs.newest else { return }
      isRunning = true
      runs.perform(run) { [weak self] in
        for await update in stream {
          guard let self else { return }
          self.prices[update.symbol] = update
        }
        self?.streamEnded(run)
      }
    } catch let refusal as TickerError {
      if run == runs.newest { error = refusal }
      // A ticker that failed or was shut down refuses for ever: the next start makes another one.
      if refusal.code == .poisoned || refusal.code == .shutDown { source = nil }
    } catch {
      // Both calls above throw nothing else.
    }
  }

  /// Ends the stream and returns when it has ended; the prices stay. Does nothing when nothing runs.
  public func stop() async {
    runs.overtake()
    await endStream()
  }

  private func endStream() async {
    isRunning = false
    await runs.finished { [source] in await source?.cancel() }
  }

  private func streamEnded(_ run: Runs.Run) {
    if run == runs.newest { isRunning = false }
  }
}
