#if NATS
import Foundation
import RustleCore
import TestSupport
import Testing

@testable import RustleNATS

/// What a publication counts, and what it does not lose.
@Suite(.releasesNativeObjects) struct NATSPublicationTests {
  /// The addresses of users of a server: one that may only read, one that may only write, and one that may publish and read the symbol A.
  private func limitedUsers() throws -> (NATSServer, reader: NATSAddress, writer: NATSAddress, half: NATSAddress) {
    let folder = try ScratchFolder()
    let file = folder.url.appending(path: "users.conf")
    let text = """
      authorization { timeout: 60, users = [
        { user: reader, password: p, permissions: { publish: "none", subscribe: ">" } }
        { user: writer, password: p, permissions: { publish: ">", subscribe: "_INBOX.>" } }
        { user: half, password: p, permissions: { publish: ["p.q.A", "$JS.>"], subscribe: ["p.q.A", "_INBOX.>"] } }
      ] }
      """
    try Data(text.utf8).write(to: file)
    let server = try NATSServer("-c", file.path)
    func address(_ user: String) -> NATSAddress {
      NATSAddress(servers: [server.url], prefix: "p", credentials: .user(user, password: "p"))
    }
    return (server, address("reader"), address("writer"), address("half"))
  }

  @Test func whatAServerRefusesIsNotPublished() async throws {
    let (server, reader, _, _) = try limitedUsers()
    let source = try await NATSRun.Source(NATSPublisher(reader))
    await source.state(NATSRun.isConnected)
    try await source.push(NATSRun.trades(0..<100))
    let counts = try await source.end()
    #expect((counts.published, counts.failed) == (0, 100))
    #expect(counts.reason?.contains("ermission") == true, "\(counts)")
    withExtendedLifetime(server) {}
  }

  @Test func aReaderThatIsRefusedReportsIt() async throws {
    let (server, _, writer, _) = try limitedUsers()
    let feed = try MarketFeed(.nats(NATSFeed(writer)))
    let states = try await feed.connectionStates()
    try await feed.run()
    for await case .value(.reconnecting(_, _, let reason)) in states {
      #expect(reason.contains("ermission"))
      break
    }
    await feed.shutDown()
    withExtendedLifetime(server) {}
  }

  /// Others do not wait for it again.
  @Test func aSymbolThatIsRefusedIsGivenUp() async throws {
    let (server, _, _, half) = try limitedUsers()
    let source = try await NATSRun.Source(NATSPublisher(half, durable: .init(patience: .seconds(3))))
    var retries = 0.0
    for round in UInt64(0)..<4 {
      let numbers = round * 10..<round * 10 + 10
      try await source.push(NATSRun.trades(numbers) + NATSRun.trades(numbers, of: "B"))
      while source.handled < Double(round + 1) * 20 { await Task.yield() }
      if round == 0 { retries = source.value("retried_total") }
    }
    #expect(source.value("acknowledged_total") == 40 && source.value("failed_total") == 40)
    #expect(retries > 0 && source.value("retried_total") == retries)
    let counts = try await source.end()
    #expect((counts.published, counts.acknowledged, counts.failed) == (40, 40, 40))
    #expect(counts.reason?.contains("ermission") == true)
    withExtendedLifetime(server) {}
  }

  /// Trades of others between those of a symbol that is refused are stored.
  @Test func aSymbolThatIsRefusedHoldsUpNoOther() async throws {
    let (server, _, _, half) = try limitedUsers()
    let source = try await NATSRun.Source(NATSPublisher(half, durable: .init(patience: .seconds(5))))
    await source.state(NATSRun.isConnected)
    for round in UInt64(0)..<2 {
      let numbers = round * 40..<round * 40 + 40
      let trades = zip(NATSRun.trades(numbers), NATSRun.trades(numbers, of: "B")).flatMap { [$0, $1] }
      try await source.push(trades)
      while source.handled < Double(round + 1) * 80 { await Task.yield() }
      #expect(source.value("acknowledged_total") == Double(round + 1) * 40)
    }
    let counts = try await source.end()
    #expect((counts.acknowledged, counts.failed) == (80, 80))
    withExtendedLifetime(server) {}
  }

  /// Later trades that are stored late are no other reason.
  @Test func theReasonOfALossStays() async throws {
    let (server, _, _, half) = try limitedUsers()
    let source = try await NATSRun.Source(NATSPublisher(half, durable: .init(patience: .seconds(10))))
    try await source.push(NATSRun.trades(0..<1, of: "B"))
    while source.value("failed_total") < 1 { await Task.yield() }
    // Until something is stored nothing is sent again.
    try await source.push(NATSRun.trades(0..<1))
    while source.handled < 2 { await Task.yield() }
    let connection = try NATSConnection(
      to: half, connectTimeout: .seconds(20), pingInterval: .seconds(20), reconnectWait: .milliseconds(10))
    _ = try connection.request("$JS.API.STREAM.DELETE.\(half.stream)")
    let retries = source.value("retried_total")
    try await source.push(NATSRun.trades(1..<10))
    while source.handled < 11 { await Task.yield() }
    #expect(source.value("retried_total") > retries)
    let counts = try await source.end()
    #expect((counts.acknowledged, counts.failed) == (10, 1))
    #expect(counts.reason?.contains("ermission") == true, "\(counts)")
    withExtendedLifetime(server) {}
  }

