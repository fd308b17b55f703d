#if NATS
import Dispatch
import RustleCore
import Synchronization
import TestSupport
import Testing

@testable import RustleNATS

/// Connections that libnats no longer makes again, and whose close does not return: as with its own defect, the thread that is to make
/// them waits.
@Suite(.releasesNativeObjects) struct NATSStuckTests {
  /// Holds one thread before a round of attempts, once it is asked to.
  private final class Hold: Sendable {
    private let isWanted = Atomic(false)
    private let isReached = Atomic(false)
    private let end = DispatchSemaphore(value: 0)

    func onRound() {
      guard isWanted.exchange(false, ordering: .relaxed) else { return }
      isReached.store(true, ordering: .relaxed)
      end.wait()
    }

    /// Ends a server, and starts it again once the connection is held.
    func holdConnection(to server: NATSServer) async throws {
      isWanted.store(true, ordering: .relaxed)
      server.kill()
      while !isReached.load(ordering: .relaxed) { await Task.yield() }
      try server.restart()
    }

    func release() { end.signal() }
  }

  /// A subscription with a hold, in place of the program's own.
  private struct HeldFeed: FeedHost {
    let feed: NATSFeed
    let hold: Hold
    let limit: Duration
    var source: ExternalFeed { feed.source }
    var origin: String { feed.origin }

    func check() throws(FeedError) { try feed.check() }

    func fill(_ writer: FeedWriter) async {
      let reader = NATSReader(feed, reconnectWatch: ReconnectWatch(limit: limit), onRound: hold.onRound)
      await withTaskExecutorPreference(BlockingExecutor("rustle.test")) { try? await reader.run(filling: writer) }
    }

    static func == (one: Self, other: Self) -> Bool { one.feed == other.feed }

    func hash(into hasher: inout Hasher) { hasher.combine(feed) }
  }

  @Test(arguments: [nil, NATSPublisher.Durable()])
  func aPublicationMakesAnotherConnection(durable: NATSPublisher.Durable?) async throws {
    let (server, hold) = (try NATSServer(), Hold())
    defer { hold.release() }
    let run = try await NATSRun.Writer(
      NATSPublisher(server.address(), durable: durable), reconnectWatch: ReconnectWatch(limit: .seconds(1)),
      onRound: hold.onRound)
    for await state in run.states where NATSRun.isConnected(state) { break }
    #expect(try await run.feed.push(trades: NATSRun.trades(0..<10)))
    while run.progress.now.counts.published < 10 { await Task.yield() }
    try await hold.holdConnection(to: server)
    #expect(try await run.feed.push(trades: NATSRun.trades(10..<20)))
    for await state in run.states where NATSRun.isConnected(state) { break }
    try await run.feed.report(.closed(reason: nil))
    let end = await run.counts.value
    #expect((end.published, end.failed) == (20, 0))
    #expect(end.acknowledged == (durable == nil ? 0 : 20))
    #expect(end.connectionsLeft >= 1)
    await run.feed.shutDown()
  }

  @Test(arguments: [NATSFeed.Replay.live, .all])
  func aSubscriptionMakesAnotherConnection(replay: NATSFeed.Replay) async throws {
    let (server, hold) = (try NATSServer(), Hold())
    defer { hold.release() }
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    try await source.push(NATSRun.trades(0..<1))
    while source.value("published_total") < 1 { await Task.yield() }
    let feed = HeldFeed(feed: NATSFeed(server.address(), replay: replay), hold: hold, limit: .seconds(2))
    var reader = try await NATSRun.Reader(.hosted(HostedFeed(feed)))
    try await reader.state(NATSRun.isConnected)
    try await source.push(NATSRun.trades(1..<10))
    var (values, gaps) = (0, 0)
    func read(to last: UInt64) async throws {
      while true {
        let trade = try await reader.next()
        values += 1
        gaps += Int(trade.sequenceGap)
        if trade.sequence == last { return }
      }
    }
    try await read(to: 9)
    try await hold.holdConnection(to: server)
    try await source.push(NATSRun.trades(10..<20))
    while source.value("published_total") < 20 { await Task.yield() }
    try await reader.state(NATSRun.isConnected)
    try await source.push(NATSRun.trades(20..<30))
    try await read(to: 29)
    // The first trade that a live feed has is none behind a gap.
    #expect(values + gaps == (replay == .live ? 29 : 30) && (replay == .live || gaps == 0))
    await reader.feed.shutDown()
    #expect(try await source.end().failed == 0)
  }

  /// A cancellation does not wait for the end of the connection, which comes once the thread goes on.
  @Test func anEndDoesNotWaitForTheConnection() async throws {
    let (server, writing, reading) = (try NATSServer(), Hold(), Hold())
    let run = try await NATSRun.Writer(NATSPublisher(server.address()), onRound: writing.onRound)
    for await state in run.states where NATSRun.isConnected(state) { break }
    try await writing.holdConnection(to: server)
    let feed = HeldFeed(feed: NATSFeed(server.address()), hold: reading, limit: .seconds(3_600))
    let reader = try await NATSRun.Reader(.hosted(HostedFeed(feed)))
    try await reader.state(NATSRun.isConnected)
    try await reading.holdConnection(to: server)
    run.counts.cancel()
    _ = await run.counts.value
    await reader.feed.shutDown()
    await run.feed.shutDown()
    for hold in [writing, reading] { hold.release() }
  }

  /// A server that is away for long is none.
  @Test func whatMakesAttemptsIsNotStuck() {
    let (start, limit) = (ContinuousClock.now, Duration.seconds(10))
    var watch = ReconnectWatch(limit: limit)
    func isStuck(_ state: NATSConnection.State, attempts: UInt64, after seconds: Int) -> Bool {
      watch.isStuck(state, attempts: attempts, now: start + .seconds(seconds))
    }
    #expect(!isStuck(.connected, attempts: 0, after: 0))
    // What has been connected for long has the whole limit.
    #expect(!isStuck(.reconnecting, attempts: 0, after: 100) && !isStuck(.reconnecting, attempts: 0, after: 110))
    for round in 1...100 { #expect(!isStuck(.reconnecting, attempts: UInt64(round), after: 110 + 9 * round)) }
    #expect(!isStuck(.reconnecting, attempts: 100, after: 1_020))
    #expect(!isStuck(.closed, attempts: 100, after: 1_021) && !isStuck(.reconnecting, attempts: 100, after: 1_022))
    #expect(isStuck(.reconnecting, attempts: 100, after: 1_033))
    // Another connection, which has made no attempt either.
    for second in [1_034, 1_044] { #expect(!isStuck(.reconnecting, attempts: 100, after: second)) }
    #expect(isStuck(.reconnecting, attempts: 100, after: 1_045))
  }
}
#endif
