#if NATS
import TestSupport
import Testing

@testable import RustleNATS

@Suite(.releasesNativeObjects) struct ArrivedNumbersTests {
  private static func id(_ number: UInt64, of symbol: String = "A", epoch: UInt64 = 1, source: String = "s") -> TradeID
  {
    TradeID(source: source, epoch: epoch, symbol: symbol, number: number)
  }

  @Test func everyNumberIsNewOnce() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<100 {
      var arrived = ArrivedNumbers()
      #expect(arrived.take(Self.id(0)) == .new)
      // Each at least once, in an order in which no more gaps are open than are remembered.
      let numbers = (1...60).flatMap { [UInt64($0), UInt64.random(in: 1...60, using: &generator)] }.shuffled()
      var seen: Set<UInt64> = [0]
      for number in numbers {
        #expect(arrived.take(Self.id(number)) == (seen.insert(number).inserted ? .new : .duplicate))
      }
    }
  }

  @Test func whatPrecedesTheFirstIsLeftOut() {
    var arrived = ArrivedNumbers()
    #expect([7, 6, 8, 7].map { arrived.take(Self.id($0)) } == [.new, .duplicate, .new, .duplicate])
  }

  @Test func theOldestGapIsForgotten() {
    var arrived = ArrivedNumbers()
    let count = UInt64(ArrivedNumbers.maximumGaps + 1)
    // 1, 3, 5 and so on are missing.
    for number in 0...count { #expect(arrived.take(Self.id(2 * number)) == .new) }
    #expect(arrived.take(Self.id(1)) == .duplicate)
    #expect(arrived.take(Self.id(3)) == .new)
  }

  @Test func aHigherEpochBeginsAnewAndALowerOneIsOutdated() {
    var arrived = ArrivedNumbers()
    #expect(arrived.take(Self.id(9)) == .new)
    #expect(arrived.take(Self.id(9, of: "B")) == .new)
    #expect(arrived.take(Self.id(0, epoch: 2)) == .renumbered)
    #expect(arrived.take(Self.id(3, of: "B", epoch: 2)) == .new)
    #expect(arrived.take(Self.id(10)) == .outdated)
    #expect(arrived.take(Self.id(10, source: "t")) == .new)
    #expect(arrived.take(Self.id(0, epoch: 2)) == .duplicate)
  }

  @Test(arguments: ["BTC", "BTC/USD", "a/b/c", "%20"]) func anIDIsReadBack(symbol: String) {
    let id = TradeID(source: "s", epoch: .max, symbol: symbol, number: 7)
    #expect(TradeID("\(id)") == id)
  }

  @Test(arguments: ["", "/", "a/b", "a/1/2", "a/x/B/1", "a/1/B/-1", "a/1/B/", "a/1/B/1x"])
  func anotherTextIsNoID(text: String) {
    #expect(TradeID(text) == nil)
  }

  @Test(arguments: ["BTC", "BTC/USD", "BRK.B", "*", ">", "50%", "Ω€", "a_b-c:d"]) func aSymbolIsOneWord(symbol: String)
  {
    let word = NATSSymbol.encoded(symbol)
    #expect(NATSSymbol.decoded(word) == symbol)
    #expect(word.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !word.contains { ".*>".contains($0) })
  }

  @Test func anAddressHasServersAndAPrefix() throws {
    let address = try NATSAddress("nats://user:secret@[::1]:4223/a.b")
    #expect(address == NATSAddress(servers: ["nats://user:secret@[::1]:4223"], prefix: "a.b"))
    #expect(address.origin == "nats://[::1]:4223/a.b" && address.stream == "rustle-a=b")
    #expect(address.subject(of: "BRK.B") == "a.b.q.BRK%2EB" && address.allSymbols == "a.b.q.>")
    for text in ["nats://h", "nats://h/", "nats://h/a b", "nats://h/a..b", "nats:///a", "http://h/a", "nats://h:0/a"] {
      let error = #expect(throws: FeedError.self) { try NATSAddress(text) }
      #expect(error?.code == .malformedAddress)
    }
    let error = #expect(throws: FeedError.self) { try NATSAddress("nats://user:secret@h:x/a") }
    #expect(error?.message.contains("secret") == false)
  }

  @Test func aConnectionsChangesAreToldOnce() {
    var watch = ConnectionWatch("o", wait: .seconds(1))
    let lost = FeedConnection.reconnecting(after: .seconds(1), failures: 1, reason: "r")
    let first = FeedConnection.reconnecting(after: .seconds(1), failures: 1, reason: "no server answers")
    #expect(watch.changes(to: .reconnecting, reconnects: 0, failure: "") == [first])
    #expect(watch.changes(to: .reconnecting, reconnects: 0, failure: "r") == [lost])
    #expect(watch.changes(to: .reconnecting, reconnects: 0, failure: "r").isEmpty)
    #expect(watch.changes(to: .connected, reconnects: 1, failure: "r") == [.connected(to: "o")])
    #expect(watch.changes(to: .connected, reconnects: 1, failure: "r").isEmpty)
    #expect(watch.changes(to: .connected, reconnects: 2, failure: "r") == [lost, .connected(to: "o")])
    #expect(watch.changes(to: .closed, reconnects: 2, failure: "r") == [.closed(reason: "r")])
  }

  @Test func aQuietSymbolIsRepeatedEverMoreRarely() {
    var newest = NewestMessages()
    func take(_ number: UInt64) { newest.take(NATSWriter.Message(id: Self.id(number), line: [])) }
    take(2)
    // An older one that came late.
    take(1)
    var due = (1...70).filter { _ in newest.step().map(\.id.number) == [2] }
    #expect(due == [2, 4, 8, 16, 32, 64])
    take(3)
    due = (1...3).filter { _ in newest.step().map(\.id.number) == [3] }
    #expect(due == [2] && newest.all.map(\.id.number) == [3])
  }
}
#endif
