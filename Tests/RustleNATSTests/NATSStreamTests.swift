#if NATS
import Foundation
import TestSupport
import Testing

@testable import RustleNATS

/// The order of streams that consumers of the server send.
@Suite(.releasesNativeObjects) struct NATSStreamTests {
  /// A consumer's flow control lets it send 2 MB before it is answered.
  @Test func aLongStreamIsReadInOrder() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    for start in stride(from: UInt64(0), to: 20_000, by: 1_000) {
      try await source.push(NATSRun.trades(start..<start + 1_000))
    }
    #expect(try await source.end().acknowledged == 20_000)
    var reader = try await NATSRun.Reader(
      NATSFeed(server.address(), replay: .all, pingInterval: .milliseconds(100)), policy: .lossless(capacity: 16))
    for number in UInt64(0)..<20_000 { #expect(try await reader.next().sequence == number) }
    #expect(try await reader.feed.counts.duplicates == 0)
    await reader.feed.shutDown()
  }

  /// Makes the stream of an address with further settings.
  private func make(
    _ settings: String, of address: NATSAddress, _ connection: NATSConnection, _ verb: String = "CREATE",
    subject: String? = nil
  ) throws {
    let subject = subject ?? address.allSymbols
    let text = #"{"name":"\#(address.stream)","subjects":["\#(subject)"],"storage":"file",\#(settings)}"#
    let bytes = try connection.request("$JS.API.STREAM.\(verb).\(address.stream)", text)
    let answer = String(decoding: bytes, as: UTF8.self)
    #expect(!answer.contains("\"error\""), "\(answer)")
  }

  private func connection(to server: NATSServer) throws -> NATSConnection {
    try NATSConnection(
      to: server.address(), connectTimeout: .seconds(20), pingInterval: .seconds(20), reconnectWait: .milliseconds(10))
  }

  private static let day = #""max_age":86400000000000,"max_msgs_per_subject":-1,"num_replicas":1"#

  /// A trade whose message is longer than 200 bytes, which others are not.
  private static func longTrade(_ number: UInt64, of symbol: String) throws -> Trade {
    let most = try #require(ExactDecimal(units: 999_999_999_999_999_999, scale: 2))
    return Trade(
      symbol: symbol, price: most, size: most, time: Timestamp(nanosecondsSince1970: Int64(number) * 1_000_000),
      sequence: number, quote: Quote(bid: most, ask: most, bidSize: most, askSize: most))
  }

