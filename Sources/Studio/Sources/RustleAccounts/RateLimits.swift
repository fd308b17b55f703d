internal import Synchronization

/// So many at once, and then one in a time.
public struct RateLimit: Sendable, Hashable {
  /// At once.
  public var burst: Double
  /// The seconds for each further one.
  public var period: Double

  /// - Parameters:
  ///   - burst: at once, 1 or more.
  ///   - period: the seconds for each further one, more than 0.
  public init(burst: Double, period: Double) { (self.burst, self.period) = (burst, period) }

  /// Such as `5:10`: 5 at once, then one in 10 s; nil for other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ":").map { Double($0) }
    guard parts.count == 2, let burst = parts[0], let period = parts[1], burst >= 1, period > 0, burst.isFinite,
      period.isFinite
    else { return nil }
    self.init(burst: burst, period: period)
  }
}

/// What is limited, and how.
public enum LimitedAction: String, Sendable, Hashable, CaseIterable {
  /// Passwords tried at one address, whether it has an account or not.
  case address
  /// Requests of one network that cost a hash or a mail.
  case network
  /// Accounts that one network creates.
  case signUp
  /// Mails with a link to one account.
  case mail
  /// Mails about changes of one account.
  case notice
  /// Settings that one account saves.
  case save
  /// What one account reads of its settings: a setting, or 64 KiB of them.
  case read

  /// The limit unless the server is configured otherwise.
  public var standard: RateLimit {
    switch self {
    case .address: RateLimit(burst: 5, period: 10)
    // In any minute at most 30, in any hour 10 and 3: the burst, and what comes back within that time.
    case .network: RateLimit(burst: 20, period: 6)
    case .signUp: RateLimit(burst: 5, period: 600)
    case .mail: RateLimit(burst: 3, period: 3_600)
    case .notice: RateLimit(burst: 5, period: 720)
    case .save: RateLimit(burst: 20, period: 0.05)
    // Four times all that an account can have, and then 3 MiB a second.
    case .read: RateLimit(burst: 1_000, period: 0.02)
    }
  }
}

/// The tokens that are left, at a time.
struct TokenBucket: Sendable, Hashable {
  var tokens: Double
  /// In seconds since 1970.
  var at: Double

  /// What is there at a time. A clock that was set back neither adds tokens nor takes them.
  func filled(at now: Double, _ limit: RateLimit) -> Double {
    min(limit.burst, tokens + max(0, now - at) / limit.period)
  }
}

/// The token buckets of a server.
final class RateLimits: Sendable {
  /// The buckets above which full ones are forgotten.
  static let maximumCount = 20_000
  /// No lock outlives it, in seconds.
  static let longestWait = 3_600.0

  private let limits: [LimitedAction: RateLimit]
  private let now: @Sendable () -> Double
  private let buckets: Mutex<[String: TokenBucket]>

  init(
    _ limits: [LimitedAction: RateLimit] = [:], buckets: [String: TokenBucket] = [:],
    now: @escaping @Sendable () -> Double
  ) {
    self.limits = limits
    self.now = now
    self.buckets = Mutex(buckets)
  }

  /// Takes so many tokens of each, or none of any. More than there may be at once count as all of these.
  ///
  /// - Throws: ``AccountRefusal`` of the code `limit` when one has none, with the time until it has.
  func take(_ wanted: [(action: LimitedAction, key: String)], count: Double = 1) throws {
    let now = now()
    let wait: Double? = buckets.withLock { buckets in
      if buckets.count >= Self.maximumCount { forget(&buckets, now) }
      let found = wanted.map { wanted in
        let limit = limit(wanted.action)
        let key = Self.key(wanted.action, wanted.key)
        // After a clock was set back the wait goes on from here, and not from when it is as late again.
        if let at = buckets[key]?.at, at > now { buckets[key]?.at = now }
        let left = (buckets[key]?.filled(at: now, limit) ?? limit.burst) - min(count, limit.burst)
        return (key: key, limit: limit, left: left)
      }
      let waits = found.filter { $0.left < 0 }.map { -$0.left * $0.limit.period }
      if let longest = waits.max() { return longest }
      for each in found { buckets[each.key] = TokenBucket(tokens: each.left, at: now) }
      return nil
    }
    guard let wait else { return }
    let seconds = Int(max(1, min(wait, Self.longestWait).rounded(.up)))
    throw AccountRefusal(.limit, "expected fewer tries; the next one may come in \(seconds) s", retryAfter: seconds)
  }

  /// Takes a token of each for work, and gives them back when the server was too busy to do it.
  ///
  /// - Throws: as ``take(_:)`` does, or what the work throws.
  func taking<Result: Sendable>(
    _ wanted: [(action: LimitedAction, key: String)], for work: () async throws -> Result
  ) async throws -> Result {
    try take(wanted)
    do { return try await work() } catch let error as AccountRefusal where error.code == .busy {
      for each in wanted { giveBack(each.action, each.key) }
      throw error
    }
  }

  /// Gives a token back: the action was no guess.
  func giveBack(_ action: LimitedAction, _ key: String) {
    let now = now()
    let limit = limit(action)
    buckets.withLock { buckets in
      guard let bucket = buckets[Self.key(action, key)] else { return }
      let tokens = min(limit.burst, bucket.filled(at: now, limit) + 1)
      buckets[Self.key(action, key)] = TokenBucket(tokens: tokens, at: now)
    }
  }

  /// The buckets that are not full, to be kept over a restart.
  var kept: [String: TokenBucket] {
    let now = now()
    return buckets.withLock { buckets in
      forget(&buckets, now)
      return buckets
    }
  }

  private func limit(_ action: LimitedAction) -> RateLimit {
    var limit = limits[action] ?? action.standard
    // Reads take many at once.
    limit.period = min(limit.period, Self.longestWait / (action == .read ? limit.burst : 1))
    return limit
  }

  /// Full buckets say nothing. Of too many others the oldest are forgotten: memory is bounded, whoever asks.
  private func forget(_ buckets: inout [String: TokenBucket], _ now: Double) {
    buckets = buckets.filter { key, bucket in
      guard let action = LimitedAction(rawValue: String(key.prefix { $0 != "/" })) else { return false }
      let limit = limit(action)
      return bucket.filled(at: now, limit) < limit.burst
    }
    guard buckets.count >= Self.maximumCount else { return }
    let oldest = buckets.sorted { $0.value.at < $1.value.at }.prefix(Self.maximumCount / 2)
    for (key, _) in oldest { buckets[key] = nil }
  }

  /// The key of a bucket. An address is not kept as text.
  private static func key(_ action: LimitedAction, _ key: String) -> String {
    "\(action.rawValue)/\(Sodium.sha256(.init(key.utf8)).prefix(16).hexadecimal)"
  }
}
