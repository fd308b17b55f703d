import StudioCore
import Testing

@Suite struct OutboxTests {
  private func frame(_ topic: Topic, _ sequence: UInt32) -> SampleFrame {
    SampleFrame(topic, sequence: sequence, time: 1_000, payload: [UInt8(truncatingIfNeeded: sequence)])
  }

  @Test func framesAreLaidOutAsDocumented() {
    let frame = SampleFrame(.spectrum, sequence: 0x0403_0201, time: 0x0807_0605_0403_0201, payload: [9, 10])
    #expect(
      frame.bytes(lost: 7)
        == [1, 3, 0, 0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 7, 0, 0, 0, 9, 10])
  }

  @Test func valuesAreJSONWithNames() {
    var prices: [UInt8] = [1, 0]
    prices.append(text: "BTC")
    for number in [64_000.5, 0.25] { prices.append(number: number) }
    prices.append(integer: 1_700_000_000_000 as Int64)
    prices.append(integer: 7 as UInt64)
    prices.append(text: "64000.50")
    prices.append(number: 2.5)
    prices.append(integer: 4 as UInt64)
    let value = SampleFrame(.prices, sequence: 3, time: 9, payload: prices).json
    #expect(
      value.text
        == #"{"lag":2.5,"missed":4,"prices":[{"change":0.25,"price":64000.5,"received":7,"symbol":"BTC","text":"64000.50","time":1700000000000}],"sequence":3,"time":9,"topic":"prices"}"#
    )
    var pitch: [UInt8] = []
    for number in [440, 1, -3, -20, Double.infinity] { pitch.append(number: number) }
    pitch.append(integer: 69 as Int16)
    pitch += [1, 0, 2, 1] + Array("A4".utf8)
    let tuned = SampleFrame(.pitch, sequence: 0, time: 0, payload: pitch).json
    #expect(tuned["note"] == "A4" && tuned["cents"] == .number(-3) && tuned["held"] == true && tuned["inTune"] == false)
    #expect(tuned["midi"] == .number(69) && tuned["string"] == .number(2) && tuned["polyphonic"] == true)
    // Shorter payloads have no numbers, and nothing crashes.
    for topic in Topic.allCases {
      for length in 0..<pitch.count {
        #expect(
          SampleFrame(topic, sequence: 0, time: 0, payload: Array(pitch.prefix(length))).json["topic"]
            == .string(topic.name))
      }
    }
  }

  @Test func theNewestValueWaitsAndTheOthersAreCounted() {
    var outbox = Outbox()
    let before = outbox.offer(frame(.meter, 0))
    #expect(!before && outbox.isEmpty)
    outbox.subscribe([.meter, .prices])
    let offers = (0..<5 as Range<UInt32>).map { outbox.offer(frame(.meter, $0)) } + [outbox.offer(frame(.prices, 9))]
    #expect(offers.allSatisfy { $0 })
    let values = outbox.take().values
    #expect(values.map(\.frame.topic) == [.prices, .meter])
    #expect(values.map(\.lost) == [0, 4] && values[1].frame.sequence == 4)
    // The count has been sent: it begins anew.
    let again = outbox.offer(frame(.meter, 5))
    let next = outbox.take().values
    #expect(again && next.map(\.lost) == [0])
  }

  /// What comes late waits for a while, and the next one then comes soon after.
  @Test func aValueThatIsFarFromTheNextIsKept() {
    func meter(_ sequence: UInt32, _ time: UInt64) -> SampleFrame {
      SampleFrame(.meter, sequence: sequence, time: time, payload: [])
    }
    var outbox = Outbox()
    outbox.subscribe([.meter, .prices])
    for value in [meter(0, 0), meter(1, 10), meter(2, 21), frame(.prices, 7)] {
      let isWanted = outbox.offer(value, keepingFrom: 10)
      #expect(isWanted)
    }
    #expect(outbox.hasOlder)
    var values = outbox.take().values
    #expect(values.map(\.frame.sequence) == [7, 1, 2] && values.map(\.lost) == [0, 1, 0])
    #expect(outbox.isEmpty && !outbox.hasOlder)
    // Two at most, and each of the others is counted before the one that followed it.
    let others: [(UInt32, UInt64)] = [(3, 20), (4, 31), (5, 32), (6, 43), (7, 54)]
    for (sequence, time) in others { _ = outbox.offer(meter(sequence, time), keepingFrom: 10) }
    _ = outbox.offer(meter(8, 60), keepingFrom: 10)
    values = outbox.take().values
    #expect(values.map(\.frame.sequence) == [6, 8] && values.map(\.lost) == [3, 1])
    // Of a page that does not read none is kept.
    for (sequence, time) in others { _ = outbox.offer(meter(sequence, time), keepingFrom: 10) }
    _ = outbox.offer(meter(8, 99))
    #expect(!outbox.hasOlder)
    values = outbox.take().values
    #expect(values.map(\.frame.sequence) == [8] && values.map(\.lost) == [5])
    // A pause drops what waits, and no count of what was lost before.
    for (sequence, time) in others.prefix(2) + [(5, 43)] { _ = outbox.offer(meter(sequence, time), keepingFrom: 10) }
    #expect(outbox.hasOlder)
    outbox.isPaused = true
    outbox.isPaused = false
    _ = outbox.offer(meter(9, 99))
    #expect(outbox.take().values.map(\.lost) == [1])
    // Nor is one of a topic that is left, or of a hidden page.
    for leave in [{ $0.unsubscribe([.meter]) }, { $0.isPaused = true }] as [(inout Outbox) -> Void] {
      var left = outbox
      for (sequence, time) in others { _ = left.offer(meter(sequence, time), keepingFrom: 10) }
      leave(&left)
      #expect(left.isEmpty && !left.hasOlder)
    }
  }

  @Test func memoryOfAReaderThatStallsIsBounded() {
    var outbox = Outbox()
    outbox.subscribe(Topic.allCases)
    for sequence in 0..<100_000 as Range<UInt32> {
      for topic in Topic.allCases { _ = outbox.offer(frame(topic, sequence)) }
    }
    let values = outbox.take().values
    #expect(values.count == Topic.allCases.count && values.allSatisfy { $0.lost == 99_999 })
  }

  @Test func theGreetingIsFirst() {
    var outbox = Outbox()
    let long = String(repeating: "x", count: Outbox.maximumAnswerLength + 1)
    outbox.answer(long)
    outbox.answer("second")
    outbox.state("lights", "state")
    outbox.greet(long + "hello")
    let texts = outbox.take().texts
    #expect(texts == [long + "hello", "state", long, "second"] && outbox.isEmpty)
  }

  @Test func nothingIsKeptForAHiddenPage() {
    var outbox = Outbox()
    outbox.subscribe([.tempo])
    let waits = outbox.offer(frame(.tempo, 0))
    outbox.isPaused = true
    let hidden = outbox.offer(frame(.tempo, 0))
    #expect(waits && !hidden && outbox.isEmpty)
    outbox.isPaused = false
    let shown = outbox.offer(frame(.tempo, 1))
    #expect(shown)
    outbox.unsubscribe([.tempo])
    #expect(outbox.isEmpty && outbox.topics.isEmpty)
  }

  @Test func theNewestOfEachStatePrecedesTheAnswers() {
    var outbox = Outbox()
    outbox.answer("answer")
    for number in 0..<1_000 {
      outbox.state("sound", "sound \(number)")
      outbox.state("meter", "meter \(number)")
    }
    let texts = outbox.take().texts
    #expect(texts == ["meter 999", "sound 999", "answer"] && outbox.isEmpty)
  }

  @Test func aRevisionReadBeforeASaveDoesNotReplaceTheSavedOne() {
    var outbox = Outbox()
    outbox.state("account eq", "revision 2", revision: 2)
    outbox.state("account eq", "revision 1", revision: 1)
    // Each state has revisions of its own.
    outbox.state("account tuner", "revision 1", revision: 1)
    let first = outbox.take().texts
    #expect(first == ["revision 2", "revision 1"])
    // Nor does it follow after the saved one was taken.
    outbox.state("account eq", "revision 1", revision: 1)
    #expect(outbox.isEmpty)
    // Who subscribes again gets the present one.
    outbox.state("account eq", "revision 2", revision: 2)
    let again = outbox.take().texts
    #expect(again == ["revision 2"])
  }

  @Test func actionsUnderWayAndAnswersThatWaitFillIt() {
    var outbox = Outbox()
    let half = Outbox.maximumAnswerCount / 2
    for _ in 0..<half { outbox.begin(length: 1) }
    for number in 0..<half {
      #expect(!outbox.isFull)
      outbox.answer("\(number)")
    }
    #expect(outbox.isFull && outbox.hasAnswers)
    // An action that ends leaves an answer in its place.
    for number in half..<2 * half {
      outbox.answer("\(number)", toActionOfLength: 1)
      #expect(outbox.isFull)
    }
    let taken = outbox.take().texts
    #expect(taken == (0..<2 * half).map(String.init) && !outbox.isFull && !outbox.hasAnswers)
    // The bytes are bounded too, of both together.
    let length = Outbox.maximumAnswerLength / 2
    outbox.begin(length: length)
    #expect(!outbox.isFull)
    outbox.answer(String(repeating: "x", count: length))
    #expect(outbox.isFull)
    outbox.answer("", toActionOfLength: length)
    #expect(!outbox.isFull)
  }
}
