internal import RustleCore

/// The state of a source's connection.
public enum FeedConnection: FeedRecord, Hashable {
  /// No attempt was made yet; a source that needs no connection is idle until it ends.
  case idle
  /// An attempt to connect is under way, after this number of consecutive failures.
  case connecting(to: String, failures: Int)
  /// The connection is established.
  case connected(to: String)
  /// The connection was refused or lost for this reason; the next attempt follows after this backoff.
  case reconnecting(after: Duration, failures: Int, reason: String)
  /// The source has ended: normally (nil), or for this reason.
  case closed(reason: String?)

  init(_ notice: NativeFeedNotice) {
    self =
      switch FeedNotice.Kind(notice.kind, notice.count) {
      case .connecting: .connecting(to: notice.text, failures: notice.failures)
      case .connected: .connected(to: notice.text)
      case .disconnected(let wait): .reconnecting(after: wait, failures: notice.failures, reason: notice.text)
      case .closed: .closed(reason: notice.text.isEmpty ? nil : notice.text)
      case .malformed, .oversized, .other: .idle
      }
  }

  /// A description, for example `no connection, next attempt in 1.5 s: Connection refused (os error 111)`.
  public var text: String {
    switch self {
    case .idle: return "no connection"
    case .connecting(let address, _): return "connecting to \(address)"
    case .connected(let address): return "connected to \(address)"
    case .reconnecting(let wait, _, let reason):
      // In tenths of a second.
      let tenths = (wait.countedNanoseconds + 50_000_000) / 100_000_000
      let time = tenths == 0 ? "at once" : "in \(tenths / 10).\(tenths % 10) s"
      return "no connection, next attempt \(time)" + (reason.isEmpty ? "" : ": \(reason)")
    case .closed(let reason): return reason.map { "closed: \($0)" } ?? "closed"
    }
  }

  /// Whether the peer's certificate was refused: no trusted root signed it, or it has another name.
  package var isCertificateRefused: Bool {
    guard case .reconnecting(_, _, let reason) = self else { return false }
    return Self.isCertificateRefused(reason)
  }

  /// Whether a reason, in the words of the WebSocket's TLS, is that of a refused certificate.
  package static func isCertificateRefused(_ reason: String) -> Bool {
    reason.contains("TLS: certificate ")
  }

  /// Reports the state to the native side; does nothing for ``idle``.
  func report(to feed: borrowing NativeFeed) throws(NativeError) {
    switch self {
    case .idle: return
    case .connecting(let address, let failures): try feed.report(.connecting, failures: failures, note: address)
    case .connected(let address): try feed.report(.connected, note: address)
    case .reconnecting(let wait, let failures, let reason):
      let wait = wait.countedNanoseconds / 1_000_000
      try feed.report(.disconnected, retryMilliseconds: wait, failures: failures, note: reason)
    case .closed(let reason): try feed.report(.closed, note: reason ?? "")
    }
  }
}
