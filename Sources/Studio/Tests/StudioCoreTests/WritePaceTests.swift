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
      pace.note(waiting != nil, at: start + time)
      guard let newest = waiting else { continue }
      let isTimer = time % .milliseconds(8) == .zero
      let now = start + time
      guard comes && pace.isDue(at: now, pause: pause) || isTimer && pace.isOver(at: now, pause: pause) else {
        continue
      }
      pace.wrote(at: now, pause: pause)
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
    #expect(!pace.isDue(at: soon, pause: pause) && !pace.isOver(at: soon, pause: pause))
    #expect(!pace.isOver(at: start + .milliseconds(32), pause: pause) && pace.isOver(at: start + pause, pause: pause))
  }

  @Test func aWriteThatIsEarlyPutsOffTheOneAfterIt() {
    var pace = WritePace(from: start)
    for _ in 0..<3 { pace.wrote(at: start + .milliseconds(17), pause: pause) }
    #expect(!pace.isDue(at: start + .milliseconds(90), pause: pause))
  }

  /// Four topics of sound, in blocks of 20 ms, beside the tempo and prices: writes that were early for one of them had others replaced,
  /// about ten values a second. Where each value comes up to 10 ms late, as on a busy machine, one a second was replaced.
  @Test(arguments: [0, 10]) func noTopicOfTheOverviewPutsOffAnother(lateness: Int) {
    var pace = WritePace(from: start)
    var outbox = Outbox()
    var random: UInt64 = 1
    let topics: [(topic: Topic, step: Int, phase: Int)] = [
      (.meter, 60, 0), (.pitch, 40, 20), (.spectrum, 40, 20), (.voice, 40, 1), (.tempo, 50, 3), (.prices, 40, 7),
    ]
    outbox.subscribe(topics.map(\.topic))
    var values: [Int: [Topic]] = [:]
    for (topic, step, phase) in topics {
      for time in stride(from: phase, to: 60_000, by: step) {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        values[time + Int(random >> 33) % (lateness + 1), default: []].append(topic)
      }
    }
    var (count, lost) = (0, 0)
    for time in 0..<60_000 {
      let now = start + .milliseconds(time)
      var isDue = false
      for topic in values[time] ?? [] {
        let spacing = pace.spacing(at: now, pause: pause).map { UInt64($0 / .microseconds(1)) }
        _ = outbox.offer(SampleFrame(topic, sequence: 0, time: UInt64(time) * 1_000, payload: []), keepingFrom: spacing)
        isDue = isDue || outbox.hasOlder || pace.isDue(at: now, pause: pause)
      }
      pace.note(!outbox.isEmpty, at: now)
      let isOver = time % 4 == 0 && pace.isOver(at: now, pause: pause)
      guard !outbox.isEmpty, isDue || isOver else { continue }
      pace.wrote(at: now, pause: pause)
      count += 1
      lost += outbox.take().values.map { Int($0.lost) }.reduce(0, +)
    }
    #expect(lost == 0)
    #expect(count <= 60_000 / 33 + 2)
  }
}

private func % (time: Duration, step: Duration) -> Duration {
  .nanoseconds((time / .nanoseconds(1)).truncatingRemainder(dividingBy: step / .nanoseconds(1)))
}
