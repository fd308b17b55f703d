/// How a standby follows its owner: a value that changes by the heartbeats that it hears, and by time.
///
/// Both compute the same levels, so that receivers may show either: the standby sends at 90 what the owner sends at 100, goes to 110
/// when the owner falls silent, and back to 90 when it has heard it for a while.
struct Failover: Sendable, Hashable {
  /// What a standby does for an owner.
  enum State: String, Sendable, Hashable, CaseIterable {
    /// It sends beneath the owner.
    case standby
    /// It sends above the owner, which is silent or has just come back.
    case active
    /// It sends nothing: the owner plays another show.
    case refused
  }

  /// The silence after which an owner counts as lost: three heartbeats.
  static let silence = Duration.milliseconds(300)
  /// How long an owner is heard without such a silence before it takes over again.
  static let patience = Duration.seconds(5)
  /// The time between two heartbeats.
  static let interval = Duration.milliseconds(100)

  /// How far the time of a heartbeat may be from this node's: less than the silence after which an older epoch is believed, so that
  /// none of before can be sent again.
  static let tolerance = Duration.seconds(2)

  /// What a heartbeat is.
  enum Heard: Sendable, Hashable {
    /// A sign of life.
    case new
    /// One of before, which changes nothing.
    case old
    /// Its time is this far from the node's: clocks differ, or it was recorded. It changes nothing.
    case mistimed(Duration)
  }

  private(set) var state = State.standby
  /// What this node plays.
  let show: String
  /// The time of the last heartbeat; before the first that of the beginning.
  private var last: Duration
  /// The first heartbeat after the last silence; nil: the owner is silent.
  private var first: Duration?
  private var epoch: UInt64 = 0
  private var number: UInt64 = 0

  /// - Parameter now: the time, of any clock that runs on.
  init(show: String, now: Duration) { (self.show, last) = (show, now) }

  /// The priority of a state's universes; nil: they are not sent.
  static func priority(of state: State) -> Int? {
    switch state {
    case .standby: 90
    case .active: 110
    case .refused: nil
    }
  }

  /// Takes a heartbeat of the owner.
  ///
  /// - Parameter calendar: the node's time in milliseconds since 1970.
  mutating func hear(_ heartbeat: Heartbeat, at now: Duration, calendar: UInt64) -> Heard {
    advance(to: now)
    let offset = heartbeat.offset(from: calendar)
    guard (.zero - Self.tolerance)...Self.tolerance ~= offset else { return .mistimed(offset) }
    // The clock of an owner that has been silent may have been set back a little.
    let isNew = (heartbeat.epoch, heartbeat.number) > (epoch, number) || now - last > Self.patience
    guard isNew else { return .old }
    (epoch, number, last) = (heartbeat.epoch, heartbeat.number, now)
    if heartbeat.number == Heartbeat.last {
      // It ends in order: nothing has to be waited for.
      first = nil
      if state == .standby { state = .active }
      return .new
    }
    if heartbeat.show != show {
      (state, first) = (.refused, nil)
    } else {
      if state == .refused { state = .standby }
      first = first ?? now
    }
    return .new
  }

  /// Goes on to a time.
  mutating func advance(to now: Duration) {
    if now - last > Self.silence {
      first = nil
      if state == .standby { state = .active }
    }
    if state == .active, let first, now - first >= Self.patience { state = .standby }
  }
}
