#if WebSocket
import NIOCore
import NIOWebSocket
import RustleWebSocket
import Testing

/// A message as `rustle ticker --json` writes it.
func message(_ number: Int, of symbol: String = "A") -> String {
  "{\"symbol\":\"\(symbol)\",\"price\":\(number).50,\"t_ms\":\(number),\"seq\":\(number)}"
}

/// A feed that reconnects at once.
func quickFeed(_ url: String, _ change: (inout WebSocketFeed) -> Void = { _ in }) throws -> MarketFeed {
  var configuration = WebSocketFeed(url, backoff: LiveFeed.Backoff(base: .milliseconds(1), limit: .milliseconds(4)))
  change(&configuration)
  return try MarketFeed(.webSocket(configuration))
}

/// The next trade, without a gap before it.
func nextTrade(_ iterator: inout EngineStream<Trade>.Iterator) async throws -> Trade {
  let element = try #require(await iterator.next())
  return try #require(element.value)
}

/// The states up to the first that is one of `isLast`.
func nextStates(
  _ iterator: inout EngineStream<FeedConnection>.Iterator, until isLast: (FeedConnection) -> Bool
) async -> [FeedConnection] {
  var states: [FeedConnection] = []
  while let state = await iterator.next()?.value {
    states.append(state)
    if isLast(state) { break }
  }
  return states
}

/// The reason why the first attempt failed.
func firstReason(_ feed: MarketFeed) async throws -> String {
  let connection = try await feed.connectionStates()
  try await feed.run()
  var iterator = connection.makeAsyncIterator()
  let states = await nextStates(&iterator) { if case .reconnecting = $0 { true } else { false } }
  await feed.shutDown()
  guard case .reconnecting(_, 1, let reason)? = states.last else { return "expected a refusal, got \(states)" }
  return reason
}

/// The text of the next frame that has one.
func nextText(_ frames: inout AsyncStream<WebSocketFrame>.Iterator) async -> String? {
  while let frame = await frames.next() {
    if case .text = frame.opcode { return String(buffer: frame.unmaskedData) }
  }
  return nil
}

/// The code with which the client closes; nil without one.
func closingCode(_ frames: inout AsyncStream<WebSocketFrame>.Iterator) async -> UInt16? {
  while let frame = await frames.next() {
    var data = frame.unmaskedData
    if case .connectionClose = frame.opcode { return data.readInteger() }
  }
  return nil
}
#endif
