internal import CRustle

/// Which notices a consumer gets.
package enum NativeNotices: Sendable {
  case all
  case connection
  case room
  case wanted

  var number: UInt32 {
    switch self {
    case .all: UInt32(RUSTLE_NOTICES_ALL)
    case .connection: UInt32(RUSTLE_NOTICES_CONNECTION)
    case .room: UInt32(RUSTLE_NOTICES_ROOM)
    case .wanted: UInt32(RUSTLE_NOTICES_WANTED)
    }
  }
}

/// What a host says of the connection that it has.
package enum NativeHostNews: Sendable {
  case connecting(failures: Int)
  case connected
  case disconnected(retryMilliseconds: UInt64, failures: Int)
  case closed

  var numbers: (kind: UInt32, retryMilliseconds: UInt64, failures: UInt32) {
    switch self {
    case .connecting(let failures): (UInt32(RUSTLE_NOTICE_CONNECTING), 0, UInt32(clamping: failures))
    case .connected: (UInt32(RUSTLE_NOTICE_CONNECTED), 0, 0)
    case .disconnected(let retry, let failures):
      (UInt32(RUSTLE_NOTICE_DISCONNECTED), retry, UInt32(clamping: failures))
    case .closed: (UInt32(RUSTLE_NOTICE_CLOSED), 0, 0)
    }
  }
}

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
    let capacity = 300
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { bytes in
      var length = 0
      let status = unsafe rustle_server_address(session.id.raw, bytes.baseAddress, capacity, &length, nil)
      guard status == RUSTLE_OK else { return "" }
      return unsafe String(decoding: bytes.prefix(length), as: UTF8.self)
    }
  }

  /// What went through so far.
  package var counts: NativeServerCounts {
    var record = RustleServerCounts()
    _ = unsafe rustle_server_counts(session.id.raw, &record, nil)
    return NativeServerCounts(
      clients: Int(record.clients), accepted: record.accepted, refused: record.refused, bytes: record.bytes,
      quotes: record.quotes, dropped: record.dropped)
  }

  /// What each of the present clients got, the oldest first.
  package var clients: [NativeServerClient] {
    // The most that there are.
    let capacity = 1_024
    return unsafe withUnsafeTemporaryAllocation(of: RustleServerClient.self, capacity: capacity) { places in
      var count = 0
      let status = unsafe rustle_server_clients(session.id.raw, places.baseAddress, capacity, &count, nil)
      guard status == RUSTLE_OK else { return [] }
      return unsafe places.prefix(min(count, capacity)).map(NativeServerClient.init)
    }
  }
}

/// What went through a server.
package struct NativeServerCounts: Sendable {
  package let clients: Int
  package let accepted, refused, bytes, quotes, dropped: UInt64
}

/// What one client of a server got.
package struct NativeServerClient: Sendable {
  package let number: UInt64
  package let sinceNanoseconds: Int64
  package let bytes: UInt64
  package let statistics: StreamStatistics

  init(_ client: RustleServerClient) {
    number = client.number
    sinceNanoseconds = client.since_ns
    bytes = client.bytes
    statistics = StreamStatistics(
      produced: client.lane.produced, delivered: client.lane.delivered, dropped: client.lane.dropped)
  }
}
