import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct RhythmTrackerTests {
  /// A click every half second.
  private static let clicks = (0..<96_000).map { $0 % 4_000 < 40 ? Float(0.5) : 0 }

  @Test func clicksHaveTheirTempoAndBeats() throws {
    var tracker = try RhythmTracker(sampleRate: 8_000)
    #expect(tracker.hop == 80 && tracker.latency > 0)
    var frames: [RhythmFrame] = []
    try tracker.process(Self.clicks.span, into: &frames)
    let beat = try #require(frames.last?.beat)
    #expect(abs(beat.tempo - 120) < 1 && beat.confidence > 0.3 && beat.phaseError < .milliseconds(20))
    let reported = frames.compactMap { $0.beat?.isLastBefore == true ? $0.beat?.next : nil }
    #expect(reported.count > 12)
    for time in reported.suffix(8) {
      let milliseconds = time / .milliseconds(500)
      #expect(abs(milliseconds - milliseconds.rounded()) < 0.06, "\(time)")
    }
    #expect(frames.contains { ($0.onset ?? 0) > 1 } && frames.allSatisfy { $0.levels.count == 3 })
    var pieces: [RhythmFrame] = []
    tracker.reset()
    var rest = Self.clicks[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(333))
      try tracker.process(piece.span, into: &pieces)
      rest = rest.dropFirst(333)
    }
    #expect(pieces == frames)
  }

  @Test func wholeSignalHasABeatForEachClick() throws {
    var analyzer = try RhythmAnalyzer(sampleRate: 8_000)
    try analyzer.process(Self.clicks.span)
    let rhythm = try analyzer.finish()
    #expect(abs((rhythm.tempo ?? 0) - 120) < 0.5 && (22...25).contains(rhythm.beats.count))
    try analyzer.process([Float](repeating: 0, count: 8_000).span)
    let silence = try analyzer.finish()
    #expect(silence.tempo == nil && silence.beats.isEmpty && silence.confidence == 0)
  }

  @Test(arguments: [(7_999.0, 55.0...200.0), (8_000, 20...200), (8_000, 100...140), (.nan, 55...200)])
  func badValuesAreRefused(rate: Double, tempoRange: ClosedRange<Double>) {
    let error = #expect(throws: AudioError.self) { _ = try RhythmTracker(sampleRate: rate, tempoRange: tempoRange) }
    #expect(error?.code == .validation)
  }
}
