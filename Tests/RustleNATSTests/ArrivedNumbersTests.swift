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
      var (seen, highest): (Set<UInt64>, UInt64) = ([0], 0)
      for number in numbers {
        let verdict = arrived.take(Self.id(number))
        #expect(verdict == (!seen.insert(number).inserted ? .duplicate : number < highest ? .late : .new))
        highest = max(highest, number)
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
    #expect(arrived.take(Self.id(3)) == .late)
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

  @Test(arguments: ["BTC", "BTC/USD", "BRK.B", "*", ">", "50%", "Ω€", "a_b-c:d", "\"\\"]) func aSymbolIsOneWord(
    symbol: String
  ) {
    let word = NATSSymbol.encoded(symbol)
    #expect(NATSSymbol.decoded(word) == symbol)
    #expect(word.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !word.contains { ".*>\"\\".contains($0) })
  }

  @Test func anAddressHasServersAndAPrefix() throws {
    let address = try NATSAddress("nats://[::1]:4223/a.b")
    #expect(address == NATSAddress(servers: ["nats://[::1]:4223"], prefix: "a.b"))
    #expect(address.origin == "nats://[::1]:4223/a.b" && address.stream == "rustle-a=b")
    #expect(address.subject(of: "BRK.B") == "a.b.q.BRK%2EB" && address.allSymbols == "a.b.q.>")
    for text in ["nats://h", "nats://h/", "nats://h/a b", "nats://h/a..b", "nats:///a", "http://h/a", "nats://h:0/a"] {
      let error = #expect(throws: FeedError.self) { try NATSAddress(text) }
      #expect(error?.code == .malformedAddress)
    }
  }

  @Test func anAddressHasSeveralServersOfOneKind() throws {
    let plain = try NATSAddress("nats://a,b:1,[::1]/p")
    #expect(plain.servers == ["nats://a", "nats://b:1", "nats://[::1]"] && !plain.isEncrypted)
    let encrypted = try NATSAddress("tls://a,b/p", credentials: .token("secret"), roots: "r.pem")
    #expect(encrypted.servers == ["tls://a", "tls://b"] && encrypted.isEncrypted)
    #expect(encrypted.origin == "tls://a:4222,b:4222/p")
    for servers in [["nats://a", "tls://b"], ["nats://a,b"], []] as [[String]] {
      #expect(throws: FeedError.self) { try NATSAddress(servers: servers, prefix: "p").check() }
    }
    #expect(throws: FeedError.self) { try NATSAddress("nats://a,/p") }
    #expect(throws: FeedError.self) { try NATSAddress("nats://a/p", roots: "r.pem") }
  }

  @Test(arguments: [
    "nats://user:secret@h/a", "nats://user:secret@h:x/a", "nats://a,user:se/secret@h/a", "nats://secret@h",
  ])
  func anAddressHasNoCredentials(text: String) {
    let error = #expect(throws: FeedError.self) { try NATSAddress(text) }
    #expect(error?.code == .malformedAddress && error?.message.contains("se") == false, "\(error?.message ?? "")")
    #expect(throws: FeedError.self) { try NATSAddress(servers: [text], prefix: "a").check() }
  }

  @Test func aMessagesPlaceIsInItsReply() {
    let place = StreamPlace(stream: 70, consumer: 5)
    #expect(StreamPlace("$JS.ACK.s.c.1.70.5.1700000000000000000.0".utf8) == place)
    #expect(StreamPlace("$JS.ACK._.hash.s.c.1.70.5.1700000000000000000.0.word".utf8) == place)
    for text in ["", "_INBOX.a.b", "$JS.ACK.s.c.1.70.5.0", "$JS.ACK.s.c.1.x.5.0.0", "$JS.FC.s.c.1.70.5.0.0"] {
      #expect(StreamPlace(text.utf8) == nil)
    }
    #expect(UInt64(digits: "18446744073709551615".utf8) == .max && UInt64(digits: "18446744073709551616".utf8) == nil)
  }

  @Test func aMessageThatAConsumerSentAndDidNotComeIsNoticed() {
    var order = StreamOrder()
    #expect(order.take(StreamPlace(stream: 4, consumer: 1)) && order.take(StreamPlace(stream: 9, consumer: 2)))
    #expect(order.agrees(with: ConsumerReport(sent: 2, answer: nil)))
    #expect(order.agrees(with: ConsumerReport(sent: nil, answer: "a")))
    #expect(!order.agrees(with: ConsumerReport(sent: 3, answer: nil)))
    #expect(!order.take(StreamPlace(stream: 12, consumer: 4)) && order.last == 9)
    order.begin()
    #expect(order.take(StreamPlace(stream: 10, consumer: 1)) && order.last == 10)
  }

  @Test func aConnectionsChangesAreToldOnce() {
    var watch = ConnectionWatch(NATSAddress(servers: ["nats://h"], prefix: "a"), wait: .seconds(1))
    let origin = "nats://h:4222/a"
    let lost = FeedConnection.reconnecting(after: .seconds(1), failures: 1, reason: "r")
    let first = FeedConnection.reconnecting(after: .seconds(1), failures: 1, reason: "no server answers")
    #expect(watch.changes(to: .reconnecting, reconnects: 0, failure: "") == [first])
    #expect(watch.changes(to: .reconnecting, reconnects: 0, failure: "r") == [lost])
    #expect(watch.changes(to: .reconnecting, reconnects: 0, failure: "r").isEmpty)
    #expect(watch.changes(to: .connected, reconnects: 1, failure: "r") == [.connected(to: origin)])
    #expect(watch.changes(to: .connected, reconnects: 1, failure: "r").isEmpty)
    #expect(watch.changes(to: .connected, reconnects: 2, failure: "r") == [lost, .connected(to: origin)])
    #expect(watch.changes(to: .closed, reconnects: 2, failure: "r") == [lost])
    #expect(watch.changes(to: .closed, reconnects: 0, failure: "r").isEmpty)
    watch = ConnectionWatch(NATSAddress(servers: ["nats://h"], prefix: "a"), wait: .seconds(1))
    #expect(watch.changes(to: .closed, reconnects: 0, failure: "") == [first])
    #expect(watch.changes(to: .closed, reconnects: 0, failure: "").isEmpty)
    let refusal = "Authorization Violation"
    #expect(watch.changes(to: .closed, reconnects: 0, failure: refusal) == [.closed(reason: refusal)])
  }

  /// Whatever the connection is by then.
  @Test func whatWaitsForAConnectionIsSentInOrderOnceOneWasSeen() {
    var trades = UnconfirmedTrades()
    func message(_ number: UInt64) -> NATSWriter.Message {
      NATSWriter.Message(channel: 3, trade: NATSRun.trade(number))
    }
    #expect(trades.look(isConnected: false, reconnects: 1) == 0)
    #expect(!trades.isOpen && trades.wait(message(1)) && trades.due().isEmpty)
    // A look alone sends nothing, so that an answer of the server confirms nothing; later ones do not overtake.
    #expect(trades.look(isConnected: true, reconnects: 1) == 0)
    #expect(trades.confirm() == 0 && trades.total == 1)
    #expect(!trades.isOpen && trades.wait(message(2)))
    #expect(trades.due().map(\.number) == [1, 2])
    #expect(trades.isOpen && trades.total == 0)
    // Those that wait outlive a connection in place of which another is made; refusals do not.
    trades.add(3)
    #expect(trades.refuse(3, "r") == 1)
    trades.add(4)
    #expect(trades.look(isConnected: false, reconnects: 1) == 1)
    #expect(trades.wait(message(5)) == true)
    #expect(trades.end() == 0 && trades.refusals.isEmpty && trades.reconnects == 0)
    #expect(!trades.isOpen && trades.waiting.map(\.number) == [5])
  }

  @Test func aQuietSymbolIsRepeatedEverMoreRarely() {
    var newest = NewestMessages()
    func take(_ number: UInt64) {
      let trade = Trade(symbol: "A", price: .zero, time: Timestamp(nanosecondsSince1970: 0), sequence: number)
      newest.take(NATSWriter.Message(channel: 3, trade: trade))
    }
    take(2)
    // An older one that came late.
    take(1)
    var due = (1...70).filter { _ in newest.step().map(\.number) == [2] }
    #expect(due == [2, 4, 8, 16, 32, 64])
    take(3)
    due = (1...3).filter { _ in newest.step().map(\.number) == [3] }
    #expect(due == [2] && newest.all.map(\.number) == [3])
  }
}
#endif
