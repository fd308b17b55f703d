#if NATS && os(Linux)
import Foundation
import TestSupport
import Testing

@testable import RustleNATS

/// The threads of libnats, which have its name.
@Suite(.releasesNativeObjects) struct NATSThreadsTests {
  private static func count() throws -> Int {
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    // A thread that ends meanwhile has no name any more.
    let names = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
    return names.count { $0 == NATSConnection.threadName + "\n" }
  }

  private static func wait(for wanted: Int) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try count() != wanted, .now < end { await Task.yield() }
    #expect(try count() == wanted)
  }

  private static func connection(to server: NATSServer) throws -> NATSConnection {
    try NATSConnection(
      to: server.address(), connectTimeout: .seconds(20), pingInterval: .seconds(20), reconnectWait: .milliseconds(10))
  }

  /// In a process of its own: other tests have such threads too. The library's own stay.
  @Test func thoseOfConnectionsEndWithFeedAndPublication() async throws {
    await #expect(processExitsWith: .success) {
      let server = try NATSServer()
      #expect(try Self.count() == 0)
      do {
        let connection = try Self.connection(to: server)
        #expect(try Self.count() > 3)
        withExtendedLifetime(connection) {}
      }
      // A thread that has ended may be listed for a moment.
      let own = 3
      try await Self.wait(for: own)
      for durable in [nil, NATSPublisher.Durable()] {
        let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: durable))
        var reader = try await NATSRun.Reader(NATSFeed(server.address(), replay: durable == nil ? .live : .all))
        if durable == nil { try await reader.state(NATSRun.isConnected) }
        try await source.push(NATSRun.trades(0..<10))
        for _ in 0..<10 { _ = try await reader.next() }
        #expect(try Self.count() > own)
        while source.value("published_total") < 10 { await Task.yield() }
        // With a connection that is made again.
        server.kill()
        try server.restart()
        await source.state(NATSRun.isLost)
        await source.state(NATSRun.isConnected)
        #expect(try await source.end().failed == 0)
        await reader.feed.shutDown()
        try await Self.wait(for: own)
      }
    }
  }
}
#endif
