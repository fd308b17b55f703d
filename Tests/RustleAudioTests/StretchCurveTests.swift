import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct StretchCurveTests {
  /// Much as a grand piano has it: least in the tenor, more at both ends.
  static let piano: [StretchCurve.Point] = [
    (21, 3e-4), (33, 1.5e-4), (45, 1.2e-4), (57, 3e-4), (69, 8e-4), (81, 2.2e-3), (93, 6e-3), (108, 2e-2),
  ].map { StretchCurve.Point(note: Note(midi: $0.0), inharmonicity: $0.1) }

  /// What sounds without stiffness when the first partial is at `first`.
  static func fundamental(first: Double, _ b: Double) -> Double { first / (1 + b).squareRoot() }

  /// The partials that the octave names are at the same frequency, all over the keyboard and in any temperament.
  @Test(arguments: StretchCurve.Octave.allCases, [Temperament.Preset.equal, .vallotti])
  func thePartialsOfOctavesAgree(octave: StretchCurve.Octave, preset: Temperament.Preset) throws {
    let curve = try StretchCurve(points: Self.piano, octave: octave)
    let tuning = try Tuning(temperament: Temperament(preset), stretch: curve)
    for midi in 21...96 {
      let (low, high) = (Note(midi: midi), Note(midi: midi + 12))
      let (b, c) = (curve.inharmonicity(of: low), curve.inharmonicity(of: high))
      let lower = StretchCurve.partial(
        2 * octave.upperPartial, fundamental: Self.fundamental(first: tuning.frequency(of: low), b), inharmonicity: b)
      let upper = StretchCurve.partial(
        octave.upperPartial, fundamental: Self.fundamental(first: tuning.frequency(of: high), c), inharmonicity: c)
      #expect(abs(Tuning.cents(upper / lower)) < 1e-9, "\(low)")
    }
    #expect(tuning.frequency(of: .a4) == 440)
  }

  @Test func oneInharmonicityGivesTheClosedForm() throws {
    let b = 1e-3
    let curve = try StretchCurve(points: [.init(note: .a4, inharmonicity: b)], octave: .twoToOne)
    let octave = 600 * log2((1 + 4 * b) / (1 + b))
    for octaves in -4...4 {
      #expect(abs(curve.cents(at: 69 + 12 * Double(octaves)) - octave * Double(octaves)) < 1e-9)
    }
    // Evenly in between.
    #expect(abs(curve.cents(at: 66) + octave / 4) < 1e-9 && abs(curve.cents(at: 72.5) - octave * 3.5 / 12) < 1e-9)
    // 600 / ln 2 times ln(1.004 / 1.001).
    #expect(abs(octave - 2.5904) < 0.0001)
  }

  @Test func noStiffnessNoStretch() throws {
    let curve = try StretchCurve(points: [.init(note: .c4, inharmonicity: 0)])
    for position in stride(from: -150.0, through: 300, by: 7.3) { #expect(curve.cents(at: position) == 0) }
    #expect(StretchCurve.partial(3, fundamental: 100, inharmonicity: 0) == 300)
    #expect(abs(StretchCurve.partial(10, fundamental: 100, inharmonicity: 1e-3) - 1_000 * 1.1.squareRoot()) < 1e-9)
  }

  @Test func inharmonicitiesGrowEvenlyBetweenThePoints() throws {
    let curve = try StretchCurve(points: [
      .init(note: Note(midi: 40), inharmonicity: 1e-4), .init(note: Note(midi: 60), inharmonicity: 1e-2),
      .init(note: Note(midi: 70), inharmonicity: 0),
    ])
    #expect(abs(curve.inharmonicity(of: Note(midi: 50)) - 1e-3) < 1e-15)
    #expect(curve.inharmonicity(of: Note(midi: 20)) == 1e-4 && curve.inharmonicity(of: Note(midi: 60)) == 1e-2)
    #expect(abs(curve.inharmonicity(of: Note(midi: 65)) - 5e-3) < 1e-15)
    #expect(curve.inharmonicity(of: Note(midi: 99)) == 0)
  }

  @Test func stretchedNotesAreReadBack() throws {
    for temperament in [Temperament(.equal), Temperament(.werckmeisterIII), try .equal(24)] {
      let curve = try StretchCurve(points: Self.piano, octave: .sixToThree)
      let tuning = try Tuning(temperament: temperament, stretch: curve)
      let count = temperament.cents.count
      for step in -3 * count...3 * count {
        for share in [-0.45, 0, 0.45] {
          let gap = Tuning.cents(tuning.frequency(ofStep: step + (share < 0 ? -1 : 1)) / tuning.frequency(ofStep: step))
          let cents = share * abs(gap)
          let reading = try #require(tuning.reading(of: tuning.frequency(ofStep: step) * pow(2, cents / 1_200)))
          #expect(reading.step == step && abs(reading.cents - cents) < 1e-8)
        }
      }
    }
  }

  @Test func pointsAreChecked() {
    func message(_ points: [(Int, Double)]) -> String? {
      let points = points.map { StretchCurve.Point(note: Note(midi: $0.0), inharmonicity: $0.1) }
      return #expect(throws: AudioError.self) { try StretchCurve(points: points) }?.message
    }
    #expect(message([]) == "points: expected 1 to 256, got 0")
    #expect(message([(60, -1e-9)]) == "point 1: expected an inharmonicity B from 0 to 0.1, got -1e-09")
    #expect(message([(60, .nan)]) == "point 1: expected an inharmonicity B from 0 to 0.1, got nan")
    #expect(message([(60, 1e-3), (60, 1e-3)]) == "point 2: expected a note above C4, got C4")
  }

  @Test func theCurveIsReadBackFromJSON() throws {
    let curve = try StretchCurve(points: Self.piano)
    #expect(try JSONDecoder().decode(StretchCurve.self, from: JSONEncoder().encode(curve)) == curve)
  }
}
