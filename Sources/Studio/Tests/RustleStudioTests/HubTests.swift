import StudioCore
import Testing

@testable import RustleStudio

struct HubTests {
  /// A client of these topics, as its messages make it.
  private static func client(_ hub: Hub, _ topics: Topic...) -> Client {
    let client = hub.join(canAct: true)
    client.withOutbox { $0.subscribe(topics) }
    hub.subscriptionsChanged()
    return client
  }

  @Test func aClientTakesTheNewestValueOfEachTopicAndHowManyItReplaced() {
    let hub = Hub()
    let client = Self.client(hub, .meter, .tempo)
    for number in 0..<5 as Range<UInt8> { hub.publish(.meter, [number]) }
    hub.publish(.tempo, [9])
    hub.publish(.spectrum, [7])
    let values = client.take().values
    #expect(values.map(\.frame.topic) == [.meter, .tempo] && values.map(\.frame.payload) == [[4], [9]])
    #expect(values.map(\.frame.sequence) == [4, 0] && values.map(\.lost) == [4, 0])
    #expect(client.take().values.isEmpty)
    #expect(hub.counts.frames == 7)
  }

  /// Each value of a topic is received or counted as lost, by every client for itself.
  @Test func clientsOfAnyPaceAccountForEveryValue() {
    let hub = Hub()
    let paces = [1, 2, 3, 7, 50]
    let clients = paces.map { _ in Self.client(hub, .prices) }
    var received = [Int](repeating: 0, count: paces.count)
    var lost = received
    let total = 2_100
    for number in 1...total {
      hub.publish(.prices, [], at: hub.start)
      for (place, pace) in paces.enumerated() where number.isMultiple(of: pace) {
        for (frame, count) in clients[place].take().values {
          #expect(Int(frame.sequence) == number - 1 && Int(count) == pace - 1)
          received[place] += 1
          lost[place] += Int(count)
        }
      }
    }
    #expect(received == paces.map { total / $0 })
    #expect(zip(received, lost).allSatisfy { $0 + $1 == total })
  }

  private static func value(_ number: Int, at milliseconds: Int) -> SampleFrame {
    SampleFrame(.meter, sequence: UInt32(number), time: UInt64(1_000 * milliseconds), payload: [])
  }

  /// The values of a page on a quick network were lost where they came unevenly.
  @Test func aPageThatReadsLosesNoneOfTwoValuesWithinAPause() {
    let client = Client(id: 1, canAct: true, pace: Pace())
    client.withOutbox { $0.subscribe([.meter]) }
    let start = ContinuousClock.now
    func offer(_ number: Int, at time: Int) {
      client.offer(Self.value(number, at: time), at: start + .milliseconds(time))
    }
    func take(at time: Int) -> [UInt32] {
      let values = client.take(at: start + .milliseconds(time)).values
      #expect(values.allSatisfy { $0.lost == 0 })
      return values.map(\.frame.sequence)
    }
    offer(0, at: 0)
    #expect(take(at: 0) == [0])
    // The first one is too early for a write, the second one wakes the writer.
    for (number, time) in [(1, 10), (2, 27)] { offer(number, at: time) }
    #expect(take(at: 28) == [1, 2])
    // The writer, woken as the pause is over, is late.
    offer(3, at: 40)
    client.wake(at: start + .milliseconds(66))
    offer(4, at: 80)
    #expect(take(at: 81) == [3, 4])
  }

  /// Two values in a write would be all that there are: nothing would be saved.
  @Test func aCrowdIsWrittenTheNewestValueAlone() {
    let pace = Pace()
    pace.adapt(to: 201)
    let client = Client(id: 1, canAct: true, pace: pace)
    client.withOutbox { $0.subscribe([.meter]) }
    let start = ContinuousClock.now
    client.offer(Self.value(0, at: 0), at: start)
    #expect(client.take(at: start).values.map(\.frame.sequence) == [0])
    for (number, time) in [(1, 10), (2, 60)] {
      client.offer(Self.value(number, at: time), at: start + .milliseconds(time))
    }
    let values = client.take(at: start + .milliseconds(61)).values
    #expect(values.map(\.frame.sequence) == [2] && values.map(\.lost) == [1])
  }

