/// An actor that gives streams away, each of which is a session of its one native engine: how they end, and what went through
/// them.
///
/// An engine says which streams there are and how the native side refuses more; the rest is the same for all.
public protocol StreamEngine: Actor {
  /// The streams that it has given away.
  var streams: EngineStreams { get }

  /// Has the native side refuse new streams and end those that run, without waiting for their end: the first half of
  /// ``shutDown()``.
  func refuseStreams()

  /// Ends every stream like ``cancel()``, and refuses new ones from now on.
  func shutDown() async
}

extension StreamEngine {
  /// Ends every stream and returns when all have ended: no native callback of theirs runs after that, and what waits can still be
  /// read. It waits also when the calling task is cancelled, and does nothing when nothing runs. New streams can be asked for at
  /// any time.
  public func cancel() async {
    // The table keeps what ends until it has ended, so that a second caller waits for it as well.
    let ending = streams.table
    await ending.endAll()
    streams.table.forgetSettled()
  }

  /// Ends every stream like ``cancel()``, and refuses new ones from now on.
  public func shutDown() async {
    refuseStreams()
    await cancel()
  }

  /// Starts a stream and keeps count of it.
  ///
  /// - Throws: what the native side refuses, as the domain's error.
  package func started<Value, Refusal: NativeCodedError>(
    orThrow refusal: Refusal.Type, _ start: () throws(NativeError) -> EngineStream<Value>
  ) throws(Refusal) -> EngineStream<Value> {
    let stream = try refusal.rethrowing(start)
    streams.add(stream)
    return stream
  }

  /// What went through the streams so far, ended ones included.
  public var statistics: StreamStatistics { streams.table.statistics }

  /// The number of streams that have not ended.
  public var liveStreamCount: Int { streams.table.liveCount }
}

/// The streams that a ``StreamEngine`` has given away; the engine's alone.
public final class EngineStreams {
  fileprivate(set) var table = StreamTable()

  /// None yet.
  package init() {}

  /// Adds a stream.
  package func add<Value>(_ stream: EngineStream<Value>) { table.add(StreamMonitor(stream)) }

  /// Adds a stream that a monitor stands for.
  package func add(_ monitor: StreamMonitor) { table.add(monitor) }
}
