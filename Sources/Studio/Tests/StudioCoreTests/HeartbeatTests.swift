import StudioCore
import Synchronization
import Testing

@Suite struct HeartbeatTests {
  @Test(arguments: [0, 100, 1_000])
  func aClientThatFallsSilentIsFoundGone(answered seconds: Int) async throws {
    let clock = SimulatedClock()
    let heartbeat = Heartbeat(clock: clock)
    var pings: [Duration] = []
    try await heartbeat.run {
      pings.append(clock.now.time)
      if clock.now.time <= .seconds(seconds) { heartbeat.heard() }
    }
    // The last answer was to the last ping of that time.
    let heard = seconds / 15 * 15
    #expect(pings == stride(from: 15, through: heard + 45, by: 15).map { .seconds($0) })
    #expect(clock.now.time == .seconds(heard + 45))
  }

  @Test func anyFrameIsAnAnswer() async throws {
    let clock = SimulatedClock()
    let heartbeat = Heartbeat(clock: clock)
    var count = 0
    try await heartbeat.run {
      count += 1
      // A frame between two pings, 30 s apart.
      if count == 2 { heartbeat.heard() }
    }
    #expect(clock.now.time == .seconds(30 + 45))
  }

  @Test func aPingThatFailsEndsIt() async {
    let clock = SimulatedClock()
    await #expect(throws: CancellationError.self) {
      try await Heartbeat(clock: clock).run { throw CancellationError() }
    }
    #expect(clock.now.time == .seconds(15))
  }
}

/// A clock whose time passes only while somebody sleeps.
private final class SimulatedClock: Clock {
  struct Instant: InstantProtocol {
    var time = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    func duration(to other: Instant) -> Duration { other.time - time }
    static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
  }

  let minimumResolution = Duration.zero
  private let present = Mutex(Instant())

  var now: Instant { present.withLock { $0 } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws { present.withLock { $0 = deadline } }
}
