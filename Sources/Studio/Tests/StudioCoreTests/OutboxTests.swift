import StudioCore
import Testing

@Suite struct OutboxTests {
  private func frame(_ topic: Topic, _ sequence: UInt32) -> SampleFrame {
    SampleFrame(topic, sequence: sequence, time: 1_000, payload: [UInt8(truncatingIfNeeded: sequence)])
  }

  private func lost(_ bytes: [UInt8]) -> UInt32? { bytes.integer(at: 16) }

  @Test func framesAreLaidOutAsDocumented() {
    let frame = SampleFrame(.spectrum, sequence: 0x0403_0201, time: 0x0807_0605_0403_0201, payload: [9, 10])
    #expect(
      frame.bytes(lost: 7)
        == [1, 3, 0, 0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 7, 0, 0, 0, 9, 10])
  }

  @Test func theNewestValueWaitsAndTheOthersAreCounted() {
    var outbox = Outbox()
    let before = outbox.offer(frame(.meter, 0))
    #expect(!before && outbox.isEmpty)
    outbox.subscribe([.meter, .prices])
    let offers = (0..<5 as Range<UInt32>).map { outbox.offer(frame(.meter, $0)) } + [outbox.offer(frame(.prices, 9))]
    #expect(offers.allSatisfy { $0 } && outbox.lostCount == 4)
    let frames = outbox.take().frames
    #expect(frames.map { $0[1] } == [Topic.prices.rawValue, Topic.meter.rawValue])
    #expect(frames.map(lost) == [0, 4] && frames[1].last == 4)
    // The count has been sent: it begins anew.
    let again = outbox.offer(frame(.meter, 5))
    let next = outbox.take().frames
    #expect(again && next.map(lost) == [0])
  }

  @Test func memoryOfAReaderThatStallsIsBounded() {
    var outbox = Outbox()
    outbox.subscribe(Topic.allCases)
    for sequence in 0..<100_000 as Range<UInt32> {
      for topic in Topic.allCases { _ = outbox.offer(frame(topic, sequence)) }
    }
    let frames = outbox.take().frames
    #expect(frames.count == Topic.allCases.count && frames.allSatisfy { lost($0) == 99_999 })
  }

  @Test func nothingIsKeptForAHiddenPage() {
    var outbox = Outbox()
    outbox.subscribe([.tempo])
    outbox.isPaused = true
    let hidden = outbox.offer(frame(.tempo, 0))
    #expect(!hidden && outbox.isEmpty)
    outbox.isPaused = false
    let shown = outbox.offer(frame(.tempo, 1))
    #expect(shown)
    outbox.unsubscribe([.tempo])
    #expect(outbox.isEmpty && outbox.topics.isEmpty && outbox.lostCount == 0)
  }

  @Test func answersKeepTheirOrderUntilThereIsNoRoom() {
    var outbox = Outbox()
    let accepted = (0..<Outbox.maximumAnswerCount).map { outbox.answer("\($0)") }
    let oneMore = outbox.answer("one more")
    #expect(accepted.allSatisfy { $0 } && !oneMore)
    let taken = outbox.take().answers
    let again = outbox.answer("again")
    #expect(taken == (0..<Outbox.maximumAnswerCount).map(String.init) && again)
  }
}
