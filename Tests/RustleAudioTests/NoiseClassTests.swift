import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct NoiseClassTests {
  /// The power of a place: the formula of DisplayScale the other way round.
  private func power(ofPlace place: Double) -> Double {
    20 * log10(pow(place / 120, 2) * (1 - 1e-4) + 1e-4)
  }

  @Test(arguments: [
    (0.0, NoiseClass.silent), (49.99, .silent), (50.001, .quiet), (74.99, .quiet), (75.001, .average),
    (89.99, .average),
    (90.001, .noisy), (99.99, .noisy), (100.001, .loud), (119.99, .loud), (120, .loud),
  ])
  func placeHasItsClass(place: Double, noiseClass: NoiseClass) throws {
    let shown = try DisplayScale.place(ofPower: power(ofPlace: place))
    #expect(abs(shown.place - place) < 1e-9)
    #expect(shown.noiseClass == noiseClass)
  }

  /// The two powers next to each other between which the place comes to the edge: the upper one has the upper class.
  @Test(arguments: [(50.0, NoiseClass.silent), (75, .quiet), (90, .average), (100, .noisy)])
  func edgeBelongsToTheClassAboveIt(edge: Double, below: NoiseClass) throws {
    var (low, high) = (power(ofPlace: edge - 1), power(ofPlace: edge + 1))
    while low.nextUp < high {
      let middle = low + (high - low) / 2
      if try DisplayScale.place(ofPower: middle).place < edge { low = middle } else { high = middle }
    }
    #expect(try DisplayScale.place(ofPower: low).noiseClass == below)
    let above = try DisplayScale.place(ofPower: high)
    #expect(above.place >= edge)
    #expect(above.noiseClass.rawValue == below.rawValue + 1)
  }

  @Test func endsOfTheScaleAreOnIt() throws {
    for power in [0, 1, 100, .infinity] {
      let shown = try DisplayScale.place(ofPower: power)
      #expect(shown.place == 120 && shown.noiseClass == .loud)
    }
    for power in [-80.001, -1_000, -.infinity, .nan] {
      let shown = try DisplayScale.place(ofPower: power)
      #expect(shown.place == 0 && shown.noiseClass == .silent)
    }
    #expect(DisplayScale.range == 0...120)
    #expect(abs(try DisplayScale.place(ofPower: -15.2).place - 50) < 0.05)
  }

  @Test(arguments: [
    (pow(10, -60.0 / 20), NoiseClass.silent), (0.3, .quiet), (0.5, .average), (0.65, .noisy), (1, .loud),
  ])
  func meterShowsTheClassOfAConstantPower(amplitude: Double, noiseClass: NoiseClass) async throws {
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let meter = try NoiseMeter(format: format)
    // A square wave: its power is that of its amplitude.
    let samples = (0..<96_000).map { Float($0 % 48 < 24 ? amplitude : -amplitude) }
    try await meter.process(AudioBuffer(format: format, samples: samples, position: 0))
    let reading = try await meter.reading
    #expect(reading.noiseClass == noiseClass)
    #expect(abs(reading.place - (try DisplayScale.place(ofPower: 20 * log10(amplitude)).place)) < 0.01)
  }

  @Test func classesAreOrderedAndNamed() {
    #expect(NoiseClass.allCases.map(\.name) == ["silent", "quiet", "average", "noisy", "loud"])
    #expect(NoiseClass.allCases == NoiseClass.allCases.sorted())
    #expect(NoiseClass.silent < .loud && !(NoiseClass.noisy < .noisy))
  }
}