  /// Prices and peaks come no more often than a page is written to: of one that does not read each replaces the one before.
  @Test func aPageThatDoesNotReadHoldsTheNewestValueAlone() {
    let client = Client(id: 1, canAct: true, pace: Pace())
    client.withOutbox { $0.subscribe([.meter]) }
    let start = ContinuousClock.now
    for number in 0..<5 {
      client.offer(Self.value(number, at: 40 * number), at: start + .milliseconds(40 * number))
      if number > 0 { client.wake(at: start + .milliseconds(40 * number + 20)) }
    }
    // Nor one that stops after some.
    let values = client.take(at: start + .milliseconds(161)).values
    #expect(values.map(\.frame.sequence) == [4] && values.map(\.lost) == [4])
    for number in 5..<9 { client.offer(Self.value(number, at: 40 * number), at: start + .milliseconds(40 * number)) }
    let others = client.take().values
    #expect(others.map(\.frame.sequence) == [8] && others.map(\.lost) == [3])
  }

  @Test func aReaderThatStallsHoldsOneValueOfEachTopicAndDelaysNobody() {
    let hub = Hub()
    let stalled = hub.join(canAct: true)
    stalled.withOutbox { $0.subscribe(Topic.allCases) }
    let reader = Self.client(hub, .spectrum)
    let payload = [UInt8](repeating: 1, count: 1_024)
    let count = 2_000
    for number in 0..<count {
      for topic in Topic.allCases { hub.publish(topic, payload) }
      #expect(reader.take().values.map(\.frame.sequence) == [UInt32(number)])
    }
    let values = stalled.take().values
    #expect(values.count == Topic.allCases.count)
    #expect(values.allSatisfy { Int($0.lost) == count - 1 && $0.frame.payload.count == payload.count })
  }

  @Test func aPausedClientIsSentNothingAndWantsNothing() {
    let hub = Hub()
    let client = Self.client(hub, .meter)
    client.withOutbox { $0.isPaused = true }
    hub.publish(.meter, [1])
    #expect(hub.topics.isEmpty && client.take().values.isEmpty)
    client.withOutbox { $0.isPaused = false }
    hub.publish(.meter, [2])
    // What it did not want is not lost.
    let values = client.take().values
    #expect(hub.topics == [.meter] && values.map(\.frame.payload) == [[2]] && values.map(\.lost) == [0])
  }

  @Test func aClientThatLeavesIsSentNothingAndItsTopicsEndWithTheLast() async {
    let hub = Hub()
    let (first, second) = (Self.client(hub, .meter, .pitch), Self.client(hub, .meter))
    #expect(hub.topics == [.meter, .pitch] && hub.clients.count == 2)
    hub.leave(first)
    hub.publish(.meter, [1])
    #expect(first.take().values.isEmpty && second.take().values.count == 1)
    #expect(hub.topics == [.meter])
    hub.leave(second)
    #expect(hub.topics.isEmpty && hub.clients.isEmpty && hub.counts.connections == 2)
    // Whoever runs the engines hears of it.
    for await _ in hub.changes { break }
  }

  @Test func aWriterIsWokenByAValueAndByAStateAndEndsWithItsClient() async {
    let hub = Hub()
    let client = Self.client(hub, .meter)
    hub.publish(.meter, [1])
    for await _ in client.isReady { break }
    #expect(client.take().values.count == 1)
    // A value within the pause waits for its end: the hub wakes the writer.
    hub.publish(.meter, [2])
    hub.broadcast("{}", state: "meter")
    for await _ in client.isReady where !client.withOutbox({ $0.isEmpty }) { break }
    let (texts, values) = client.take()
    #expect(texts == ["{}"] && values.map(\.frame.payload) == [[2]])
    client.close()
    for await _ in client.isReady {}
    #expect(client.isClosed)
  }

  @Test func whatWritersHaveLostIsCountedInAll() {
    let hub = Hub()
    hub.sent(bytes: 20, lost: 3)
    hub.sent(bytes: 5, lost: 0)
    hub.sent(bytes: 0, lost: 4)
    #expect(hub.counts.bytes == 25 && hub.counts.lost == 7)
  }

  @Test func aCrowdIsWrittenToLessOften() {
    let pace = Pace()
    #expect(pace.pause == .milliseconds(33))
    pace.adapt(to: 201)
    #expect(pace.pause == .milliseconds(66))
    pace.adapt(to: 200)
    #expect(pace.pause == .milliseconds(33))
  }

  @Test func theSourceOfSoundIsOneClient() {
    let hub = Hub()
    #expect(hub.source(of: .sound) == nil)
    hub.setSource(of: .sound, to: 3)
    #expect(hub.source(of: .sound) == 3 && hub.source(of: .camera) == nil)
    hub.setSource(of: .sound, to: nil)
    #expect(hub.source(of: .sound) == nil)
  }
}