  /// Of a trade that is refused for all patience nothing else is lost.
  @Test func whatIsNeverStoredCostsNothingElse() async throws {
    let server = try NATSServer()
    let (address, connection) = (server.address(), try connection(to: server))
    try make(#"\#(Self.day),"max_msg_size":200"#, of: address, connection)
    let source = try await NATSRun.Source(NATSPublisher(address, durable: .init(patience: .milliseconds(100))))
    var trades = (UInt64(0)..<100).flatMap { number in (0..<3).map { NATSRun.trade(number, of: "S\($0)") } }
    trades[5 * 3] = try Self.longTrade(5, of: "S0")
    try await source.push(trades)
    let counts = try await source.end()
    #expect((counts.published, counts.acknowledged, counts.failed) == (299, 299, 1))
    var reader = try await NATSRun.Reader(NATSFeed(address, replay: .all))
    var next = [String: UInt64]()
    for _ in 0..<299 {
      let trade = try await reader.next()
      #expect(trade.sequence == next[trade.symbol, default: 0] + trade.sequenceGap)
      #expect(trade.sequenceGap == (trade.symbol == "S0" && trade.sequence == 6 ? 1 : 0))
      next[trade.symbol] = (trade.sequence ?? 0) + 1
    }
    await reader.feed.shutDown()
  }

  /// Another one has taken the place of a stream that is gone.
  @Test func whyAStreamIsNotMadeAgainIsReported() async throws {
    let folder = try ScratchFolder()
    let file = folder.url.appending(path: "limits.conf")
    let text = "accounts { A { jetstream: { max_streams: 1 }, users: [{ user: a, password: p }] } }"
    try Data(text.utf8).write(to: file)
    let server = try NATSServer("-c", file.path)
    var address = server.address()
    address.credentials = .user("a", password: "p")
    let connection = try NATSConnection(
      to: address, connectTimeout: .seconds(20), pingInterval: .seconds(20), reconnectWait: .milliseconds(10))
    let source = try await NATSRun.Source(NATSPublisher(address, durable: .init(patience: .seconds(30))))
    try await source.push(NATSRun.trades(0..<10))
    while source.value("acknowledged_total") < 10 { await Task.yield() }
    _ = try connection.request("$JS.API.STREAM.DELETE.\(address.stream)")
    try make(Self.day, of: NATSAddress(servers: address.servers, prefix: "other"), connection)
    try await source.push(NATSRun.trades(10..<20))
    async let counts = source.end()
    var notices: [String] = []
    for await notice in source.publication.notices {
      notices.append(notice)
      if notice.contains("maximum number of streams") { break }
    }
    #expect(notices.last?.contains("maximum number of streams") == true, "\(notices)")
    source.publication.cancel()
    let end = try await counts
    #expect((end.acknowledged, end.failed) == (10, 10))
  }

  /// A stream that refuses one trade stores none of the symbol's later ones before it.
  @Test(arguments: [1, 3]) func whatIsStoredLateIsStoredInOrder(symbols: Int) async throws {
    let server = try NATSServer()
    let (address, connection) = (server.address(), try connection(to: server))
    try make(#"\#(Self.day),"max_msg_size":200"#, of: address, connection)
    let source = try await NATSRun.Source(NATSPublisher(address, durable: .init()))
    var trades = (UInt64(0)..<100).flatMap { number in (0..<symbols).map { NATSRun.trade(number, of: "S\($0)") } }
    trades[5 * symbols] = try Self.longTrade(5, of: "S0")
    try await source.push(trades)
    for await notice in source.publication.notices where notice.contains("size") { break }
    try make(#"\#(Self.day),"max_msg_size":-1"#, of: address, connection, "UPDATE")
    let counts = try await source.end()
    for await state in source.publication.connectionStates where NATSRun.isLost(state) {
      Issue.record("the connection stood, got \(state)")
    }
    var notices: [String] = []
    for await notice in source.publication.notices { notices.append(notice) }
    #expect(notices.last == "all updates are acknowledged again", "\(notices)")
    #expect((counts.acknowledged, counts.failed) == (UInt64(100 * symbols), 0) && counts.retries > 0)
    var reader = try await NATSRun.Reader(NATSFeed(address, replay: .all))
    var next = [String: UInt64]()
    for _ in trades {
      let trade = try await reader.next()
      #expect(trade.sequence == next[trade.symbol, default: 0])
      next[trade.symbol] = (trade.sequence ?? 0) + 1
    }
    await reader.feed.shutDown()
    var latest = try await NATSRun.Reader(NATSFeed(address, replay: .lastPerSymbol))
    for _ in 0..<symbols { #expect(try await latest.next().sequence == 99) }
    await latest.feed.shutDown()
  }

  /// Each stores a part, so that the other's numbers of the stream's messages are wrong.
  @Test func twoPublishersOfOneSymbolStoreItInOrder() async throws {
    let server = try NATSServer()
    let sources = [
      try await NATSRun.Source(NATSPublisher(server.address(), durable: .init())),
      try await NATSRun.Source(NATSPublisher(server.address(), durable: .init())),
    ]
    for start in stride(from: UInt64(0), to: 5_000, by: 250) {
      for source in sources { try await source.push(NATSRun.trades(start..<start + 250)) }
    }
    for source in sources {
      let counts = try await source.end()
      #expect((counts.acknowledged, counts.failed) == (5_000, 0))
    }
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), replay: .all))
    for number in UInt64(0)..<5_000 { #expect(try await reader.next().sequence == number) }
    #expect(try await reader.feed.counts.duplicates == 0)
    await reader.feed.shutDown()
  }

  /// Trades of another publisher between two of a symbol refuse all that follow.
  @Test func publishersOfOtherSymbolsKeepTheirOrder() async throws {
    let server = try NATSServer()
    let address = server.address()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for symbol in ["A", "B"] {
        tasks.addTask {
          let source = try await NATSRun.Source(NATSPublisher(address, durable: .init()))
          for start in stride(from: UInt64(0), to: 5_000, by: 250) {
            try await source.push(NATSRun.trades(start..<start + 250, of: symbol))
          }
          let counts = try await source.end()
          #expect((counts.acknowledged, counts.failed) == (5_000, 0))
        }
      }
      try await tasks.waitForAll()
    }
    var reader = try await NATSRun.Reader(NATSFeed(address, replay: .all))
    var next = [String: UInt64]()
    for _ in 0..<10_000 {
      let trade = try await reader.next()
      #expect(trade.sequence == next[trade.symbol, default: 0])
      next[trade.symbol] = (trade.sequence ?? 0) + 1
    }
    #expect(try await reader.feed.counts.outOfOrder == 0)
    await reader.feed.shutDown()
  }

  @Test func settingsOfAStreamThatExistsAreCompared() async throws {
    let server = try NATSServer()
    let connection = try connection(to: server)
    let address = server.address()
    try make(#""max_age":3600000000000,"max_msgs_per_subject":7,"num_replicas":1"#, of: address, connection)
    let expected =
      "stream \(address.stream): it exists, and keeps them for 3600 s, not for 86400 s; keeps 7 messages of a symbol, not all messages"
    let other = try await NATSRun.Source(NATSPublisher(address, durable: .init()))
    try await other.push(NATSRun.trades(0..<10))
    _ = try await other.end()
    var notices: [String] = []
    for await notice in other.publication.notices { notices.append(notice) }
    #expect(notices == [expected])
    // It is as asked for, whatever else it has.
    let equal = try await NATSRun.Source(
      NATSPublisher(address, durable: .init(age: .seconds(3_600), tradesPerSymbol: 7)))
    try await equal.push(NATSRun.trades(10..<20))
    _ = try await equal.end()
    for await notice in equal.publication.notices { Issue.record("expected no notice, got \(notice)") }
    let replicated = NATSConnection.StreamSettings(
      subject: "p.q.>", messagesPerSubject: 7, age: .seconds(3_600), replicas: 3)
    var one = replicated
    one.replicas = 1
    #expect(replicated.difference(from: one) == "it exists, and stores on one server, not 3 servers")
  }

  /// Of what it does not store nothing else is lost.
  @Test func aStreamOfNarrowerSubjectsHoldsUpNoOthers() async throws {
    let server = try NATSServer()
    let (address, connection) = (server.address(), try connection(to: server))
    let subject = address.subject(of: "A")
    try make(Self.day, of: address, connection, subject: subject)
    let source = try await NATSRun.Source(NATSPublisher(address, durable: .init(patience: .seconds(5))))
    await source.state(NATSRun.isConnected)
    for round in UInt64(0)..<2 {
      let numbers = round * 40..<round * 40 + 40
      try await source.push(numbers.flatMap { number in ["B", "A"].map { NATSRun.trade(number, of: $0) } })
      while source.handled < Double(round + 1) * 80 { await Task.yield() }
    }
    // What is known not to be stored is sent again at most once, to find out that the stream is there.
    let retries = source.value("retried_total")
    for number in UInt64(80)..<82 {
      try await source.push([NATSRun.trade(number, of: "B")])
      try await source.push([NATSRun.trade(number, of: "A")])
    }
    while source.handled < 164 { await Task.yield() }
    #expect(retries > 0 && source.value("retried_total") <= retries + 2)
    let counts = try await source.end()
    #expect((counts.acknowledged, counts.failed) == (82, 82))
    var notices: [String] = []
    for await notice in source.publication.notices where notice.hasPrefix("stream ") { notices.append(notice) }
    #expect(
      notices == ["stream \(address.stream): it exists, and has the subject \(subject), not \(address.allSymbols)"])
  }

  @Test func answersOfAStreamAreRead() {
    func answer(_ text: String) -> StreamAnswer { StreamAnswer(Array(text.utf8)) }
    #expect(answer(#"{"stream":"S", "seq":10}"#) == .stored)
    #expect(answer(#"{"stream":"S", "seq":7,"duplicate": true}"#) == .stored)
    // A cluster has refused it, and takes it for a duplicate.
    let refused = StreamAnswer.refused("the stream has refused a message with this identifier")
    #expect(answer(#"{"stream":"S", "seq":0,"duplicate": true}"#) == refused)
    #expect(answer(#"{"error":{"code":400,"err_code":10070,"description":"wrong last msg ID: a"}}"#) == .behindAnother)
    #expect(answer(#"{"error":{"code":503,"err_code":10077,"description":"maximum"}}"#) == .refused("maximum"))
  }

  /// Of a symbol that does not go on, and of each on several servers, one message is sent alone.
  @Test func aRoundSendsTheFirstOfASymbolAlone() {
    #expect(StreamRound([0, 0, 1, 1, 1, 4]).places == [0, 1, 2, 3, 4, 5])
    let round = StreamRound([0, 0, 1, 1, 1, 4]) { $0 == 1 }
    #expect(round.places == [0, 1, 2, 5] && round.stored == [] && round.stuck.silent == [0, 1, 4])
  }

  /// As with a server of a cluster that dies and is not the one of the connection.
  @Test func aConsumerThatEndsIsReplaced() async throws {
    struct Names: Decodable { let consumers: [String]? }
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    var reader = try await NATSRun.Reader(
      NATSFeed(server.address(), replay: .all, pingInterval: .milliseconds(100)))
    let connection = try NATSConnection(
      to: server.address(), connectTimeout: .seconds(20), pingInterval: .seconds(20), reconnectWait: .milliseconds(10))
    let stream = server.address().stream
    for round in UInt64(0)..<3 {
      try await source.push(NATSRun.trades(round * 10..<round * 10 + 10))
      for number in round * 10..<round * 10 + 10 { #expect(try await reader.next().sequence == number) }
      let names = try JSONDecoder().decode(
        Names.self, from: Data(connection.request("$JS.API.CONSUMER.NAMES.\(stream)")))
      let name = try #require(names.consumers?.first)
      let answer = try connection.request("$JS.API.CONSUMER.DELETE.\(stream).\(name)")
      #expect(String(decoding: answer, as: UTF8.self).contains("\"success\":true"))
    }
    #expect(try await source.end().failed == 0)
    await reader.feed.shutDown()
  }
}
#endif
