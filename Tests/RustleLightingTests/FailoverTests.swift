import TestSupport
import Testing

@testable import RustleLighting

@Suite(.releasesNativeObjects) struct FailoverTests {
  private static let show = "a show"

  private static func beat(_ number: UInt64, epoch: UInt64 = 1, show: String = show) -> Heartbeat {
    Heartbeat(node: "left", epoch: epoch, number: number, show: show)
  }

  private static func ms(_ count: Int) -> Duration { .milliseconds(count) }

  /// Hears a heartbeat at a time in milliseconds, which is a new one or not.
  private static func hear(
    _ heartbeat: Heartbeat, at time: Int, _ failover: inout Failover, isNew: Bool = true,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let got = failover.hear(heartbeat, at: ms(time))
    #expect(got == isNew, sourceLocation: location)
  }

  /// A standby that has heard its owner until a time, at every tenth of a second.
  private static func standby(until end: Int) -> Failover {
    var failover = Failover(show: show, now: .zero)
    for number in 1...(end / 100) { hear(beat(UInt64(number)), at: 100 * number, &failover) }
    return failover
  }

  @Test func heartbeatsKeepAStandbyBeneathItsOwner() {
    #expect(Self.standby(until: 60_000).state == .standby)
    #expect(Failover.State.allCases.map(Failover.priority) == [90, 110, nil])
  }

  @Test func threeMissingHeartbeatsMakeItActive() {
    var failover = Self.standby(until: 10_000)
    failover.advance(to: Self.ms(10_300))
    #expect(failover.state == .standby)
    failover.advance(to: Self.ms(10_301))
    #expect(failover.state == .active)
  }

  @Test func ownerThatWasNeverHeardIsReplaced() {
    var failover = Failover(show: Self.show, now: Self.ms(50))
    failover.advance(to: Self.ms(350))
    #expect(failover.state == .standby)
    failover.advance(to: Self.ms(351))
    #expect(failover.state == .active)
  }

  @Test func ownerTakesOverWhenItHasBeenHeardForAWhile() {
    var failover = Self.standby(until: 1_000)
    failover.advance(to: Self.ms(2_000))
    for number in 0...49 {
      Self.hear(Self.beat(UInt64(number), epoch: 2), at: 2_000 + 100 * number, &failover)
      #expect(failover.state == .active, "\(number)")
    }
    Self.hear(Self.beat(50, epoch: 2), at: 7_000, &failover)
    #expect(failover.state == .standby)
  }

  @Test func silenceWhileItComesBackBeginsTheWaitAnew() {
    var failover = Self.standby(until: 1_000)
    for number in 0...40 { _ = failover.hear(Self.beat(UInt64(number), epoch: 2), at: Self.ms(2_000 + 100 * number)) }
    for number in 41...89 { _ = failover.hear(Self.beat(UInt64(number), epoch: 2), at: Self.ms(2_301 + 100 * number)) }
    #expect(failover.state == .active)
    for number in 90...92 { _ = failover.hear(Self.beat(UInt64(number), epoch: 2), at: Self.ms(2_301 + 100 * number)) }
    #expect(failover.state == .standby)
  }

  @Test func anotherShowIsRefusedAtOnceAndInEachState() {
    for silence in [100, 1_000] {
      var failover = Self.standby(until: 1_000)
      Self.hear(Self.beat(1, epoch: 2, show: "another"), at: 1_000 + silence, &failover)
      #expect(failover.state == .refused)
      // Silence changes nothing: whoever plays something else takes nobody's place.
      failover.advance(to: Self.ms(60_000))
      #expect(failover.state == .refused)
      Self.hear(Self.beat(1, epoch: 3), at: 60_100, &failover)
      #expect(failover.state == .standby)
    }
  }

  @Test func heartbeatsOfBeforeAreNone() {
    var failover = Self.standby(until: 1_000)
    for old in [Self.beat(10), Self.beat(3), Self.beat(99, epoch: 0)] {
      Self.hear(old, at: 1_200, &failover, isNew: false)
    }
    failover.advance(to: Self.ms(1_301))
    #expect(failover.state == .active, "they are no signs of life")
    // A clock that was set back is believed after a while.
    Self.hear(Self.beat(1, epoch: 0), at: 6_000, &failover, isNew: false)
    Self.hear(Self.beat(1, epoch: 0), at: 6_001, &failover)
  }

  @Test func heartbeatIsReadWithItsKeyAlone() throws {
    let heartbeat = Heartbeat(
      node: "left", epoch: .max, number: 7, show: String(repeating: "a", count: 64), token: .max)
    let key = Array("key".utf8)
    let bytes = heartbeat.bytes(key: key)
    #expect(Heartbeat(bytes, key: key) == heartbeat)
    #expect(Heartbeat(bytes, key: []) == nil)
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      #expect(Heartbeat(changed, key: key) == nil, "\(place)")
      #expect(Heartbeat(Array(bytes[..<place]), key: key) == nil)
    }
    #expect(Heartbeat([UInt8](repeating: 32, count: 2_000), key: key) == nil)
  }
}
