#if NATS
import Foundation
import RustleCore
import TestSupport
import Testing

@testable import RustleNATS

/// What a reader loses, and when that is counted.
@Suite(.releasesNativeObjects) struct NATSLossTests {
  /// A connection that publishes what no publication does.
  private struct Sender {
    let address: NATSAddress
    let connection: NATSConnection

    init(to address: NATSAddress) throws {
      self.address = address
      connection = try NATSConnection(
        to: address, connectTimeout: .seconds(20), pingInterval: .seconds(20), reconnectWait: .milliseconds(10))
    }

    func send(_ numbers: some Sequence<UInt64>, of symbol: String = "A", epoch: UInt64 = 0) throws {
      for number in numbers {
        let line = "{\"symbol\":\"\(symbol)\",\"price\":\(epoch),\"seq\":\(number)}"
        try connection.publish(
          Array(line.utf8)[...], to: address.subject(of: symbol),
          id: Array("rustle/\(epoch)/\(symbol)/\(number)\0".utf8), reply: nil)
      }
    }

    /// Returns once the server has read it all.
    func finish() throws { try connection.flush(within: .seconds(60)) }
  }

  /// A stream that has this of symbols A and B, where its messages come from a connection without acknowledgements.
  private static func stream(_ server: NATSServer, _ send: (Sender) throws -> Void) async throws {
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    try await source.push([NATSRun.trade(0, of: "Z")])
    #expect(try await source.end().acknowledged == 1)
    let sender = try Sender(to: server.address())
    try send(sender)
    try sender.finish()
  }

  /// Numbers below `count` without those that are lost, each at most `reach` places behind its own.
  private static func late(_ count: UInt64, without lost: Set<UInt64>, reach: Int) -> [UInt64] {
    var numbers = (0..<count).filter { !lost.contains($0) }
    // The first begins the count, and the last ends it.
    let middle = numbers.indices.dropFirst().dropLast()
    for start in stride(from: middle.lowerBound, to: middle.upperBound, by: reach) {
      numbers[start..<min(start + reach, middle.upperBound)].shuffle()
    }
    return numbers
  }

  /// Also of more than the 64 numbers that a feed remembers.
  @Test func ofAStreamGapsLessWhatComesLateAreLost() async throws {
    let server = try NATSServer()
    let (count, lost) = (UInt64(1_000), ["A": Set<UInt64>([1, 77, 500, 501, 998]), "B": [3]])
    var sent = [String: [UInt64]]()
    for (symbol, numbers) in lost { sent[symbol] = Self.late(count, without: numbers, reach: 90) }
    try await Self.stream(server) { sender in
      for (symbol, numbers) in sent { try sender.send(numbers, of: symbol) }
    }
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), replay: .all))
    #expect(try await reader.next().symbol == "Z")
    var (values, gaps, late) = ([String: [UInt64]](), [String: UInt64](), [String: UInt64]())
    for _ in 0..<sent.values.map(\.count).reduce(0, +) {
      let trade = try await reader.next()
      let number = try #require(trade.sequence)
      #expect(trade.isOutOfOrder == (values[trade.symbol, default: []].max().map { number < $0 } ?? false))
      values[trade.symbol, default: []].append(number)
      gaps[trade.symbol, default: 0] += trade.sequenceGap
      late[trade.symbol, default: 0] += trade.isOutOfOrder ? 1 : 0
    }
    for (symbol, numbers) in lost {
      #expect(values[symbol] == sent[symbol])
      #expect(gaps[symbol, default: 0] - late[symbol, default: 0] == UInt64(numbers.count))
      #expect(late[symbol, default: 0] > 0)
    }
    let counts = try await reader.feed.counts
    #expect(counts.sequenceNumbersInGaps - counts.outOfOrder == 6)
    #expect((counts.duplicates, counts.dropped) == (0, 0))
    await reader.feed.shutDown()
  }

  /// Where a source numbers anew, trades of before may wait for a slow consumer: they have the numbers of before.
  @Test func whatWaitsWhereASourceNumbersAnewKeepsItsNumbers() async throws {
    let server = try NATSServer()
    try await Self.stream(server) { sender in
      for epoch in UInt64(0)..<3 { try sender.send(0..<1_000, epoch: epoch) }
    }
    var reader = try await NATSRun.Reader(
      NATSFeed(server.address(), replay: .all), of: ["A"], policy: .lossless(capacity: 4))
    for number in UInt64(0)..<3_000 {
      let trade = try await reader.next()
      #expect((trade.sequence, trade.sequenceGap, trade.price.units) == (number, 0, Int64(number / 1_000)))
    }
    await reader.feed.shutDown()
  }

  /// The trades after one that is left out are not seen before its count.
  @Test func whatIsLeftOutIsCountedBeforeWhatComesAfterIt() async throws {
    let server = try NATSServer()
    var reader = try await NATSRun.Reader(NATSFeed(server.address()), policy: .lossless(capacity: 4))
    try await reader.state(NATSRun.isConnected)
    let sender = try Sender(to: server.address())
    // Nobody reads meanwhile: what comes behind these waits together.
    try sender.send(0..<1_000, of: "B")
    try sender.send([0, 5, 2, 6, 6])
    for epoch in UInt64(1)...20 { try sender.send(0..<1_000, epoch: epoch) }
    try sender.finish()
    for number in UInt64(0)..<1_000 { #expect(try await reader.next().sequence == number) }
    for (number, gap) in [(UInt64(0), UInt64(0)), (5, 4), (6, 0)] {
      let trade = try await reader.next()
      #expect((trade.sequence, trade.sequenceGap) == (number, gap))
    }
    // The first of the next epoch.
    #expect(try await reader.next().sequence == 7)
    let counts = try await reader.feed.counts
    #expect((counts.dropped, counts.duplicates) == (1, 1))
    await reader.feed.shutDown()
  }

  /// The next subscription has nothing of what waits in the one before.
  @Test func anotherSubscriptionLosesNothing() async throws {
    let server = try NATSServer()
    var reader = try await NATSRun.Reader(
      NATSFeed(server.address(), connectTimeout: .seconds(60)), of: ["A"], policy: .lossless(capacity: 4))
    try await reader.state(NATSRun.isConnected)
    let sender = try Sender(to: server.address())
    let count: UInt64 = 30_000
    try sender.send(0..<count)
    try sender.finish()
    let others = try await reader.feed.trades(of: ["B"])
    for number in 0..<count {
      let trade = try await reader.next()
      #expect((trade.sequence, trade.sequenceGap) == (number, 0))
    }
    var iterator = others.makeAsyncIterator()
    async let other = iterator.next()
    // Until the next subscription has it.
    for number in UInt64(0)... {
      try sender.send([number], of: "B")
      try sender.finish()
      if try await reader.feed.counts.trades > count { break }
    }
    #expect(try #require(await other).value?.symbol == "B")
    let counts = try await reader.feed.counts
    #expect((counts.gaps, counts.dropped) == (0, 0))
    await reader.feed.shutDown()
  }
}
#endif
