public import RustleCore

/// A server that gives a feed to other processes, as `rustle ticker --json` writes it.
///
/// ```swift
/// let server = try await feed.serve(on: .tcp("127.0.0.1", port: 0))
/// print(server.address)  // 127.0.0.1:40123
/// await server.untilOver()
/// ```
///
/// It ends when its last reference goes, by ``stop()``, when its feed is shut down or dropped, and by itself when the feed came
/// to its end and each client has read what there was.
public final class FeedServer: Sendable {
  private let server: NativeServer

  /// Where it is: with the port that was found, where none was asked for.
  public let address: FeedAddress

  init(_ server: NativeServer) {
    self.server = server
    address = FeedAddress(server.address)
  }

  /// Something for each time that clients have come or gone, and the end when the server is over. It is for one reader, which
  /// sees several changes at once as one.
  public var changes: AsyncStream<Void> { server.changes }

  /// What went through so far, also after the end.
  public var counts: ServerCounts {
    let counts = server.counts
    return ServerCounts(
      clients: Int(counts.clients), accepted: counts.accepted, refused: counts.refused, bytes: counts.bytes,
      trades: counts.trades, dropped: counts.dropped)
  }

  /// What each of the present clients got, the oldest first.
  public var clients: [ServerClient] {
    server.clients.map {
      let lane = StreamStatistics(produced: $0.lane.produced, delivered: $0.lane.delivered, dropped: $0.lane.dropped)
      return ServerClient(number: $0.number, sinceNanoseconds: $0.sinceNanoseconds, bytes: $0.bytes, statistics: lane)
    }
  }

  /// How it ended; nil while it runs.
  public var outcome: SessionOutcome? { server.session.outcome }

  /// Disconnects the clients, and returns when the server is over and its address is free. It waits also when the calling task is
  /// cancelled.
  public func stop() async {
    server.session.cancel()
    await server.session.released()
  }

  /// Returns when a client has come, and when the server or the calling task is over: what a recording gives before the first
  /// client is there would be for nobody.
  public func untilFirstClient() async {
    if counts.accepted > 0 { return }
    for await _ in changes where counts.accepted > 0 { return }
  }

  /// Returns when the server is over. Cancelling the task stops it.
  public func untilOver() async {
    let id = server.session.id
    await withTaskCancellationHandler {
      await server.session.released()
    } onCancel: {
      id.cancel()
    }
  }
}

/// What went through a server so far.
public struct ServerCounts: Sendable, Hashable {
  /// Clients at present.
  public let clients: Int
  /// Clients that were let in, those at present included.
  public let accepted: UInt64
  /// Clients that were turned away.
  public let refused: UInt64
  /// Bytes that were written.
  public let bytes: UInt64
  /// Trades that were written.
  public let trades: UInt64
  /// Trades that clients were too slow for.
  public let dropped: UInt64
}

/// What one client of a server got so far.
public struct ServerClient: Sendable, Hashable {
  /// Its number: the first client of a server is 0.
  public let number: UInt64
  /// When it came: nanoseconds since 1970-01-01T00:00:00Z.
  public let sinceNanoseconds: Int64
  /// Bytes that were written to it.
  public let bytes: UInt64
  /// Trades that went through its lane.
  public let statistics: StreamStatistics
}
