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
      hub.publish(.prices, [])
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
