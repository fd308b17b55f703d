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
  /// about ten values a second. Where each value comes late, and the writer too, as on a busy machine, up to five a second were replaced.
  @Test(arguments: [(0, 0), (10, 0), (10, 10), (20, 10)])
  func noTopicOfTheOverviewPutsOffAnother(lateness: UInt64, delay: UInt64) {
    var pace = WritePace(from: start)
    var outbox = Outbox()
    var random: UInt64 = 1
    /// A number of milliseconds, up to that many.
    func late(_ most: UInt64) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((random >> 33) % (most + 1))
    }
    let topics: [(topic: Topic, step: Int, phase: Int)] = [
      (.meter, 60, 0), (.pitch, 40, 20), (.spectrum, 40, 20), (.voice, 40, 1), (.tempo, 50, 3), (.prices, 40, 7),
    ]
    outbox.subscribe(topics.map(\.topic))
    var coming: [Int: [Topic]] = [:]
    for (topic, step, phase) in topics {
      for time in stride(from: phase, to: 60_000, by: step) { coming[time + late(lateness), default: []].append(topic) }
    }
    var (count, received, lost) = (0, 0, 0)
    /// When the writer takes what waits.
    var ready: Int?
    for time in 0..<60_100 {
      let now = start + .milliseconds(time)
      var isDue = false
      for topic in coming[time] ?? [] {
        let spacing = pace.spacing(at: now, pause: pause).map { UInt64($0 / .microseconds(1)) }
        _ = outbox.offer(SampleFrame(topic, sequence: 0, time: UInt64(1_000 * time), payload: []), keepingFrom: spacing)
        isDue = isDue || outbox.hasOlder || pace.isDue(at: now, pause: pause)
      }
      pace.note(!outbox.isEmpty, at: now)
      let isOver = time % 4 == 0 && pace.isOver(at: now, pause: pause)
      if !outbox.isEmpty, isDue || isOver {
        pace.wakes(at: now)
        ready = ready ?? time + late(delay)
      }
      guard let taken = ready, taken <= time else { continue }
      ready = nil
      pace.wrote(at: now, pause: pause)
      count += 1
      let values = outbox.take().values
      received += values.count
      lost += values.map { Int($0.lost) }.reduce(0, +)
    }
    #expect(lost == 0 && received == coming.values.map(\.count).reduce(0, +))
    #expect(count <= 60_000 / 33 + 2)
  }
}

extension WritePaceTests {
  /// Of a page that is read, more than half of a pause apart, and less than a pause too early.
  @Test func bothValuesAreWrittenToAPageThatReads() {
    func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }
    var pace = WritePace(from: start)
    #expect(pace.spacing(at: start, pause: pause) == pause / 2)
    pace.wrote(at: start, pause: pause)
    #expect(pace.spacing(at: start, pause: pause) == nil && pace.spacing(at: at(1), pause: pause) == pause / 2)
    // Its writer is woken, and again, but takes nothing.
    for time in [20, 30] { pace.wakes(at: at(time)) }
    #expect(pace.spacing(at: at(36), pause: pause) == pause / 2 && pace.spacing(at: at(37), pause: pause) == nil)
    var other = pace
    other.wroteNothing()
    #expect(other.spacing(at: at(37), pause: pause) == pause / 2)
    pace.wrote(at: at(40), pause: pause)
    #expect(pace.spacing(at: at(41), pause: pause) == pause / 2)
    pace.wrote(at: at(41), pause: pause)
    #expect(pace.spacing(at: at(73), pause: pause) == nil && pace.spacing(at: at(74), pause: pause) == pause / 2)
  }
}

private func % (time: Duration, step: Duration) -> Duration {
  .nanoseconds((time / .nanoseconds(1)).truncatingRemainder(dividingBy: step / .nanoseconds(1)))
}
