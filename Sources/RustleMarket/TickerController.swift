package import RustleCore

/// A ticker: streams the prices of any number of lists of symbols, from one native engine.
///
/// ```swift
/// let ticker = try TickerController()
/// for await update in try await ticker.prices(for: ["BTC", "ETH"]) {
///   print(update.symbol, update.price)
/// }
/// ```
///
/// A stream ends, and its native session with it, when its consumer leaves the loop, when the consuming task is
/// cancelled, when the stream is dropped, when the ticker is dropped, and by ``cancel()`` and ``shutDown()``.
///
/// The actor is the one owner of the native handle. Every call that starts or ends something goes through the actor, one
/// at a time, so that a start cannot slip between a shutdown's flag and its wait; the handle itself never leaves it.
///
/// `cancel()` is explicit because dropping a stream can only ask for the end: a deinitialiser cannot wait. A caller that has
/// to know that no callback runs any more, to take down what the callbacks use, needs something to await.
public actor TickerController: PriceSource {
  /// Elements that a stream holds for a consumer that is behind; the oldest are dropped beyond that.
  public static let defaultBufferCapacity = 1_024

  private let ticker: NativeTicker
  private var streams: [LiveStream] = []
  private var ended = TickerStatistics(produced: 0, dropped: 0)

  private struct LiveStream {
    let session: NativeSession
    let adapter: PriceStreamAdapter
  }

  /// A ticker on the threads that all engines of the process share. Nothing runs until a stream is asked for.
  ///
  /// - Throws: ``TickerError`` with the code ``TickerError/Code/rateOutOfRange``, or
  ///   ``TickerError/Code/archiveMismatch``.
  public init(configuration: TickerConfiguration = TickerConfiguration()) throws(TickerError) {
    try self.init(configuration: configuration, runtime: nil)
  }

  /// A ticker on a runtime of the caller's.
  package init(configuration: TickerConfiguration, runtime: NativeRuntime?) throws(TickerError) {
    do {
      ticker = try NativeTicker(
        updatesPerSecond: configuration.updatesPerSecond, seed: configuration.seed,
        updateLimit: configuration.updateLimit, runtime: runtime)
    } catch {
      throw TickerError(error)
    }
  }

  /// Streams the prices of `symbols`: the first update of the first symbol at once, the others in turns.
  ///
  /// The stream is for one consumer. One that is slower than the stream loses the oldest updates once
  /// ``defaultBufferCapacity`` wait; ``statistics`` counts them and the numbers of the updates show the hole.
  ///
  /// - Parameter symbols: 1 to 100,000 distinct names of 1 to 32 bytes, without white space and control characters.
  /// - Throws: ``TickerError``, whose code tells the faults apart; nothing was started then.
  public func prices(for symbols: [String]) throws(TickerError) -> AsyncStream<PriceUpdate> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PriceUpdate.self, bufferingPolicy: .bufferingNewest(Self.defaultBufferCapacity))
    let adapter = PriceStreamAdapter(symbols: symbols, continuation: continuation)
    let session: NativeSession
    do {
      session = try ticker.start(symbols: symbols, receiver: adapter)
    } catch {
      throw TickerError(error)
    }
    // By number: a reference would keep the session alive for as long as somebody holds the stream. Cancelling sets a flag
    // and takes no lock of ours, so that it does not matter who is calling.
    continuation.onTermination = { [id = session.id] _ in id.cancel() }
    forgetReleased()
    streams.append(LiveStream(session: session, adapter: adapter))
    return stream
  }

  /// Ends every stream and returns when all have ended: no native callback of theirs runs after that, and updates that
  /// wait in their buffers can still be read. It waits also when the calling task is cancelled, and does nothing when
  /// nothing runs. New streams can be asked for at any time.
  public func cancel() async {
    // The list is kept until the sessions are over, so that a second caller waits for them as well.
    let ending = streams
    for stream in ending { stream.session.cancel() }
    for stream in ending { await stream.session.released() }
    forgetReleased()
  }

  /// Ends every stream like ``cancel()``, and refuses new ones from now on.
  public func shutDown() async {
    ticker.shutDown()
    await cancel()
  }

  /// What went through the streams of this ticker so far, ended ones included.
  public var statistics: TickerStatistics { streams.reduce(ended) { $0 + $1.adapter.statistics } }

  /// The number of streams that have not ended.
  public var liveStreamCount: Int { streams.count { !$0.session.isReleased } }

  private func forgetReleased() {
    for stream in streams where stream.session.isReleased { ended = ended + stream.adapter.statistics }
    streams.removeAll { $0.session.isReleased }
  }
}
