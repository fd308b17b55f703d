import TestSupport
import Testing

@testable import RustleCore

@Suite(.releasesNativeObjects) struct PerValueLaneTests {
  @Test func everyWayToLoseAValueIsCounted() async throws {
    let lane = PerValueLane<UInt64>(capacity: 4, sequenceNumber: { $0 })
    for number in 0..<6 { lane.receive(UInt64(number)) }
    #expect(lane.statistics == StreamStatistics(produced: 6, delivered: 0, dropped: 2))
    var cursor = lane.makeCursor()
    var buffer: [StreamElement<UInt64>] = []
    for _ in 0..<4 { #expect(await cursor.fill(&buffer, isolation: nil)) }
    #expect(buffer == [.gap(2), .value(2), .value(3), .value(4), .value(5)])
    lane.finish()
    // The stream has ended: late values are dropped.
    lane.receive(6)
    #expect(lane.statistics == StreamStatistics(produced: 7, delivered: 4, dropped: 3))
    #expect(!(await cursor.fill(&buffer, isolation: nil)))
  }

  @Test func streamThatCannotBeDrainedEndedAsCancelled() async throws {
    LogRecorder.install()
    let ticker = try NativeTicker(
      NativeTickerConfiguration(updatesPerSecond: 1, seed: 0, updateLimit: 0, hasSeed: false))
    let echo = try NativeEcho(
      NativeEchoConfiguration(valuesPerSecond: 1, number: 7, delayNanoseconds: 0, valueLimit: 0))
    // Held to the end, since dropping it cancels the session.
    let own = try echo.start(buffering: .batched(), reader: ElementReader { $0 }, sequenceNumber: { _ in 0 })
    let session = own.core.session
    // A lane that is only empty waits for the bell.
    let lane = BatchedLane<UInt64>(
      bell: Doorbell(),
      drain: { (_, most) throws(NativeError) in try ticker.lanes.drain(session.id, most) { _ in } },
      statistics: { nil })
    let stream = EngineStream(core: .init(session: session, source: .batched(lane)))
    #expect(stream.outcome == nil)
    for await _ in stream { Issue.record("nothing can be drained") }
    await session.released()
    let text = "session: expected one of the stream that is drained, got another stream's"
    #expect(stream.outcome == .failed(text))
    await LogRecorder.line(from: "error none: " + text)
    withExtendedLifetime(own) {}
  }
}
