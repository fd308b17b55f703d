internal import RustleCore

/// The state of a source's connection.
public enum FeedConnection: FeedRecord, Hashable {
  /// Nothing was tried yet; a source that needs no connection is idle until it is over.
  case idle
  /// A connection is being made, after so many attempts in a row that failed.
  case connecting(to: String, failures: Int)
  /// A connection stands.
  case connected(to: String)
  /// It was refused or lost, for the reason given; the next attempt is made after a while.
  case reconnecting(after: Duration, failures: Int, reason: String)
  /// The source is over: by itself, or for the reason given.
  case closed(reason: String?)

  init(_ notice: NativeFeedNotice) {
    self =
      switch FeedNotice.Kind(notice.kind, notice.count) {
      case .connecting: .connecting(to: notice.text, failures: notice.failures)
      case .connected: .connected(to: notice.text)
      case .disconnected(let milliseconds):
        .reconnecting(
          after: .milliseconds(Int64(clamping: milliseconds)), failures: notice.failures, reason: notice.text)
      case .closed: .closed(reason: notice.text.isEmpty ? nil : notice.text)
      case .malformed, .oversized, .other: .idle
      }
  }

  /// In words, for example `no connection, next attempt in 1.5 s: Connection refused (os error 111)`.
  public var text: String {
    switch self {
    case .idle: return "no connection"
    case .connecting(let place, _): return "connecting to \(place)"
    case .connected(let place): return "connected to \(place)"
    case .reconnecting(let wait, _, let reason):
      // In tenths of a second.
      let tenths = (wait.countedNanoseconds + 50_000_000) / 100_000_000
      return "no connection, next attempt in \(tenths / 10).\(tenths % 10) s" + (reason.isEmpty ? "" : ": \(reason)")
    case .closed(let reason): return reason.map { "over: \($0)" } ?? "over"
    }
  }

  /// What is reported of it to the native side; nil for ``idle``.
  var news: NativeHostNews? {
    switch self {
    case .idle: nil
    case .connecting(let place, let failures): NativeHostNews(.connecting, failures: failures, note: place)
    case .connected(let place): NativeHostNews(.connected, note: place)
    case .reconnecting(let wait, let failures, let reason):
      NativeHostNews(
        .disconnected, retryMilliseconds: wait.countedNanoseconds / 1_000_000, failures: failures, note: reason)
    case .closed(let reason): NativeHostNews(.closed, note: reason ?? "")
    }
  }
}
