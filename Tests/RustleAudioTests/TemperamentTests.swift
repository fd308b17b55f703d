import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct TemperamentTests {
  /// Cents from C to a thousandth, as printed by J. M. Barbour and others who follow the same fifths; here worked out by hand
  /// from the commas 23.460 and 21.506.
  static let tables: [(Temperament.Preset, [Double])] = [
    (.equal, [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_100]),
    (
      .just,
      [0, 111.731, 203.910, 315.641, 386.314, 498.045, 590.224, 701.955, 813.686, 884.359, 1_017.596, 1_088.269]
    ),
    (
      .pythagorean,
      [0, 113.685, 203.910, 294.135, 407.820, 498.045, 611.730, 701.955, 815.640, 905.865, 996.090, 1_109.775]
    ),
    (
      .meantone,
      [0, 76.049, 193.157, 310.265, 386.314, 503.422, 579.471, 696.578, 772.627, 889.735, 1_006.843, 1_082.892]
    ),
    (
      .werckmeisterIII,
      [0, 90.225, 192.180, 294.135, 390.225, 498.045, 588.270, 696.090, 792.180, 888.270, 996.090, 1_092.180]
    ),
    (
      .kirnbergerIII,
      [0, 90.225, 193.157, 294.135, 386.314, 498.045, 590.224, 696.578, 792.180, 889.735, 996.090, 1_088.269]
    ),
    (
      .vallotti,
      [0, 94.135, 196.090, 298.045, 392.180, 501.955, 592.180, 698.045, 796.090, 894.135, 1_000, 1_090.225]
    ),
    (
      .young,
      [0, 90.225, 196.090, 294.135, 392.180, 498.045, 588.270, 698.045, 792.180, 894.135, 996.090, 1_090.225]
    ),
    (
      .youngFirst,
      [0, 93.890, 195.845, 297.800, 391.690, 499.878, 591.935, 697.923, 795.845, 893.768, 999.755, 1_091.813]
    ),
  ]

  @Test(arguments: tables) func presetsHaveTheCentsOfTheBooks(preset: Temperament.Preset, cents: [Double]) {
    let temperament = Temperament(preset)
    #expect(temperament.cents.count == 12 && temperament.period == 1_200 && temperament.isChromatic)
    for (got, expected) in zip(temperament.cents, cents) { #expect(abs(got - expected) <= 0.000_51, "\(got)") }
  }

  @Test func everyPresetHasATable() { #expect(Self.tables.map(\.0) == Temperament.Preset.allCases) }

  @Test func purityThatDefinesTheTemperaments() {
    let third = 1_200 * log2(1.25)
    let fifth = 1_200 * log2(1.5)
    let meantone = Temperament(.meantone)
    // Eight pure major thirds on E flat, B flat, F, C, G, D, A, E.
    for tonic in [3, 10, 5, 0, 7, 2, 9, 4] {
      #expect(abs(meantone.cents(ofStep: tonic + 4) - meantone.cents(ofStep: tonic) - third) < 1e-9)
    }
    #expect(abs(Temperament(.kirnbergerIII).cents[4] - third) < 1e-9)
    for preset in [Temperament.Preset.werckmeisterIII, .vallotti, .young] {
      let temperament = Temperament(preset)
      let sizes = (0..<12).map { temperament.cents(ofStep: $0 + 7) - temperament.cents(ofStep: $0) }
      let pure = sizes.count { abs($0 - fifth) < 1e-9 }
      #expect(pure == (preset == .werckmeisterIII ? 8 : 6), "\(preset)")
      #expect(abs(sizes.reduce(0, +) - 8_400) < 1e-9)
    }
  }

  @Test(arguments: [5, 12, 19, 31, 53, 72]) func equalDivisions(count: Int) throws {
    let temperament = try Temperament.equal(count)
    #expect(temperament.cents.count == count)
    for step in -200...200 {
      #expect(abs(temperament.cents(ofStep: step) - 1_200 * Double(step) / Double(count)) < 1e-9)
    }
    #expect(temperament.isChromatic == (count == 12))
  }

  @Test(arguments: [4, 73, 0, -12]) func otherDivisionsAreRefused(count: Int) {
    let error = #expect(throws: AudioError.self) { try Temperament.equal(count) }
    #expect(error?.message == "divisions: expected 5 to 72, got \(count)")
  }

  @Test func theNearestStepIsTheNearest() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let count = Int.random(in: 1...30, using: &generator)
      let steps = (0..<count - 1).map { _ in
        ScaleInterval.cents(.random(in: -300...2_500, using: &generator))
      }
      let period = Double.random(in: 50...2_000, using: &generator)
      let temperament = try Temperament(name: "", steps: steps + [.cents(period)])
      for _ in 0..<20 {
        let pitch = Double.random(in: -8_000...8_000, using: &generator)
        let nearest = abs(temperament.cents(ofStep: temperament.nearestStep(to: pitch)) - pitch)
        // Every step of the periods around, by brute force.
        let around = Int((pitch / period).rounded())
        let reach = 2 + Int((2_800 / period).rounded(.up))
        let best = ((around - reach) * count...(around + reach) * count).map {
          abs(temperament.cents(ofStep: $0) - pitch)
        }.min()
        #expect(abs(nearest - (best ?? 0)) < 1e-8)
      }
    }
    #expect(Temperament(.equal).nearestStep(to: .nan) == 0 && Temperament(.equal).nearestStep(to: 1e300) == 0)
  }

  @Test func stepsAreChecked() {
    func message(_ name: String, _ steps: [ScaleInterval]) -> String? {
      let error = #expect(throws: AudioError.self) { try Temperament(name: name, steps: steps) }
      return error?.message
    }
    #expect(message("", []) == "steps: expected 1 to 4096, got 0")
    #expect(message("a\nb", [.octave]) == "name: expected one line of at most 1000 characters, got \"a\\nb\"")
    #expect(
      message("", [.cents(.nan), .octave]) == "step 1: expected an interval within 20000 cents, got nan")
    #expect(message("", [.ratio(0, 1), .octave]) == "step 1: expected an interval within 20000 cents, got 0/1")
    #expect(message("", [.octave, .ratio(1, 1)]) == "step 2: expected a period of at least 1 cent, got 1/1")
  }

  @Test func temperamentsAreReadBackFromJSON() throws {
    for preset in Temperament.Preset.allCases {
      let json = try JSONEncoder().encode(Temperament(preset))
      #expect(try JSONDecoder().decode(Temperament.self, from: json) == Temperament(preset))
    }
    let fifths = try JSONDecoder().decode(
      Temperament.self, from: Data(#"{"name": "Fifths", "steps": ["3/2", "1200.0"]}"#.utf8))
    #expect(fifths.steps == [.ratio(3, 2), .cents(1_200)])
    #expect(throws: AudioError.self) {
      try JSONDecoder().decode(Temperament.self, from: Data(#"{"name": "", "steps": ["-3/2"]}"#.utf8))
    }
  }
}
