import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct EqualizerTextFuzzTests {
  /// Settings of random bands, some with few digits and some with all.
  static func settings(_ generator: inout SeededGenerator) -> EqualizerSettings {
    func number(_ range: ClosedRange<Double>) -> Double {
      let value = Double.random(in: range, using: &generator)
      let scales: [Double] = [0, 1, 10, 100, 1_000, 10_000]
      let scale = scales[Int.random(in: 0..<6, using: &generator)]
      return scale == 0 ? value : min(max((value * scale).rounded() / scale, range.lowerBound), range.upperBound)
    }
    func bands() -> [EqualizerBand] {
      (0..<Int.random(in: 0...64, using: &generator)).map { _ in
        EqualizerBand(
          EqualizerBand.Kind.allCases.randomElement(using: &generator) ?? .peaking, frequency: number(0.001...24_000),
          gain: number(-24...24), q: number(0.183...28.8))
      }
    }
    let left = bands()
    return EqualizerSettings(
      left: left, right: Bool.random(using: &generator) ? left : bands(), preamp: number(-24...24))
  }

  @Test func whatIsWrittenReadsBackBitByBit() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let settings = Self.settings(&generator)
      let text = EqualizerText.format(settings)
      let again = try EqualizerText.parse(text)
      #expect(again == settings)
      // Other line ends and a decimal comma say the same.
      #expect(try EqualizerText.parse(text.replacing("\n", with: "\r\n")) == settings)
      #expect(try EqualizerText.parse(text.replacing(".", with: ",").lowercased()) == settings)
    }
  }

  @Test func numbersAtTheEndsReadBack() throws {
    for frequency in [Double.leastNonzeroMagnitude, 1e-5, 12.345, 999.999, 1e16, 1.5e300, .greatestFiniteMagnitude] {
      let band = EqualizerBand(frequency: frequency, gain: -1e-300, q: 1)
      let settings = EqualizerSettings(left: [band], right: [band], preamp: 24)
      #expect(try EqualizerText.parse(EqualizerText.format(settings)) == settings)
    }
  }

  /// Reads a text that may be anything: what is accepted is in range, and what is refused says why.
  static func read(_ text: String) throws {
    do {
      try EqualizerText.parse(text).check(sampleRate: nil)
    } catch {
      #expect(error.code == .validation)
      #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
    }
  }

  @Test func truncationsNeverTrap() throws {
    var generator = SeededGenerator(seed: 2)
    let text = EqualizerText.format(Self.settings(&generator))
    for length in 0..<min(text.count, 1_500) { try Self.read(String(text.prefix(length))) }
  }

  @Test func randomWordsNeverTrap() throws {
    let words = [
      "Filter", "Filter 1", ":", "Preamp", "Channel", "ON", "OFF", "PK", "LS", "HSC", "LPQ", "Modal", "T60", "target",
      "Fc",
      "Hz", "Gain", "dB", "Q", "BW", "Oct", "None", "all", "L", "1", "-6.2", "1e", "1e5", "--", ".", ",", "1.000,",
      "1,2,3",
      "9e999", "#", ";", "\n", "\r", "\r\n", "\u{FEFF}", "\u{A0}", "\u{202F}", "é", "\u{0}", "\u{1B}", "🎚", "12 dB",
      "nan",
    ]
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<3_000 {
      let count = Int.random(in: 1...24, using: &generator)
      let picked = (0..<count).compactMap { _ in words.randomElement(using: &generator) }
      try Self.read(picked.joined(separator: Bool.random(using: &generator) ? " " : ""))
      // And behind what makes it a filter.
      try Self.read("Filter 1: ON PK " + picked.joined(separator: " "))
    }
  }

  @Test func randomBytesNeverTrap() throws {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<1_000 {
      let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      try Self.read(String(decoding: bytes, as: UTF8.self))
      try Self.read("Preamp: " + String(decoding: bytes, as: UTF8.self))
    }
  }
}
