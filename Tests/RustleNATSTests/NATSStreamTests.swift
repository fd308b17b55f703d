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
