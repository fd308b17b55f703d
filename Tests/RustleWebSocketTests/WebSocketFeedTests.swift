#if WebSocket
import Foundation
import NIOCore
import NIOHTTP1
import NIOWebSocket
import RustleWebSocket
import TestSupport
import Testing

/// Feeds from a WebSocket server of this process. The tests wait for events only; nothing depends on their speed.
@Suite(.releasesNativeObjects) struct WebSocketFeedTests {
  @Test func messagesOfEveryFormBecomeTrades() async throws {
    let peer = try await WebSocketPeer.start()
    let feed = try quickFeed("\(peer.url)/a%20b?key=x") { $0.headers = ["X-Token": "y"] }
    let stream = try await feed.trades()
    let connection = try await feed.connectionStates()
    try await feed.run()
    var arrivals = peer.arrivals.makeAsyncIterator()
    let arrival = try #require(await arrivals.next())
    #expect(arrival.head.uri == "/a%20b?key=x")
    #expect(arrival.head.headers["x-token"] == ["y"])
    #expect(arrival.head.headers["host"] == ["127.0.0.1:\(peer.port)"])
    #expect(
      arrival.head.headers["sec-websocket-extensions"] == ["permessage-deflate; client_no_context_takeover"])
    var frames = arrival.frames.makeAsyncIterator()
    #expect(await nextText(&frames) == #"{"subscribe":"all"}"#)
    try await arrival.send(message(0))
    try await arrival.send(.binary, Array(message(1).utf8))
    let bytes = Array(message(2).utf8)
    try await arrival.send(.text, Array(bytes[..<5]), fin: false)
    try await arrival.send(.ping, Array("between".utf8))
    try await arrival.send(.continuation, [], fin: false)
    try await arrival.send(.continuation, Array(bytes[5..<20]), fin: false)
    try await arrival.send(.continuation, Array(bytes[20...]))
    try await arrival.send("")
    try await arrival.send("{\n\"symbol\":\"A\",\r\n\"price\":3.50,\"t_ms\":3,\"seq\":3}\n")
    try await arrival.send("{\"symbol\":\"A\",")
    try await arrival.send(message(4))
    var trades = stream.makeAsyncIterator()
    for number in 0..<5 {
      let trade = try await nextTrade(&trades)
      #expect(trade.sequence == UInt64(number) && trade.price.description == "\(number).50" && trade.sequenceGap == 0)
    }
    #expect(try await feed.counts.malformed == 1)
    // The answer came while the message was being sent.
    let pong = try #require(await frames.next())
    if case .pong = pong.opcode {} else { Issue.record("expected a pong, got \(pong.opcode)") }
    #expect(String(buffer: pong.unmaskedData) == "between" && pong.maskKey != nil)
    let place = "\(peer.url)/a%20b"
    #expect(try await feed.connectionState == .connected(to: place))
    async let ended: Void = feed.shutDown()
    #expect(await closingCode(&frames) == 1_000)
    await ended
    var states = connection.makeAsyncIterator()
    #expect(await states.next()?.value == .connecting(to: place, failures: 0))
    #expect(await states.next()?.value == .connected(to: place))
    try await peer.stop()
  }

  @Test(arguments: [true, false]) func compressedMessagesBecomeTrades(keepsContext: Bool) async throws {
    let accepted = "permessage-deflate" + (keepsContext ? "" : "; server_no_context_takeover")
    let peer = try await WebSocketPeer.start(extensions: accepted)
    let feed = try quickFeed(peer.url)
    let stream = try await feed.trades()
    try await feed.run()
    var arrivals = peer.arrivals.makeAsyncIterator()
    var trades = stream.makeAsyncIterator()
    // A new connection begins with an empty context.
    for _ in 0..<2 {
      let arrival = try #require(await arrivals.next())
      var frames = arrival.frames.makeAsyncIterator()
      #expect(await nextText(&frames) == #"{"subscribe":"all"}"#, "not compressed")
      for bytes in [InflaterTests.trades[0], InflaterTests.trades[keepsContext ? 1 : 0]] {
        try await arrival.send(.text, bytes, isCompressed: true)
        #expect(try await nextTrade(&trades).symbol == "C")
      }
      await arrival.kill()
    }
    #expect(try await feed.counts.malformed == 0)
    await feed.shutDown()
    try await peer.stop()
  }

  @Test func connectionThatIsKilledTwentyTimesIsMadeAgainAndWhatIsMissingIsReported() async throws {
    let rounds = 20
    let peer = try await WebSocketPeer.start()
    let feed = try quickFeed(peer.url)
    let stream = try await feed.trades(of: ["A"])
    try await feed.run()
    var arrivals = peer.arrivals.makeAsyncIterator()
    var trades = stream.makeAsyncIterator()
    var (next, missing) = (0, 0)
    for round in 0...rounds {
      let arrival = try #require(await arrivals.next())
      var frames = arrival.frames.makeAsyncIterator()
      #expect(await nextText(&frames) == #"{"subscribe":["A"]}"#, "sent again over each connection")
      for _ in 0..<3 {
        try await arrival.send(message(next))
        let trade = try await nextTrade(&trades)
        #expect(trade.sequence == UInt64(next))
        #expect(trade.sequenceGap == UInt64(missing))
        (next, missing) = (next + 1, 0)
      }
      if round == rounds { break }
      // Half a message goes with the connection, and what is sent meanwhile.
      try await arrival.send(.text, Array(message(next).utf8.prefix(30)), fin: false)
      await arrival.kill()
      missing = round + 1
      next += missing
    }
    let counts = try await feed.counts
    #expect(counts.connections == UInt64(rounds + 1) && counts.disconnections == UInt64(rounds))
    #expect(counts.sequenceNumbersInGaps == UInt64(rounds * (rounds + 1) / 2) && counts.gaps == UInt64(rounds))
    #expect(counts.malformed == 0 && counts.trades == UInt64(3 * (rounds + 1)))
    await feed.shutDown()
    try await peer.stop()
  }

  @Test func connectionWithDuplicatesAloneBeginsTheBackoffAnew() async throws {
    let peer = try await WebSocketPeer.start()
    let feed = try quickFeed(peer.url)
    let (stream, connection) = (try await feed.trades(), try await feed.connectionStates())
    try await feed.run()
    var arrivals = peer.arrivals.makeAsyncIterator()
    var trades = stream.makeAsyncIterator()
    for round in 0..<3 {
      let arrival = try #require(await arrivals.next())
      // The source restarted, and sends what it has sent before.
      try await arrival.send(message(7))
      if round == 0 { _ = try await nextTrade(&trades) }
      while try await feed.counts.duplicates < round { await Task.yield() }
      await arrival.kill()
    }
    var states = connection.makeAsyncIterator()
    for _ in 0..<3 {
      let lost = await nextStates(&states) { if case .reconnecting = $0 { true } else { false } }.last
      guard case .reconnecting(_, let failures, _)? = lost else { throw CancellationError() }
      #expect(failures == 1)
    }
    #expect(try await feed.counts.trades == 1)
    await feed.shutDown()
    try await peer.stop()
  }

  @Test func feedWithoutAnAttemptLeftEndsAndAConnectionWithTradesHasThemAll() async throws {
    let peer = try await WebSocketPeer.start()
    let feed = try quickFeed(peer.url) { $0.backoff.attemptLimit = 2 }
    let connection = try await feed.connectionStates()
    let stream = try await feed.trades()
    try await feed.run()
    var arrivals = peer.arrivals.makeAsyncIterator()
    var trades = stream.makeAsyncIterator()
    for round in 0..<3 {
      let arrival = try #require(await arrivals.next())
      try await arrival.send(message(round))
      _ = try await nextTrade(&trades)
      await arrival.kill()
    }
    await (try #require(await arrivals.next())).kill()
    var states = connection.makeAsyncIterator()
    let all = await nextStates(&states) { if case .closed = $0 { true } else { false } }
    guard case .closed(let reason?)? = all.last else {
      Issue.record("expected an end with a reason, got \(all)")
      return
    }
    #expect(reason.hasPrefix("no attempt to connect is left after 2: "))
    #expect(try await feed.counts.connections == 4)
    await feed.shutDown()
    try await peer.stop()
  }

  @Test func serverThatComesBackIsFoundAndOneThatCloses() async throws {
    var peer = try await WebSocketPeer.start()
    let feed = try quickFeed(peer.url) { $0.restartsNumbers = true }
    let connection = try await feed.connectionStates()
    let stream = try await feed.trades()
    try await feed.run()
    var states = connection.makeAsyncIterator()
    var trades = stream.makeAsyncIterator()
    for round in 0..<3 {
      var arrivals = peer.arrivals.makeAsyncIterator()
      let arrival = try #require(await arrivals.next())
      _ = await nextStates(&states) { $0 == .connected(to: peer.url) }
      try await arrival.send(message(round))
      #expect(try await nextTrade(&trades).sequenceGap == 0, "its numbers restart")
      try await peer.stop()
      try await arrival.send(.connectionClose, [0x03, 0xF4] + Array("service restart".utf8))
      let lost = await nextStates(&states) { if case .reconnecting = $0 { true } else { false } }
      guard case .reconnecting(_, _, let reason)? = lost.last else {
        Issue.record("expected a lost connection, got \(lost)")
        return
      }
      #expect(reason == "the peer has closed the connection: code 1012, service restart")
      let refused = await nextStates(&states) { if case .reconnecting = $0 { true } else { false } }
      guard case .reconnecting(_, _, let why)? = refused.last else {
        Issue.record("expected a refusal, got \(refused)")
        return
      }
      #expect(why.hasPrefix("127.0.0.1:\(peer.port): Connection refused (os error "), "\(why)")
      peer = try await WebSocketPeer.start(port: peer.port)
    }
    await feed.shutDown()
    try await peer.stop()
  }

  @Test func wishesAreReportedByTheUsersMessagesWheneverTheyChange() async throws {
    let peer = try await WebSocketPeer.start()
    let feed = try quickFeed(peer.url) {
      $0.subscription = .messages(
        subscribe: #"{"op":"sub","args":["ticker.$symbol"]}"#, unsubscribe: #"{"op":"unsub","args":$symbols}"#,
        all: #"{"op":"everything"}"#)
    }
    let stream = try await feed.trades(of: ["B", "A"])
    try await feed.run()
    var arrivals = peer.arrivals.makeAsyncIterator()
    var frames = try #require(await arrivals.next()).frames.makeAsyncIterator()
    #expect(await nextText(&frames) == #"{"op":"sub","args":["ticker.A"]}"#)
    #expect(await nextText(&frames) == #"{"op":"sub","args":["ticker.B"]}"#)
    try stream.subscribe(to: ["C\"D"])
    #expect(await nextText(&frames) == #"{"op":"sub","args":["ticker.C\"D"]}"#)
    try stream.unsubscribe(from: ["A"])
    #expect(await nextText(&frames) == #"{"op":"unsub","args":["A"]}"#)
    let all = try await feed.trades()
    #expect(await nextText(&frames) == #"{"op":"everything"}"#)
    _ = all
    // Only symbols without a subscription are removed.
    let other = try await feed.trades(of: ["B"])
    try stream.unsubscribe(from: ["B", "C\"D"])
    #expect(await nextText(&frames) == #"{"op":"unsub","args":["C\"D"]}"#)
    _ = other
    await feed.shutDown()
    try await peer.stop()
  }

  @Test(arguments: [false, true]) func messageThatIsTooLongEndsTheConnection(isInFragments: Bool) async throws {
    let peer = try await WebSocketPeer.start()
    let feed = try quickFeed(peer.url) { $0.messageLimit = 200 }
    let connection = try await feed.connectionStates()
    let stream = try await feed.trades()
    try await feed.run()
    var (states, trades) = (connection.makeAsyncIterator(), stream.makeAsyncIterator())
    var arrivals = peer.arrivals.makeAsyncIterator()
    let arrival = try #require(await arrivals.next())
    let fitting = message(0)
    try await arrival.send(fitting + String(repeating: " ", count: 200 - fitting.utf8.count))
    #expect(try await nextTrade(&trades).sequence == 0)
    if isInFragments {
      try await arrival.send(.text, [UInt8](repeating: 32, count: 150), fin: false)
      try await arrival.send(.continuation, [UInt8](repeating: 32, count: 51))
    } else {
      try await arrival.send(.text, [UInt8](repeating: 32, count: 201))
    }
    var frames = arrival.frames.makeAsyncIterator()
    #expect(await closingCode(&frames) == 1_009)
    let lost = await nextStates(&states) { if case .reconnecting = $0 { true } else { false } }
    guard case .reconnecting(_, 1, let reason)? = lost.last else {
      Issue.record("expected a lost connection, got \(lost)")
      return
    }
    #expect(reason == "expected messages of at most 200 bytes, got a longer one (1009)")
    let again = try #require(await arrivals.next())
    try await again.send(message(1))
    #expect(try await nextTrade(&trades).sequenceGap == 0)
    await feed.shutDown()
    try await peer.stop()
  }

  @Test func slowConsumerThatIsWaitedForHoldsThePeerUp() async throws {
    let peer = try await WebSocketPeer.start()
    let feed = try quickFeed(peer.url)
    let stream = try await feed.trades(policy: .lossless(capacity: 16))
    try await feed.run()
    var arrivals = peer.arrivals.makeAsyncIterator()
    let arrival = try #require(await arrivals.next())
    // Far more than the buffers of two sockets hold.
    let (count, space) = (16_000, String(repeating: " ", count: 2_000))
    let sent = arrival.channel.eventLoop.submit {
      for number in 0..<count {
        let text = ByteBuffer(string: space + message(number))
        arrival.channel.write(WebSocketFrame(fin: true, opcode: .text, data: text), promise: nil)
      }
      let written = arrival.channel.eventLoop.makePromise(of: Void.self)
      arrival.channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()), promise: written)
      return written.futureResult
    }.flatMap { $0 }
    let isSent = NIOLoopBoundBox.makeBoxSendingValue(false, eventLoop: arrival.channel.eventLoop)
    sent.whenSuccess { isSent.value = true }
    var trades = stream.makeAsyncIterator()
    for number in 0..<count {
      #expect(try await nextTrade(&trades).sequence == UInt64(number))
      if number == 100 {
        #expect(try await arrival.channel.eventLoop.submit { isSent.value }.get() == false, "the peer waits")
      }
    }
    try await sent.get()
    #expect(stream.statistics.dropped == 0)
    await feed.shutDown()
    try await peer.stop()
  }

  @Test func feedEndsWhileItConnectsWaitsAndReads() async throws {
    // While no peer answers.
    let silent = try await SpeakingPeer.start(nil)
    let connecting = try quickFeed(silent.url) { $0.connectTimeout = .seconds(86_400) }
    try await connecting.run()
    await connecting.shutDown()
    try await silent.stop()
    // While it waits for the next attempt, for hours.
    let long = LiveFeed.Backoff(base: .seconds(86_400), limit: .seconds(86_400))
    let waiting = try quickFeed(silent.url) { $0.backoff = long }
    var states = try await waiting.connectionStates().makeAsyncIterator()
    try await waiting.run()
    _ = await nextStates(&states) { if case .reconnecting = $0 { true } else { false } }
    await waiting.shutDown()
    // While a lossless consumer reads nothing, from a peer that does not answer the end.
    let peer = try await WebSocketPeer.start(closes: false)
    let held = try quickFeed(peer.url)
    let stream = try await held.trades(policy: .lossless(capacity: 1))
    try await held.run()
    var arrivals = peer.arrivals.makeAsyncIterator()
    let arrival = try #require(await arrivals.next())
    for number in 0..<100 { try await arrival.send(message(number)) }
    var trades = stream.makeAsyncIterator()
    #expect(try await nextTrade(&trades).sequence == 0)
    await held.shutDown()
    // When its last reference goes.
    var frames: AsyncStream<WebSocketFrame>.Iterator
    do {
      let dropped = try quickFeed(peer.url)
      var states = try await dropped.connectionStates().makeAsyncIterator()
      try await dropped.run()
      _ = await nextStates(&states) { $0 == .connected(to: peer.url) }
      frames = try #require(await arrivals.next()).frames.makeAsyncIterator()
    }
    #expect(await closingCode(&frames) == 1_000)
    try await peer.stop()
  }
}
#endif
