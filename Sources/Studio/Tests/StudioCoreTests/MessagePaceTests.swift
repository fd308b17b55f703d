import StudioCore
import Testing

@Suite struct MessagePaceTests {
  private let start = ContinuousClock.now

  /// How many of the messages at these times are taken.
  private func taken(_ pace: inout MessagePace, _ count: Int, every step: Duration, from: Duration = .zero) -> Int {
    (0..<count).count { pace.take(at: start + from + step * $0) }
  }

  @Test func messagesAtTheRateAreTaken() {
    var pace = MessagePace(rate: 50)
    #expect(taken(&pace, 500, every: .milliseconds(20)) == 500)
  }

  @Test func asManyAsOfASecondComeAtOnce() {
    var pace = MessagePace(rate: 50)
    #expect(taken(&pace, 60, every: .zero) == 50)
    #expect(taken(&pace, 60, every: .zero, from: .milliseconds(500)) == 25)
    // A longer pause allows no more.
    #expect(taken(&pace, 60, every: .zero, from: .seconds(100)) == 50)
  }

  @Test func tooManyAreRefusedAtTheRate() {
    var pace = MessagePace(rate: 50)
    let taken = taken(&pace, 1_000, every: .milliseconds(10))
    #expect((540...560).contains(taken), "\(taken)")
  }
}
