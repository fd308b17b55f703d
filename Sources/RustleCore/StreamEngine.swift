/// An actor whose streams are sessions of its one native engine, with their end and their counts.
public protocol StreamEngine: Actor {
  /// Ends every stream and returns when all have ended: none of their native callbacks runs after that, and buffered values can
  /// still be read. A cancelled task waits too. The call does nothing when nothing runs. New streams can be started at any time.
  func cancel() async

  /// Ends every stream like ``cancel()``, and refuses new ones from then on.
  func shutDown() async

  /// The counts of all streams so far, ended ones included.
  var statistics: StreamStatistics { get }

  /// The number of streams that have not ended.
  var liveStreamCount: Int { get }
}

/// What an engine provides: its streams and the native side's rejection of further ones. The rest is shared.
package protocol NativeStreamEngine: StreamEngine {
  /// The streams that the engine has returned.
  var streams: EngineStreams { get }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end: the first half of
  /// ``shutDown()``.
  func refuseStreams()
}

extension NativeStreamEngine {
  /// Ends every stream and returns when all have ended.
  public func cancel() async {
    // The table keeps streams until they have ended, so that a second caller waits for them as well.
    let ending = streams.table
    await ending.endAll()
    streams.table.forgetSettled()
  }

  /// Ends every stream like ``cancel()``, and refuses new ones from then on.
  public func shutDown() async {
    refuseStreams()
    await cancel()
  }

  /// Starts a stream and adds it to the engine's streams.
  ///
  /// - Throws: the native side's error, as the domain's error.
  package func started<Value, Refusal: NativeCodedError>(
    orThrow refusal: Refusal.Type, _ start: () throws(NativeError) -> EngineStream<Value>
  ) throws(Refusal) -> EngineStream<Value> {
    let stream = try refusal.rethrowing(start)
    streams.add(stream)
    return stream
  }

  /// The counts of all streams so far, ended ones included.
  public var statistics: StreamStatistics { streams.table.statistics }

  /// The number of streams that have not ended.
  public var liveStreamCount: Int { streams.table.liveCount }
}

/// The streams that a ``NativeStreamEngine`` has returned, for its own use.
package final class EngineStreams {
  fileprivate(set) var table = StreamTable()

  /// Creates an empty collection.
  package init() {}

  /// Adds a stream.
  package func add<Value>(_ stream: EngineStream<Value>) { table.add(StreamMonitor(stream)) }

  /// Adds a monitor's stream.
  package func add(_ monitor: StreamMonitor) { table.add(monitor) }
}
