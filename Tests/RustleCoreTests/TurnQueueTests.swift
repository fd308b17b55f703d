import Testing

@testable import RustleCore

struct TurnQueueTests {
  @Test func oneIsLetInAtATimeInTheOrderOfTheQuestions() {
    var queue = TurnQueue<String>()
    #expect(queue.enter() == .first)
    #expect(queue.enter() == .later(1))
    #expect(queue.enter() == .later(2))
    #expect(queue.wait(for: 1, "b") == nil)
    #expect(queue.wait(for: 2, "c") == nil)
    #expect(queue.count == 2)
    #expect(queue.leave() == "b")
    #expect(queue.enter() == .later(3), "the turn went on to b")
    #expect(queue.leave() == "c")
    #expect(queue.leave() == nil)
    #expect(queue.enter() == .first)
  }

  @Test func turnThatIsFreeWhenItIsWaitedForIsTaken() {
    var queue = TurnQueue<String>()
    #expect(queue.enter() == .first)
    #expect(queue.enter() == .later(1))
    #expect(queue.leave() == nil, "no waiter yet")
    #expect(queue.wait(for: 1, "b") == true)
    #expect(queue.enter() == .later(2))
  }

  @Test func abandonedPlaceIsLeftOut() {
    var queue = TurnQueue<String>()
    #expect(queue.enter() == .first)
    for (number, name) in [(1, "b"), (2, "c"), (3, "d")] as [(UInt64, String)] {
      #expect(queue.enter() == .later(number))
      #expect(queue.wait(for: number, name) == nil)
    }
    #expect(queue.abandon(2) == "c")
    #expect(queue.leave() == "b")
    #expect(queue.abandon(1) == nil, "it has its turn")
    queue.forget(1)
    #expect(queue.leave() == "d")
  }

  @Test func placeAbandonedBeforeItIsWaitedInHasNoTurn() {
    var queue = TurnQueue<String>()
    #expect(queue.enter() == .first)
    #expect(queue.enter() == .later(1))
    #expect(queue.abandon(1) == nil)
    #expect(queue.wait(for: 1, "b") == false)
    #expect(queue.leave() == nil)
    #expect(queue.enter() == .first)
  }
}
