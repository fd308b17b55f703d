extension MarketViewModel {
  /// Whether prices can come from a feed's source.
  public enum Connection: Sendable, Hashable {
    /// It has not begun.
    case idle
    /// A connection is being made.
    case connecting
    /// A connection stands, or the source is one that needs none.
    case running
    /// The connection was refused or lost; so many milliseconds pass before the next attempt.
    case waiting(retryMilliseconds: UInt64)
    /// It has come to its end, was stopped, or has failed.
    case ended

    /// What a notice says of the connection; nil when it says nothing of it.
    public init?(_ notice: FeedNotice) {
      switch notice.kind {
      case .connecting: self = .connecting
      case .connected: self = .running
      case .disconnected(let wait): self = .waiting(retryMilliseconds: wait)
      default: return nil
      }
    }

    /// In words, for example `no connection, next attempt in 1.5 s`.
    public var text: String {
      switch self {
      case .idle: "not begun"
      case .connecting: "connecting"
      case .running: "running"
      case .waiting(let wait): "no connection, next attempt in \(Double((wait + 50) / 100) / 10) s"
      case .ended: "ended"
      }
    }
  }
}
