internal import CRustle

/// A feed's server. Whoever drops the last reference ends it.
package final class NativeServer: Sendable {
  /// Cancelling it ends the server; it is released once no thread of the server is left and the address is free.
  package let session: NativeSession
  /// Something for each time that clients have come or gone, for one reader.
  package let changes: AsyncStream<Void>

  init(session: NativeSession, changes: AsyncStream<Void>) {
    self.session = session
    self.changes = changes
  }

  /// Fired when the server is over, also after this object is gone.
  package var released: OneShot { session.releasedSignal }

  /// Where it is, with the port that was found where none was asked for.
  package var address: String {
    // As many as the header says are enough.
    var bytes = [UInt8](repeating: 0, count: 300)
    var room = bytes.mutableSpan
    // The only refusal is a stale handle, and this object owns it: so in what follows.
    let length = (try? NativeCalls.serverAddress(session.id.raw, address: &room)) ?? 0
    return String(decoding: bytes.prefix(length), as: UTF8.self)
  }

  /// What went through so far.
  package var counts: NativeServerCounts {
    let record = try? describe(session.id.raw, RUSTLE_DESCRIBE_SERVER_COUNTS, RustleServerCounts())
    return NativeServerCounts(record ?? RustleServerCounts())
  }

  /// What each of the present clients got, the oldest first.
  package var clients: [NativeServerClient] {
    // The most that there are.
    var places = [RustleServerClient](repeating: RustleServerClient(), count: 1_024)
    var room = places.mutableSpan
    let count = (try? NativeCalls.serverClients(session.id.raw, clients: &room)) ?? 0
    return places.prefix(count).map(NativeServerClient.init)
  }
}
