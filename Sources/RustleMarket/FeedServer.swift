public import RustleCore

/// A server that delivers a feed to other processes as NDJSON; ``MarketFeed/serve(on:policy:access:)`` starts it.
///
/// ```swift
/// let server = try await feed.serve(on: .tcp("127.0.0.1", port: 0))
/// print(server.address)  // 127.0.0.1:40123
/// await server.untilOver()
/// ```
///
/// It ends when its last reference is released, by ``stop()``, when its feed is shut down or dropped, and when the feed has ended
/// and each client has read the remaining trades.
public final class FeedServer: Sendable {
  private let server: NativeServer

  /// The address, with the assigned port where port 0 was requested.
  public let address: FeedAddress

  init(_ server: NativeServer) throws(NativeError) {
    self.server = server
    address = FeedAddress(try server.address())
  }

  /// An element for each time that clients connected or disconnected; it ends with the server. It is for one reader, and several
  /// simultaneous changes are one element.
  public var changes: AsyncStream<Void> { server.changes }

  /// The counts so far, also after the end.
  ///
  /// - Throws: ``FeedError/Code/internal``: a fault inside the package.
  public var counts: ServerCounts {
    get throws(FeedError) {
      let counts = try FeedError.rethrowing { () throws(NativeError) in try server.counts() }
      return ServerCounts(
        clients: Int(counts.clients), accepted: counts.accepted, refused: counts.refused, bytes: counts.bytes,
        trades: counts.trades, dropped: counts.dropped)
    }
  }

  /// The present clients and their counts, the oldest first.
  ///
  /// - Throws: ``FeedError/Code/internal``: a fault inside the package.
  public var clients: [ServerClient] {
    get throws(FeedError) {
      try FeedError.rethrowing { () throws(NativeError) in try server.clients() }.map {
        let lane = StreamStatistics(produced: $0.lane.produced, delivered: $0.lane.delivered, dropped: $0.lane.dropped)
        return ServerClient(
          number: $0.number, since: Timestamp(nanosecondsSince1970: $0.sinceNanoseconds), bytes: $0.bytes,
          statistics: lane)
      }
    }
  }

  /// How it ended; nil while it runs.
  public var outcome: SessionOutcome? { server.session.outcome }

  /// Disconnects the clients and returns when the server has ended and its address is free, even if the calling task is
  /// cancelled.
  public func stop() async {
    server.session.cancel()
    await server.session.released()
  }

  /// Returns when a client has connected, the server has ended or the calling task is cancelled. A recording that starts after it
  /// loses nothing before the first client.
  ///
  /// - Throws: ``FeedError/Code/internal``: a fault inside the package.
  public func untilFirstClient() async throws(FeedError) {
    if try counts.accepted > 0 { return }
    for await _ in changes where try counts.accepted > 0 { return }
  }

  /// Returns when the server has ended. Cancelling the task stops it.
  public func untilOver() async {
    let id = server.session.id
    await withTaskCancellationHandler {
      await server.session.released()
    } onCancel: {
      id.cancel()
    }
  }
}

extension FeedServer {
  /// Who may connect to a server.
  public enum Access: Sendable, Hashable {
    /// Processes of this machine: the address has to be a loopback one, or a socket in the file system, which then only processes
    /// of the same user may use.
    case local
    /// Clients that send this token as their first line, 16 to 512 bytes of UTF-8 (``LiveFeed/token``). It is compared in constant
    /// time, and is not encrypted on its way. `print` and `dump` do not show it.
    case token(String)
    /// Every client that reaches the address.
    case anyone

    /// Empty: none.
    var token: String { if case .token(let token) = self { token } else { "" } }

    /// Checks a token that the native side would read as none.
    func check() throws(FeedError) {
      guard self == .token("") else { return }
      throw FeedError(code: .valueOutOfRange, message: "token: expected 16 to 512 bytes, got 0")
    }
  }
}

/// The counts of a server so far.
public struct ServerCounts: Sendable, Hashable {
  /// Clients at present.
  public let clients: Int
  /// Clients accepted, present ones included.
  public let accepted: UInt64
  /// Clients refused.
  public let refused: UInt64
  /// Bytes written.
  public let bytes: UInt64
  /// Trades written.
  public let trades: UInt64
  /// Trades dropped because clients were too slow.
  public let dropped: UInt64
}

/// The counts of one client of a server so far.
public struct ServerClient: Sendable, Hashable {
  /// The client's number; the first client of a server is 0.
  public let number: UInt64
  /// The time at which it connected.
  public let since: Timestamp
  /// Bytes written to it.
  public let bytes: UInt64
  /// The counts of its buffer, in trades.
  public let statistics: StreamStatistics
}
