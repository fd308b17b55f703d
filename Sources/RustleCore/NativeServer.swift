internal import CRustle

/// A feed's server. Dropping the last reference ends it.
package final class NativeServer: Sendable {
  /// The session. Cancelling it ends the server; it is released once no thread of the server is left and the address is free.
  package let session: NativeSession
  /// An element for each time that clients connected or disconnected, for one reader.
  package let changes: AsyncStream<Void>

  init(session: NativeSession, changes: AsyncStream<Void>) {
    self.session = session
    self.changes = changes
  }

  /// Fires when the server has ended, also after this object is freed.
  package var released: OneShot { session.releasedSignal }

  /// The address, with the assigned port where port 0 was requested.
  package func address() throws(NativeError) -> String {
    // Enough by the header.
    var bytes = [UInt8](repeating: 0, count: 300)
    var room = bytes.mutableSpan
    let length = try NativeCalls.serverAddress(session.id.raw, address: &room)
    return String(decoding: bytes.prefix(length), as: UTF8.self)
  }

  /// The counts so far.
  package func counts() throws(NativeError) -> NativeServerCounts { try NativeCalls.serverCounts(session.id.raw) }

  /// The present clients and their counts, the oldest first.
  package func clients() throws(NativeError) -> [NativeServerClient] {
    // The maximum number of clients.
    var records = [RustleServerClient](repeating: RustleServerClient(), count: 1_024)
    var room = records.mutableSpan
    let count = try NativeCalls.serverClients(session.id.raw, clients: &room)
    return records.prefix(count).map(NativeServerClient.init)
  }
}

/// A native runtime whose time advances only on request, for tests.
package final class NativeRuntime: Sendable {
  private let handle: NativeHandle

  /// Creates a runtime of one thread at time 0.
  ///
  /// - Parameter wallMilliseconds: the calendar time at 0: milliseconds since 1970-01-01T00:00:00Z.
  package init(wallMilliseconds: Int64) throws(NativeError) {
    handle = try NativeHandle(
      RUSTLE_NEW_RUNTIME_MANUAL, NativeManualRuntime(wallMilliseconds: wallMilliseconds))
  }

  /// Advances the time and returns when everything due by then is done, each at its own time. Inside a callback it returns at
  /// once, and the work follows.
  ///
  /// - Parameter nanoseconds: the step.
  package func advance(nanoseconds: UInt64) {
    // The only refusals are a stale handle, which this object owns, and a fork, in which nothing is due.
    _ = rustle_runtime_advance(handle.raw, nanoseconds, nil)
    extendLifetime(self)
  }

  var raw: UInt64 { handle.raw }
}
