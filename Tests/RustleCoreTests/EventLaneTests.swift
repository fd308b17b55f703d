import TestSupport
import Testing

@testable import RustleCore

@Suite(.releasesNativeObjects) struct EventLaneTests {
  @Test func everyWayToLoseAValueIsCounted() async throws {
    let lane = EventLane<UInt64>(capacity: 4, sequenceNumber: { $0 })
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

  @Test func streamThatCannotBeReadEnds() async throws {
    let ticker = try NativeTicker(
      NativeTickerConfiguration(updatesPerSecond: 1, seed: 0, updateLimit: 0, hasSeed: false))
    let echo = try NativeEcho(
      NativeEchoConfiguration(valuesPerSecond: 1, number: 7, delayNanoseconds: 0, valueLimit: 0))
    let stream = try echo.start(buffering: .batched(), reader: ElementReader { $0 }, sequenceNumber: { _ in 0 })
    let (id, drain) = (stream.core.session.id, ticker.lanes.drain)
    let lane = FrameLane<UInt64>(bell: Doorbell(), drain: { _, most in drain(id, most) { _ in } }, statistics: { nil })
    var cursor = lane.makeCursor()
    var buffer: [StreamElement<UInt64>] = []
    // A lane that is only empty waits for the bell.
    #expect(!(await cursor.fill(&buffer, maximumCount: 1, isolation: nil)))
    withExtendedLifetime(stream) {}
  }
}
