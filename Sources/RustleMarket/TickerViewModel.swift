public import Observation
internal import RustleCore

/// The state of a ticker for a view: the newest update of each symbol.
///
/// It is isolated to the main actor and reads any ``PriceSource``.
@MainActor
@Observable
public final class TickerViewModel {
  /// The newest update of each symbol that has had one since the last start.
  public private(set) var prices: [String: PriceUpdate] = [:]
  /// Whether the model is started and reads its source.
  public private(set) var isRunning = false
  /// The error that refused the last start; nil if it was not refused.
  public private(set) var error: TickerError?

  @ObservationIgnored private let makeSource: @Sendable () throws(TickerError) -> any PriceSource
  @ObservationIgnored private var source: (any PriceSource)?
  @ObservationIgnored private let runs = Runs()

  /// Creates a model of a native ticker.
  public convenience init(configuration: TickerConfiguration = TickerConfiguration()) {
    self.init { () throws(TickerError) in try TickerController(configuration: configuration) }
  }

  /// Creates a model of another source, such as a scripted one in tests and previews.
  public convenience init(source: any PriceSource) {
    self.init { () throws(TickerError) in source }
  }

  private init(makeSource: @escaping @Sendable () throws(TickerError) -> any PriceSource) {
    self.makeSource = makeSource
  }

  /// Streams the prices of `symbols`, replacing the previous stream. Returns once the stream runs or was refused; a rejection is
  /// shown in ``error``.
  public func start(symbols: [String]) async {
    // Counted before the first wait, during which a newer call may come.
    let run = runs.overtake()
    await endStream()
    guard run == runs.newest else { return }
    prices = [:]
    error = nil
    do {
      let source = try self.source ?? makeSource()
      self.source = source
      let stream = try await source.prices(for: symbols)
      // Replaced while it waited: the stream is dropped here, which ends it.
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
      // A ticker that failed or was shut down refuses every start: the next one creates another ticker.
      if refusal.code == .poisoned || refusal.code == .shutDown { source = nil }
    } catch {
      // Neither call above throws anything else.
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
