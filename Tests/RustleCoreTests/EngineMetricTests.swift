import TestSupport
import Testing

@testable import RustleCore

@Suite(.releasesNativeObjects) struct EngineMetricTests {
  @Test func textIsThatOfPrometheus() {
    let text = EngineMetric.text(of: [
      EngineMetric("a_total", .counter, "What \\ it\ncounts \"here\".", 3),
      EngineMetric("none", .gauge, "Without samples.", []),
      EngineMetric(
        "b_seconds", .gauge, "Values.",
        [
          EngineMetric.Sample(0.25, [.init("name", "a\"b\\c\nd"), .init("é", "é")]),
          EngineMetric.Sample(-.infinity, []), EngineMetric.Sample(.infinity, []), EngineMetric.Sample(.nan, []),
          EngineMetric.Sample(UInt64(1) << 53, []),
        ]),
    ])
    #expect(
      text == """
        # HELP a_total What \\\\ it\\ncounts "here".
        # TYPE a_total counter
        a_total 3
        # HELP b_seconds Values.
        # TYPE b_seconds gauge
        b_seconds{name="a\\"b\\\\c\\nd",é="é"} 0.25
        b_seconds -Inf
        b_seconds +Inf
        b_seconds NaN
        b_seconds 9007199254740992

        """)
  }

  @Test func streamsThatEndKeepTheirCounts() {
    let lane = LaneCounts.of("engine of a test", "lane")
    #expect(lane === LaneCounts.of("engine of a test", "lane") && lane !== LaneCounts.of("engine of a test", "other"))
    #expect(!LaneCounts.all.contains { $0 === lane })
    let (one, other) = (OneShot(), OneShot())
    lane.add(ObjectIdentifier(one)) { StreamStatistics(produced: 10, delivered: 4, dropped: 3) }
    lane.add(ObjectIdentifier(other)) { StreamStatistics(produced: 5, delivered: 5, dropped: 0) }
    lane.begin()
    lane.begin()
    #expect(lane.values == LaneCounts.Values(produced: 15, delivered: 9, dropped: 3, waiting: 3))
    lane.remove(ObjectIdentifier(one))
    lane.remove(ObjectIdentifier(one))
    // Nobody reads what waited.
    #expect(lane.values == LaneCounts.Values(produced: 15, delivered: 9, dropped: 6, waiting: 0))
    lane.end(.panicked("fault"))
    #expect(lane.started == 2 && lane.running == 1 && lane.ended(.panicked) == 1 && lane.ended(.cancelled) == 0)
    #expect(LaneCounts.all.contains { $0 === lane })
    let text = EngineMetric.text(of: EngineMetric.streams)
    let labels = "{engine=\"engine of a test\",lane=\"lane\""
    for line in [
      "rustle_streams\(labels)} 1\n", "rustle_streams_started_total\(labels)} 2\n",
      "rustle_streams_ended_total\(labels),outcome=\"panicked\"} 1\n",
      "rustle_streams_ended_total\(labels),outcome=\"ended\"} 0\n", "rustle_values_produced_total\(labels)} 15\n",
      "rustle_values_delivered_total\(labels)} 9\n", "rustle_values_dropped_total\(labels)} 6\n",
      "rustle_values_waiting\(labels)} 0\n",
    ] { #expect(text.contains(line), "\(line)") }
  }

  @Test func deliveredValuesNeverFall() {
    let lane = LaneCounts.of("engine of another test", "lane")
    for _ in 0..<3 { lane.call(isDropped: false, waiting: 0) }
    #expect(lane.values == LaneCounts.Values(produced: 3, delivered: 3, dropped: 0, waiting: 0))
    // The first part of the next value: it waits, and is not counted as produced yet.
    lane.empty(-1)
    #expect(lane.values == LaneCounts.Values(produced: 3, delivered: 3, dropped: 0, waiting: 0))
    lane.call(isDropped: false, waiting: 0)
    #expect(lane.values == LaneCounts.Values(produced: 4, delivered: 3, dropped: 0, waiting: 1))
    lane.empty(1)
    #expect(lane.values == LaneCounts.Values(produced: 4, delivered: 4, dropped: 0, waiting: 0))
  }

  /// What an engine does moves the counts of its lane, here of one that no other test has.
  @Test(arguments: [StreamBuffering.perValue(capacity: 4), .batched(capacity: 4)])
  func anEnginesStreamIsCounted(buffering: StreamBuffering) async throws {
    let echo = try NativeEcho(
      NativeEchoConfiguration(valuesPerSecond: 1_000_000, number: 7, delayNanoseconds: 0, valueLimit: 100))
    #expect(echo.lanes.counts === LaneCounts.of("echo", "values"))
    var lanes = echo.lanes
    lanes.counts = .of("echo of a test", "\(buffering)")
    let lane = lanes.counts
    var stream: EngineStream<UInt64>? = try lanes.start(
      on: echo.handle.raw, in: buffering, reader: ElementReader { $0.sequence }, sequenceNumber: { $0 }
    ) { $0 }
    await stream?.core.session.released()
    #expect(lane.values == LaneCounts.Values(produced: 100, delivered: 0, dropped: 96, waiting: 4))
    #expect(lane.started == 1 && lane.running == 0 && lane.ended(.ended) == 1)
    stream = nil
    #expect(lane.values == LaneCounts.Values(produced: 100, delivered: 0, dropped: 100, waiting: 0))
  }

  @Test func valuesOfCallbacksAreCounted() {
    let lane = LaneCounts.of("engine of a test", "callbacks")
    for change in [1, 1, 0, -2] { lane.call(isDropped: false, waiting: change) }
    lane.call(isDropped: true, waiting: 0)
    #expect(lane.values == LaneCounts.Values(produced: 5, delivered: 4, dropped: 1, waiting: 0))
    lane.call(isDropped: false, waiting: 1)
    #expect(lane.values.waiting == 1 && lane.values.delivered == 4)
    lane.empty(1)
    #expect(lane.values == LaneCounts.Values(produced: 6, delivered: 5, dropped: 1, waiting: 0))
  }
}
