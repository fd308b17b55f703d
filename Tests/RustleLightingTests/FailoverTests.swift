import TestSupport
import Testing

@testable import RustleLighting

@Suite(.releasesNativeObjects) struct FailoverTests {
  private static let show = "a show"

  /// The calendar's time when a test begins.
  private static let beginning: UInt64 = 1_800_000_000_000

  private static func beat(
    _ number: UInt64, epoch: UInt64 = 1, sent: UInt64 = beginning, show: String = show
  ) -> Heartbeat {
    Heartbeat(node: "left", epoch: epoch, number: number, sent: sent, show: show)
  }

  private static func ms(_ count: Int) -> Duration { .milliseconds(count) }

  /// Hears a heartbeat at a time in milliseconds, at which it is sent unless it says when.
  private static func hear(
    _ heartbeat: Heartbeat, at time: Int, _ failover: inout Failover, as expected: Failover.Heard = .new,
    _ location: SourceLocation = #_sourceLocation
  ) {
    var heartbeat = heartbeat
    if heartbeat.sent == beginning { heartbeat.sent += UInt64(time) }
    let got = failover.hear(heartbeat, at: ms(time), calendar: beginning + UInt64(time))
    #expect(got == expected, sourceLocation: location)
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
    for number in 0...40 { Self.hear(Self.beat(UInt64(number), epoch: 2), at: 2_000 + 100 * number, &failover) }
    for number in 41...89 { Self.hear(Self.beat(UInt64(number), epoch: 2), at: 2_301 + 100 * number, &failover) }
    #expect(failover.state == .active)
    for number in 90...92 { Self.hear(Self.beat(UInt64(number), epoch: 2), at: 2_301 + 100 * number, &failover) }
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
      Self.hear(old, at: 1_200, &failover, as: .old)
    }
    failover.advance(to: Self.ms(1_301))
    #expect(failover.state == .active, "they are no signs of life")
    // A clock that was set back is believed after a while.
    Self.hear(Self.beat(1, epoch: 0), at: 6_000, &failover, as: .old)
    Self.hear(Self.beat(1, epoch: 0), at: 6_001, &failover)
  }

  @Test func ownerThatEndsInOrderIsReplacedAtOnce() {
    var failover = Self.standby(until: 1_000)
    Self.hear(Self.beat(Heartbeat.last), at: 1_010, &failover)
    #expect(failover.state == .active)
    // Whatever of this epoch is still on its way.
    Self.hear(Self.beat(11), at: 1_020, &failover, as: .old)
    // Its next process has to be heard as long as after a silence.
    for number in 0...50 { Self.hear(Self.beat(UInt64(number), epoch: 2), at: 1_200 + 100 * number, &failover) }
    #expect(failover.state == .standby)
    var other = Self.standby(until: 1_000)
    Self.hear(Self.beat(1, epoch: 2, show: "another"), at: 1_100, &other)
    Self.hear(Self.beat(Heartbeat.last, epoch: 2, show: "another"), at: 1_200, &other)
    #expect(other.state == .refused)
  }

  @Test func recordedHeartbeatsAreNone() {
    let recorded = (1...100).map { Self.beat(UInt64($0), sent: Self.beginning + 100 * UInt64($0)) }
    // The owner ends after 1 s. What it would still have sent is not known; what it did send comes again, to a standby that has heard
    // it, and to one that began later.
    for var failover in [Self.standby(until: 1_000), Failover(show: Self.show, now: Self.ms(9_000))] {
      for number in 0..<60 {
        let time = 12_100 + 100 * number
        Self.hear(recorded[number], at: time, &failover, as: .mistimed(.seconds(-12)))
        #expect(failover.state == .active, "\(number)")
      }
    }
  }

  @Test(arguments: [(2_000, true), (-2_000, true), (2_001, false), (-2_001, false), (3_600_000, false)])
  func heartbeatHasTheTimeOfTheNode(offset: Int, isHeard: Bool) {
    var failover = Self.standby(until: 1_000)
    let sent = UInt64(Int(Self.beginning) + 1_100 + offset)
    Self.hear(Self.beat(11, sent: sent), at: 1_100, &failover, as: isHeard ? .new : .mistimed(Self.ms(offset)))
    // Whatever a stranger sends: no arithmetic overflows.
    for sent in [0, UInt64.max] {
      let heard = failover.hear(Self.beat(12, sent: sent), at: Self.ms(1_150), calendar: Self.beginning)
      #expect(heard != .new && heard != .old)
    }
    failover.advance(to: Self.ms(1_350))
    #expect(failover.state == (isHeard ? .standby : .active))
  }

  @Test func heartbeatIsReadWithItsKeyAlone() throws {
    let heartbeat = Heartbeat(
      node: "left", epoch: .max, number: 7, sent: .max, show: String(repeating: "a", count: 64), token: .max)
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