  /// What is not stored while no server is there is no matter of a symbol: in the next outage it is sent again.
  @Test func aSymbolThatAnOutageFailedIsSentAgainInTheNext() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init(patience: .seconds(5))))
    await source.loseConnection(to: server)
    try await source.push(NATSRun.trades(0..<1, of: "B"))
    while source.value("failed_total") < 1 { await Task.yield() }
    try server.restart()
    await source.state(NATSRun.isConnected)
    var number: UInt64 = 0
    while source.value("acknowledged_total") < 1 {
      try await source.push(NATSRun.trades(number..<number + 1))
      number += 1
      while source.handled < Double(number + 1) { await Task.yield() }
    }
    server.kill()
    await source.state(NATSRun.isLost)
    let (failed, retries) = (source.value("failed_total"), source.value("retried_total"))
    try await source.push(NATSRun.trades(1..<2, of: "B"))
    while source.value("failed_total") == failed && source.value("retried_total") == retries { await Task.yield() }
    #expect(source.value("retried_total") > retries)
    source.publication.cancel()
    _ = await source.publication.counts
    await source.feed.shutDown()
  }

  /// libnats keeps the last refusal alone.
  @Test func ofSeveralSymbolsThoseThatAreRefusedFail() async throws {
    let (server, _, _, half) = try limitedUsers()
    let source = try await NATSRun.Source(NATSPublisher(half))
    await source.state(NATSRun.isConnected)
    try await source.push((UInt64(0)..<40).flatMap { number in ["B", "A", "C"].map { NATSRun.trade(number, of: $0) } })
    let counts = try await source.end()
    #expect((counts.published, counts.failed) == (40, 80) && counts.reason?.contains("ermission") == true)
    var notices: [String] = []
    for await notice in source.publication.notices { notices.append(notice) }
    #expect(notices.count == 2 && notices.allSatisfy { $0.contains("ermission") })
    for symbol in ["B", "C"] { #expect(notices.contains { $0.hasPrefix("\(symbol) is refused") }, "\(notices)") }
    withExtendedLifetime(server) {}
  }

  @Test func aRefusalOfOneSymbolRefusesNoOtherReader() async throws {
    let (server, _, _, half) = try limitedUsers()
    let feed = try MarketFeed(.nats(NATSFeed(half)))
    let states = try await feed.connectionStates()
    var refused: EngineStream<Trade>? = try await feed.trades(of: ["B"])
    try await feed.run()
    for await case .value(.reconnecting(_, _, let reason)) in states where reason.contains("ermission") { break }
    withExtendedLifetime(refused) {}
    refused = nil
    var trades = try await feed.trades(of: ["A"]).makeAsyncIterator()
    let source = try await NATSRun.Source(NATSPublisher(half))
    // Its newest is sent again until it is read.
    try await source.push(NATSRun.trades(0..<1))
    #expect(try #require(await trades.next()).value == NATSRun.trade(0))
    #expect(try await source.end().failed == 0)
    await feed.shutDown()
    withExtendedLifetime(server) {}
  }

  @Test(arguments: [nil, NATSPublisher.Durable(patience: .seconds(3_600))])
  func aServerThatTakesTheTokenLaterIsPublishedTo(durable: NATSPublisher.Durable?) async throws {
    let server = try NATSServer("--auth", "another")
    var address = server.address()
    address.credentials = .token("ours")
    let source = try await NATSRun.Source(NATSPublisher(address, durable: durable))
    for await case .reconnecting(_, _, let reason) in source.publication.connectionStates
    where reason.contains("uthorization") { break }
    // Refused twice, after which libnats makes no attempts: within a second.
    let end = ContinuousClock.now + .seconds(2)
    while ContinuousClock.now < end { await Task.yield() }
    server.kill()
    try server.restart(["--auth", "ours"])
    await source.state(NATSRun.isConnected)
    try await source.push(NATSRun.trades(0..<10))
    let counts = try await source.end()
    #expect((counts.published, counts.failed) == (10, 0))
  }

  @Test func whatWaitsWhenItIsCancelledIsCounted() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init(patience: .seconds(3_600))))
    await source.state(NATSRun.isConnected)
    server.kill()
    for start in stride(from: UInt64(0), to: 20_000, by: 1_000) {
      try await source.push(NATSRun.trades(start..<start + 1_000))
    }
    source.publication.cancel()
    let counts = await source.publication.counts
    #expect((counts.acknowledged, counts.failed) == (0, 20_000))
    await source.feed.shutDown()
  }

  /// The counts of the moment add up to what came, while a server is there and while none is.
  @Test(arguments: [nil, NATSPublisher.Durable(patience: .seconds(3_600))])
  func whatIsPublishedIsMeasured(durable: NATSPublisher.Durable?) async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: durable))
    func wait(_ isMet: () -> Bool) async {
      let end = ContinuousClock.now + .seconds(20)
      while !isMet() {
        guard ContinuousClock.now < end else {
          Issue.record("\(source.publication.metrics)")
          return
        }
        await Task.yield()
      }
    }
    try await source.push(NATSRun.trades(0..<1_000))
    await wait { source.value("published_total") == 1_000 }
    #expect(source.value("acknowledged_total") == (durable == nil ? 0 : 1_000) && source.value("waiting") == 0)
    server.kill()
    await source.state(NATSRun.isLost)
    try await source.push(NATSRun.trades(1_000..<1_010))
    await wait { source.value("waiting") == 10 && (durable == nil || source.value("retried_total") > 0) }
    #expect(source.value("published_total") == 1_000 && source.value("failed_total") == 0)
    source.publication.cancel()
    _ = await source.publication.counts
    #expect(source.value("failed_total") == 10 && source.value("waiting") == 0)
    await source.feed.shutDown()
  }

  /// Each of its messages is answered by "no responders" meanwhile, unless somebody listens to them: then by nobody.
  @Test(arguments: [false, true]) func aStreamThatIsGoneIsMadeAgain(isHeard: Bool) async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init(patience: .seconds(20))))
    var reader = try await NATSRun.Reader(
      NATSFeed(server.address(), replay: .all, pingInterval: .milliseconds(100), reconnectWait: .milliseconds(10)))
    let connection = try NATSConnection(
      to: server.address(), connectTimeout: .seconds(20), pingInterval: .seconds(20), reconnectWait: .milliseconds(10))
    let listener = isHeard ? try connection.subscription(to: server.address().allSymbols, pending: 1) : nil
    defer { withExtendedLifetime(listener) {} }
    for round in UInt64(0)..<3 {
      let numbers = round * 400..<round * 400 + 400
      try await source.push(NATSRun.trades(numbers))
      // The reader goes on with the first message of the new stream.
      for number in numbers { #expect(try await reader.next().sequence == number) }
      if round == 2 { break }
      let answer = try connection.request("$JS.API.STREAM.DELETE.\(server.address().stream)")
      #expect(String(decoding: answer, as: UTF8.self).contains("\"success\":true"))
    }
    let counts = try await source.end()
    #expect((counts.acknowledged, counts.failed) == (1_200, 0))
    await reader.feed.shutDown()
  }

  @Test func numbersThatComeAgainAreCounted() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    var reader = try await NATSRun.Reader(NATSFeed(server.address()))
    try await reader.state(NATSRun.isConnected)
    try await source.push(NATSRun.trades(0..<2_000))
    // Beyond what a feed remembers: it delivers them.
    try await source.push(NATSRun.trades(0..<10))
    try await source.push(NATSRun.trades(2_000..<2_001))
    let counts = try await source.end()
    #expect((counts.published, counts.repeated) == (2_011, 10))
    for number in UInt64(0)...2_000 { #expect(try await reader.next().sequence == number) }
    // And what was sent again for those who have missed it.
    #expect(try await reader.feed.counts.duplicates >= 10)
    await reader.feed.shutDown()
  }

  /// Of what the buffer drops nobody knows the symbols: the next number counts it.
  @Test func whatTheBufferDropsIsAGap() async throws {
    let server = try NATSServer()
    let feed = try MarketFeed(.external(ExternalFeed()))
    let publication = try await feed.publish(
      on: NATSPublisher(server.address(), durable: .init()), policy: .buffered(capacity: 4))
    try await feed.run()
    let time = Timestamp(nanosecondsSince1970: 0)
    for _ in 0..<10 {
      _ = try await feed.push(
        trades: (0..<1_000).map { Trade(symbol: "A", price: NATSRun.price($0), time: time) })
    }
    try await feed.report(.closed(reason: nil))
    let counts = await publication.counts
    await feed.shutDown()
    #expect(counts.dropped > 0 && counts.acknowledged + counts.dropped == 10_000)
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), replay: .all))
    var number: UInt64 = 0
    for _ in 0..<counts.acknowledged { number = try await reader.next().sequence ?? 0 }
    #expect(number == 10_000)
    await reader.feed.shutDown()
  }

  @Test func aGapThatNoNumberHasRoomForIsNotCounted() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    let gaps: [UInt64] = [.max, .max - 1, .max - 4, .max / 2, .max / 2, .max / 2]
    for gap in gaps {
      let time = Timestamp(nanosecondsSince1970: 0)
      try await source.push([Trade(symbol: "A", price: NATSRun.price(1), time: time, sequenceGap: gap)])
    }
    #expect(try await source.end().acknowledged == 6)
  }

  /// Swift's strings are equal in both forms.
  @Test func symbolsOfOtherBytesAreOthers() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    let symbols = ["\u{E9}", "e\u{301}"]
    try await source.push(symbols.flatMap { NATSRun.trades(0..<10, of: $0) })
    #expect(try await source.end().acknowledged == 20)
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), replay: .all))
    for symbol in symbols {
      for _ in 0..<10 { #expect(try await reader.next().symbol.unicodeScalars.elementsEqual(symbol.unicodeScalars)) }
    }
    await reader.feed.shutDown()
  }
}
#endif
