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
}
