#if NATS
internal import RustleMarket

/// The changes of a connection, from what libnats says of it when it is asked.
struct ConnectionWatch {
  let origin: String
  /// Why there may be no first connection.
  private let absence: String
  let wait: Duration
  /// What a server says of credentials that it does not take.
  private static let refusals = ["authorization violation", "authentication expired", "authentication revoked"]
  /// Whether one that libnats has closed is made anew where credentials were refused, too.
  private let isRenewed: Bool
  private var isConnected = false
  private var hasConnected = false
  private var reconnects: UInt64 = 0
  private var failure: String?

  init(_ address: NATSAddress, wait: Duration, isRenewed: Bool = false) {
    (origin, self.wait, self.isRenewed) = (address.origin, wait, isRenewed)
    // libnats does not report why a server was refused.
    absence = "no server answers" + (address.isEncrypted ? ", or none has a certificate that is trusted" : "")
  }

  /// Why there is no connection, by what libnats says of it, or has said before.
  func reason(_ failure: String) -> String {
    failure.isEmpty ? self.failure ?? (hasConnected ? "connection lost" : absence) : failure
  }

  /// The states since the last call, in order.
  mutating func changes(of connection: NATSConnection) -> [FeedConnection] {
    changes(to: connection.state, reconnects: connection.reconnects, failure: connection.lastFailure)
  }

  mutating func changes(to state: NATSConnection.State, reconnects count: UInt64, failure reason: String)
    -> [FeedConnection]
  {
    let reason = self.reason(reason)
    let lost = FeedConnection.reconnecting(after: wait, failures: 1, reason: reason)
    switch state {
    // Servers may have other reasons another time: one was slow to authenticate, or has no room.
    case .closed where !isRenewed && Self.refusals.contains { reason.lowercased().contains($0) }:
      return [.closed(reason: reason)]
    case .closed, .reconnecting:
      if !isConnected && failure == reason { return [] }
      (isConnected, failure) = (false, reason)
      return [lost]
    case .connected:
      defer { (isConnected, reconnects, failure) = (true, count, nil) }
      hasConnected = true
      if !isConnected { return [.connected(to: origin)] }
      // It was lost and re-established between two calls.
      return count == reconnects ? [] : [lost, .connected(to: origin)]
    }
  }
}
#endif
