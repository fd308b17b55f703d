#if NATS
import Foundation
import RustleCore
import RustleNATS
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct NATSLeasesTests {
  /// A store that answers: the first call begins to connect.
  private static func store(
    at server: NATSServer, _ bucket: String = "stage", timeToLive: Duration = .seconds(1)
  ) async throws -> NATSLeases {
    let store = try NATSLeases(server.address(bucket), timeToLive: timeToLive)
    try await until { (try? await store.timeToLive) != nil }
    return store
  }

  private static func until(_ isSo: () async -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while !(await isSo()) { try #require(ContinuousClock.now < end, "expected a state within 20 s") }
  }

  @Test func ofTwoWritersOneIsRefused() async throws {
    let server = try NATSServer()
    let one = try await Self.store(at: server, timeToLive: .seconds(60))
    // The bucket keeps its own.
    let other = try await Self.store(at: server, timeToLive: .seconds(5))
    #expect(try await other.timeToLive == .seconds(60))
    #expect(try await one.record(of: "left") == nil)
    let first = try await one.write("one", to: "left", replacing: 0)
    await #expect(throws: (any Error).self) { try await other.write("other", to: "left", replacing: 0) }
    #expect(try await other.record(of: "left") == LeaseRecord("one", revision: first))
    let second = try await other.write("other", to: "left", replacing: first)
    #expect(second > first)
    await #expect(throws: (any Error).self) { try await one.write("one", to: "left", replacing: first) }
    #expect(try await one.record(of: "left") == LeaseRecord("other", revision: second))
    #expect(try await one.record(of: "right") == nil)
  }

  @Test func aRecordThatIsNotWrittenAgainIsGone() async throws {
    let server = try NATSServer()
    let store = try await Self.store(at: server)
    let revision = try await store.write("one", to: "left", replacing: 0)
    try await Self.until { (try? await store.record(of: "left")) == .some(nil) }
    // The next token is above.
    #expect(try await store.write("two", to: "left", replacing: 0) > revision)
  }

  @Test func aServerThatIsGoneIsAFailureUntilItIsBack() async throws {
    let server = try NATSServer()
    let store = try await Self.store(at: server, timeToLive: .seconds(60))
    let revision = try await store.write("one", to: "left", replacing: 0)
    server.kill()
    await #expect(throws: (any Error).self) { try await store.record(of: "left") }
    await #expect(throws: (any Error).self) { try await store.write("two", to: "left", replacing: revision) }
    try server.restart()
    // The connection sends the write that was not answered once it is back.
    let late = LeaseRecord("two", revision: revision + 1)
    try await Self.until { (try? await store.record(of: "left")) == late }
    await #expect(throws: (any Error).self) { try await store.write("three", to: "left", replacing: revision) }
  }

  @Test func addressesAndTimesAreChecked() throws {
    for bucket in ["a.b", "", "a b"] {
      let error = #expect(throws: FeedError.self) {
        try NATSLeases(NATSAddress(servers: ["nats://127.0.0.1:1"], prefix: bucket))
      }
      #expect(error?.code == .malformedAddress)
    }
    let address = NATSAddress(servers: ["nats://127.0.0.1:1"], prefix: "a")
    for time in [Duration.milliseconds(999), .seconds(3_601)] {
      #expect(throws: FeedError.self) { try NATSLeases(address, timeToLive: time) }
    }
    #expect(throws: FeedError.self) { try NATSLeases(address, replicas: 6) }
  }
}
#endif
