import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct InharmonicityCollectorTests {
  @Test func theMedianOfEnoughFramesCounts() throws {
    var collector = InharmonicityCollector()
    for value in [1e-4, 3e-4, 2e-4, 9e-2, 2e-4, 2e-4, 2e-4] {
      let isTaken = collector.add(note: .a4, inharmonicity: value, confidence: 0.95)
      #expect(isTaken)
    }
    #expect(collector.points.isEmpty)
    #expect(try collector.curve() == nil)
    collector.add(note: .a4, inharmonicity: 2e-4, confidence: 1)
    #expect(collector.points == [StretchCurve.Point(note: .a4, inharmonicity: 2e-4)])
    for _ in 0..<8 { collector.add(note: .c4, inharmonicity: 1e-4, confidence: 0.9) }
    #expect(collector.points.map(\.note) == [.c4, .a4])
    #expect(try collector.curve(octave: .sixToThree)?.octave == .sixToThree)
    collector.reset()
    #expect(collector.points.isEmpty)
  }

  @Test func whatIsOutOfRangeIsNotTaken() {
    var collector = InharmonicityCollector()
    for (value, confidence) in [(-1e-9, 1.0), (0, 1), (0.11, 1), (.nan, 1), (1e-4, 0.89), (1e-4, 1.01), (1e-4, .nan)] {
      let isTaken = collector.add(note: .a4, inharmonicity: value, confidence: confidence)
      #expect(!isTaken)
    }
    #expect(collector.points.isEmpty)
  }

  @Test func theOldestGiveWay() {
    var collector = InharmonicityCollector()
    for index in 0..<200 { collector.add(note: .a4, inharmonicity: 1e-5 * Double(index), confidence: 1) }
    // The last 64 are 136 to 199.
    #expect(abs(collector.points[0].inharmonicity - 167.5e-5) < 1e-9)
  }
}
