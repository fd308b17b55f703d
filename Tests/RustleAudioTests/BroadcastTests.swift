import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct BroadcastTests {
  @Test func aListenerSeesTheNewestThatItHasNotSeen() async {
    let broadcast = Broadcast<Int>()
    var first = broadcast.stream(after: 7).makeAsyncIterator()
    var second = broadcast.stream().makeAsyncIterator()
    #expect(await first.next() == 7)
    for value in 1...3 { broadcast.show(value) }
    #expect(await first.next() == 3)
    #expect(await second.next() == 3)
    broadcast.show(nil)
    broadcast.show(4)
    #expect(await first.next() == 4)
  }

  @Test func streamsEndWithTheBroadcastAndByFinish() async {
    var broadcast: Broadcast<Int>? = Broadcast()
    var stream = broadcast?.stream(after: 1).makeAsyncIterator()
    broadcast = nil
    #expect(await stream?.next() == 1)
    #expect(await stream?.next() == nil)
    let finished = Broadcast<Int>()
    var before = finished.stream().makeAsyncIterator()
    finished.finish()
    finished.show(2)
    var after = finished.stream(after: 3).makeAsyncIterator()
    #expect(await before.next() == nil)
    #expect(await after.next() == 3)
    #expect(await after.next() == nil)
  }

  @Test func nothingIsMadeWhenNobodyListensAnyMore() async {
    let broadcast = Broadcast<Int>()
    var made = 0
    func value() -> Int? {
      made += 1
      return made
    }
    broadcast.show(value())
    #expect(made == 0)
    var stream: AsyncStream<Int>? = broadcast.stream()
    broadcast.show(value())
    #expect(made == 1)
    #expect(stream != nil)
    stream = nil
    broadcast.show(value())
    #expect(made == 1, "a stream that is dropped is forgotten")
    let cancelled = Task {
      for await _ in broadcast.stream() {}
      broadcast.show(2)
    }
    cancelled.cancel()
    await cancelled.value
    broadcast.show(value())
    #expect(made == 1, "and so is one whose task was cancelled")
  }
}
