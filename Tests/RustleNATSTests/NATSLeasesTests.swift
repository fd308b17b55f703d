#if NATS
import Foundation
import RustleCore
import TestSupport
import Testing

@testable import RustleNATS

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

  @Test(arguments: [true, false]) func aServerThatIsGoneIsAFailureUntilItIsBack(readsFirst: Bool) async throws {
    let server = try NATSServer()
    let store = try await Self.store(at: server, timeToLive: .seconds(60))
    let revision = try await store.write("one", to: "left", replacing: 0)
    server.kill()
    if readsFirst { await #expect(throws: (any Error).self) { try await store.record(of: "left") } }
    await #expect(throws: (any Error).self) { try await store.write("two", to: "left", replacing: revision) }
    try server.restart()
    // What was written while there was no connection is not sent later.
    let record = LeaseRecord("one", revision: revision)
    try await Self.until { (try? await store.record(of: "left")) == record }
    #expect(try await store.write("three", to: "left", replacing: revision) > revision)
  }

  @Test func aBucketThatIsDeletedIsMadeAgain() async throws {
    let server = try NATSServer()
    let store = try await Self.store(at: server, timeToLive: .seconds(60))
    let old = try await store.write("one", to: "left", replacing: 0)
    let connection = try NATSConnection(
      to: server.address("stage"), connectTimeout: .seconds(5), pingInterval: .seconds(5), reconnectWait: .seconds(1))
    let answer = try connection.request("$JS.API.STREAM.DELETE.KV_stage")
    #expect(String(decoding: answer, as: UTF8.self).contains(#""success":true"#))
    await #expect(throws: (any Error).self) { try await store.write("two", to: "left", replacing: old) }
    try await Self.until { (try? await store.record(of: "left")) == .some(nil) }
    // It counts anew.
    try await Self.until { (try? await store.write("three", to: "left", replacing: 0)) == 1 }
    #expect(try await store.timeToLive == .seconds(60))
  }

  @Test func aServerThatTakesTheTokenLaterIsConnectedTo() async throws {
    let server = try NATSServer("--auth", "another")
    var address = server.address("stage")
    address.credentials = .token("ours")
    let store = try NATSLeases(address, timeToLive: .seconds(60))
    for change in [nil, ["--auth", "another"]] {
      if let change {
        server.kill()
        try server.restart(change)
      }
      // Refused twice, after which libnats makes no attempts: within a fifth of a second.
      var since: ContinuousClock.Instant?
      try await Self.until {
        var text = ""
        do { _ = try await store.record(of: "left") } catch { text = "\(error)" }
        since = text.contains("uthorization") ? since ?? .now : nil
        return since.map { .now - $0 > .seconds(2) } ?? false
      }
      server.kill()
      try server.restart(["--auth", "ours"])
      try await Self.until { (try? await store.record(of: "left")) == .some(nil) }
    }
  }

  @Test func aFailureHasAReason() async throws {
    let plain = try NATSServer(options: [], hasStore: false)
    let store = try NATSLeases(plain.address("stage"))
    var text = ""
    try await Self.until {
      do { _ = try await store.record(of: "left") } catch { text = "\(error)" }
      return text.contains("JetStream")
    }
    let none = try NATSLeases(NATSAddress(servers: ["nats://127.0.0.1:1"], prefix: "stage"))
    await #expect { try await none.record(of: "left") } throws: { "\($0)".contains("server") }
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
