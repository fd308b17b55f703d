import StudioCore
import Testing

@Suite struct WritePaceTests {
  private let start = ContinuousClock.now
  private let pause = Duration.milliseconds(33)

  /// The writes of 10 s to a client for which a value comes after each `step`, and whose timer goes each 8 ms: when, and how old the newest
  /// value was.
  private func writes(every step: Duration) -> [(time: Duration, age: Duration)] {
    var pace = WritePace(from: start)
    var (writes, waiting): ([(time: Duration, age: Duration)], Duration?) = ([], nil)
    for time in (0..<10_000).map({ Duration.milliseconds($0) }) {
      let comes = time % step == .zero
      if comes { waiting = time }
      guard let newest = waiting else { continue }
      let isTimer = time % .milliseconds(8) == .zero
      guard comes && pace.isDue(at: start + time, pause: pause) || isTimer && pace.isOver(at: start + time) else {
        continue
      }
      pace.wrote(at: start + time, pause: pause)
      writes.append((time, time - newest))
      waiting = nil
    }
    return writes
  }

  /// The timer took values that were up to 10 ms old.
  @Test func valuesThatKeepComingAreWrittenAsTheyCome() {
    for step in [5, 10, 16] {
      let writes = writes(every: .milliseconds(step))
      #expect(writes.allSatisfy { $0.age == .zero })
      #expect((280...305).contains(writes.count), "\(writes.count) of each \(step) ms")
    }
  }

  @Test func rareValuesAreWrittenAtOnce() {
    for step in [40, 100, 1_000] {
      let writes = writes(every: .milliseconds(step))
      #expect(writes.count == 10_000 / step && writes.allSatisfy { $0.age == .zero })
    }
  }

  @Test func whatNothingFollowsIsWrittenAtTheEndOfThePause() {
    var pace = WritePace(from: start)
    pace.wrote(at: start, pause: pause)
    let soon = start + .milliseconds(10)
    #expect(!pace.isDue(at: soon, pause: pause) && !pace.isOver(at: soon))
    #expect(!pace.isOver(at: start + .milliseconds(32)) && pace.isOver(at: start + pause))
  }

  @Test func aWriteThatIsEarlyPutsOffTheOneAfterIt() {
    var pace = WritePace(from: start)
    for _ in 0..<3 { pace.wrote(at: start + .milliseconds(17), pause: pause) }
    #expect(!pace.isDue(at: start + .milliseconds(90), pause: pause))
  }
}

private func % (time: Duration, step: Duration) -> Duration {
  .nanoseconds((time / .nanoseconds(1)).truncatingRemainder(dividingBy: step / .nanoseconds(1)))
}
