#if NATS
import Foundation
import TestSupport
import Testing

@testable import RustleNATS

/// What a server without a stream confirms of a publication, and what waits for a connection.
@Suite(.releasesNativeObjects) struct NATSConfirmationTests {
  /// Without a stream a server confirms what it has read, and nobody else does.
  @Test func whatNoServerConfirmsIsNotPublished() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    await source.loseConnection(to: server)
    try await source.push(NATSRun.trades(0..<1_000))
    let counts = try await source.end()
    #expect((counts.published, counts.failed) == (0, 1_000))
    #expect(counts.reason != nil)
  }

  /// libnats takes a question that it cannot write for one that was answered.
  @Test func whatAConnectionThatIsResetHasNotConfirmedIsNotPublished() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    await source.loseConnection(to: server)
    let other = try server.confirmNothing(12)
    defer { other.terminate() }
    var number: UInt64 = 0
    while other.isRunning {
      try await source.push(NATSRun.trades(number..<number + 1))
      number += 1
      while source.publication.trades.statistics.waiting > 0 { await Task.yield() }
    }
    #expect(source.value("published_total") == 0)
    let counts = try await source.end()
    #expect((counts.published, counts.failed) == (0, number))
  }

  @Test func whatWaitsAtTheEndWaitsForAConnection() async throws {
    let server = try NATSServer()
    let run = try await NATSRun.Writer(NATSPublisher(server.address()), lastPatience: .seconds(3_600))
    for await state in run.states where NATSRun.isConnected(state) { break }
    server.kill()
    for await state in run.states where NATSRun.isLost(state) { break }
    #expect(try await run.feed.push(trades: NATSRun.trades(0..<10)))
    while run.progress.now.waiting != 10 { await Task.yield() }
    try await run.feed.report(.closed(reason: nil))
    try server.restart()
    let end = await run.counts.value
    #expect((end.published, end.failed) == (10, 0))
    await run.feed.shutDown()
  }

  /// What is confirmed late has not failed.
  @Test func whatIsConfirmedLateHasNoReason() async throws {
    let server = try NATSServer()
    let run = try await NATSRun.Writer(NATSPublisher(server.address(), pingInterval: .seconds(3_600)))
    for await state in run.states where NATSRun.isConnected(state) { break }
    server.signal(SIGSTOP)
    #expect(try await run.feed.push(trades: NATSRun.trades(0..<10)))
    while await run.writer.doubt == nil { await Task.yield() }
    server.signal(SIGCONT)
    while run.progress.now.counts.published < 10 { await Task.yield() }
    try await run.feed.report(.closed(reason: nil))
    let end = await run.counts.value
    #expect((end.published, end.failed) == (10, 0) && end.reason == nil)
    await run.feed.shutDown()
  }

  /// The next connection confirms what it has had alone.
  @Test func whatALostConnectionHasTakenIsNotPublished() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    await source.state(NATSRun.isConnected)
    // It reads nothing more.
    server.signal(SIGSTOP)
    for numbers in [UInt64(0)..<1_000, 1_000..<1_001] {
      // Once the later ones are taken the earlier ones were sent.
      try await source.push(NATSRun.trades(numbers))
      while source.publication.trades.statistics.waiting > 0 { await Task.yield() }
    }
    server.kill()
    try server.restart()
    await source.state(NATSRun.isLost)
    await source.state(NATSRun.isConnected)
    let counts = try await source.end()
    #expect(counts.failed >= 1_000 && counts.published + counts.failed == 1_001)
    #expect(counts.reason == "connection lost")
  }

  /// libnats counts a connection as made again that is accepted.
  @Test func whatWaitsForAConnectionOutlivesThoseThatAreClosedAtOnce() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    try await source.push(NATSRun.trades(0..<10))
    while source.value("published_total") < 10 { await Task.yield() }
    server.kill()
    await source.state(NATSRun.isLost)
    try await source.push(NATSRun.trades(10..<1_010))
    while source.value("waiting") < 1_000 { await Task.yield() }
    try server.closeConnections(3)
    try server.restart()
    while source.value("published_total") < 1_010 && source.value("failed_total") == 0 { await Task.yield() }
    let counts = try await source.end()
    #expect((counts.published, counts.failed) == (1_010, 0))
  }

  @Test func whatIsTooMuchToWaitForAConnectionFails() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    await source.loseConnection(to: server)
    for start in stride(from: UInt64(0), to: 70_000, by: 10_000) {
      try await source.push(NATSRun.trades(start..<start + 10_000))
    }
    // The others are waiting then.
    while source.value("failed_total") < 4_464 { await Task.yield() }
    try server.restart()
    while source.handled < 70_000 { await Task.yield() }
    let counts = try await source.end()
    #expect((counts.published, counts.failed) == (65_536, 4_464))
    #expect(counts.reason == "65536 updates wait for a connection already")
  }
}
#endif
