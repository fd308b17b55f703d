import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct EqualizerPresetTests {
  static func read(_ json: String) throws -> EqualizerPreset { try EqualizerPreset(json: Data(json.utf8)) }

  static func message(_ body: () throws -> Void) -> String? {
    let error = #expect(throws: AudioError.self) { try body() }
    #expect(error?.code == .validation)
    return error?.message
  }

  static func list(_ count: Int, of value: String = "0") -> String {
    "[" + Array(repeating: value, count: count).joined(separator: ",") + "]"
  }

  @Test func fullFormHasAVersionAndUnits() throws {
    let settings = EqualizerSettings(
      left: [EqualizerBand(.lowShelf, frequency: 105, gain: 5.5, q: 0.7)], right: [], preamp: -6.2)
    let json = try EqualizerPreset(name: "A/B \"ü\"", settings: settings).json()
    let expected = """
      {
        "left" : [
          {
            "frequency_hz" : 105,
            "gain_db" : 5.5,
            "kind" : "lowShelf",
            "q" : 0.7
          }
        ],
        "name" : "A/B \\"ü\\"",
        "preamp_db" : -6.2,
        "right" : [

        ],
        "v" : 1
      }
      """
    #expect(String(decoding: json, as: UTF8.self) == expected)
  }

  @Test func everyNumberReadsBackBitByBit() throws {
    var generator = SeededGenerator(seed: 5)
    func bands() -> [EqualizerBand] {
      EqualizerBand.Kind.allCases.flatMap { kind in
        (0..<12).map { _ in
          EqualizerBand(
            kind, frequency: .random(in: 1e-3...96_000, using: &generator),
            gain: .random(in: -24...24, using: &generator), q: .random(in: 0.19...28, using: &generator))
        }
      }
    }
    for _ in 0..<20 {
      var settings = EqualizerSettings(left: bands(), right: bands(), preamp: .random(in: -24...24, using: &generator))
      settings.left[0].gain = 0.1 + 0.2
      settings.left[1].frequency = .leastNonzeroMagnitude
      let preset = EqualizerPreset(name: "n", settings: settings)
      let again = try EqualizerPreset(json: preset.json())
      let bits = { (settings: EqualizerSettings) in
        [settings.preamp.bitPattern]
          + (settings.left + settings.right).flatMap {
            [$0.frequency.bitPattern, $0.gain.bitPattern, $0.q.bitPattern]
          }
      }
      #expect(again == preset)
      #expect(bits(again.settings) == bits(settings))
    }
  }

  @Test func shortFormHasTwentyEightGains() throws {
    let gains = (0..<28).map { Double($0) / 2 - 6 }
    let preset = try Self.read(#"{"name": "Rock", "gains": \#(gains)}"#)
    #expect(preset == EqualizerPreset(name: "Rock", settings: try .graphic(gains: gains)))
    let old = try Self.read(#"{"v": 1, "name": "Rock", "gains": \#(gains), "octaves": 5, "preamp_db": -3}"#)
    var expected = try EqualizerSettings.graphic(gains: gains, octaves: 5)
    expected.preamp = -3
    #expect(old.settings == expected)
    // Saved anew it has the full form and says the same.
    #expect(try EqualizerPreset(json: old.json()) == old)
  }

  @Test(
    arguments: [
      (#"{"v":2,"name":"n","left":[],"right":[],"preamp_db":0}"#, "v: expected 1, got 2"),
      (#"{"v":"1","name":"n","left":[],"right":[],"preamp_db":0}"#, "v: expected a whole number, got another type"),
      (#"{"name":"n","left":[],"right":[],"preamp_db":0}"#, "v: expected a value, got none"),
      (#"{"v":7,"name":"n","gains":[]}"#, "v: expected 1, got 7"),
      (#"{"v":1,"left":[],"right":[],"preamp_db":0}"#, "name: expected a value, got none"),
      (#"{"v":1,"name":"","left":[],"right":[],"preamp_db":0}"#, "name: expected 1 to 100 characters, got 0"),
      (#"{"v":1,"name":"a\nb","left":[],"right":[],"preamp_db":0}"#, "name: expected no control character, got U+000A"),
      (#"{"v":1,"name":"n","left":[],"right":[],"preamp_db":99}"#, "preamp: expected -96 to 24 dB, got 99"),
      (#"{"v":1,"name":"n","left":{},"right":[],"preamp_db":0}"#, "left: expected a list, got another type"),
      (#"{"v":1,"name":"n","left":[],"right":null,"preamp_db":0}"#, "right: expected a list, got null"),
      (
        #"{"v":1,"name":"n","left":[],"right":[],"preamp_db":0,"octaves":1}"#,
        "octaves: expected a q in each band, got octaves"
      ),
      (
        #"{"v":1,"name":"n","left":[],"right":[],"preamp_db":0,"extra":1}"#,
        "preset: expected only v, name, left, right, preamp_db, gains, octaves, got \"extra\""
      ),
      (
        #"{"v":1,"name":"n","right":[],"preamp_db":0,"left":[{"kind":"peaking","frequency_hz":9,"gain_db":1}]}"#,
        "left band 1: q: expected a value, got none"
      ),
      (
        #"{"v":1,"name":"n","left":[],"preamp_db":0,"right":[{"kind":"notch","frequency_hz":9,"gain_db":1,"q":1}]}"#,
        "right band 1: kind: expected one of peaking, lowShelf, highShelf, lowPass, highPass, got another word"
      ),
      (
        #"{"v":1,"name":"n","left":[],"preamp_db":0,"right":[{"kind":"peaking","frequency_hz":9,"gain_db":"1","q":1}]}"#,
        "right band 1: gain_db: expected a number, got another type"
      ),
      (
        #"{"v":1,"name":"n","left":[],"preamp_db":0,"right":[{"kind":"peaking","frequency_hz":9,"gain_db":30,"q":1}]}"#,
        "right band 1: gain: expected -24 to 24 dB, got 30"
      ),
      (
        #"{"v":1,"name":"n","left":[],"preamp_db":0,"right":[{"kind":"peaking","hz":9,"gain_db":30,"q":1}]}"#,
        "right band 1: expected only kind, frequency_hz, gain_db, q, got \"hz\""
      ),
    ])
  func wrongFullFormIsRefusedWithItsPlace(json: String, message: String) {
    #expect(Self.message { _ = try Self.read(json) } == message)
  }

  @Test func wrongShortFormIsRefusedWithItsPlace() {
    func message(_ members: String) -> String? { Self.message { _ = try Self.read(#"{"name":"n",\#(members)}"#) } }
    #expect(
      message(#""gains":\#(Self.list(27))"#) == "gains: expected 28 numbers, two for each of 14 bands, got 27")
    #expect(message(#""gains":\#(Self.list(28, of: "25"))"#) == "left band 1: gain: expected -24 to 24 dB, got 25")
    #expect(message(#""gains":\#(Self.list(28, of: "null"))"#) == "gains 1: expected a number, got null")
    #expect(message(#""gains":\#(Self.list(28)),"octaves":9"#) == "octaves: expected 0.05 to 5, got 9")
    #expect(
      message(#""gains":\#(Self.list(28)),"left":[]"#) == "left: expected either gains or left and right, got both")
  }

  @Test(arguments: ["", "{", "[]", "3", "NaN", #"{"v":NaN}"#, #"{"v":1,"name":"n","preamp_db":NaN}"#, "{\u{0}}"])
  func whatIsNoPresetIsRefused(text: String) {
    #expect(Self.message { _ = try Self.read(text) }?.hasPrefix("preset: expected ") == true)
  }

  @Test func numbersTooLargeForADoubleAreRefused() {
    let json = #"{"v":1,"name":"n","left":[],"right":[],"preamp_db":1e999}"#
    #expect(
      Self.message { _ = try Self.read(json) } == "preset: expected JSON whose numbers are finite, got text that is not"
    )
  }

  @Test func whatIsOutOfRangeIsNotWritten() {
    var settings = EqualizerSettings(left: [EqualizerBand(frequency: .nan, gain: 0, q: 1)])
    #expect(
      Self.message { _ = try EqualizerPreset(name: "n", settings: settings).json() }
        == "left band 1: frequency: expected above 0 Hz, got nan")
    settings = .flat
    for (name, got) in [(String(repeating: "n", count: 101), "101"), ("", "0")] {
      #expect(
        Self.message { _ = try EqualizerPreset(name: name, settings: settings).json() }
          == "name: expected 1 to 100 characters, got \(got)")
    }
    #expect(throws: AudioError.self) { try EqualizerPreset(name: "a\u{2028}b", settings: settings).check() }
    let longest = EqualizerPreset(name: String(repeating: "ü", count: 100), settings: settings)
    #expect(throws: Never.self) { try longest.check() }
  }

  @Test func truncatedOrAlteredPresetsNeverTrap() throws {
    let settings = try EqualizerSettings.graphic(gains: (0..<28).map { Double($0) / 3 })
    let json = try EqualizerPreset(name: "n", settings: settings).json()
    var generator = SeededGenerator(seed: 6)
    for length in stride(from: 0, to: json.count, by: 7) {
      #expect(throws: AudioError.self) { try EqualizerPreset(json: json.prefix(length)) }
    }
    for _ in 0..<300 {
      var bytes = [UInt8](json)
      bytes[.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      // Either it reads, and then it is in range, or it is refused.
      if let preset = try? EqualizerPreset(json: Data(bytes)) { try preset.check() }
    }
  }

  @Test func fileIsJSONOrTextByItsContent() throws {
    let settings = EqualizerSettings(left: [EqualizerBand(frequency: 100, gain: 3, q: 1)], preamp: -3)
    let preset = EqualizerPreset(name: "Kitchen", settings: settings)
    let mark = Data([0xEF, 0xBB, 0xBF])
    #expect(try EqualizerPreset(file: preset.json(), name: "a") == preset)
    #expect(try EqualizerPreset(file: mark + Data(" \r\n\t".utf8) + preset.json(), name: "a") == preset)
    let text = Data(EqualizerText.format(settings).utf8)
    for content in [text, mark + text] {
      #expect(try EqualizerPreset(file: content, name: "a") == EqualizerPreset(name: "a", settings: settings))
    }
    for (bytes, message) in [
      ([0x50, 0xFF], "expected a preset as JSON or as text in UTF-8, got other bytes"),
      (Array("{\"v\": 1}".utf8), "name: expected a value, got none"),
    ] {
      let error = #expect(throws: AudioError.self) { try EqualizerPreset(file: Data(bytes), name: "a") }
      #expect(error?.code == .validation && error?.message == message)
    }
  }

  @Test func nameOfAFileIsThatOfAPreset() {
    #expect(EqualizerPreset.name(ofFile: "presets/Late night.v2.txt") == "Late night.v2")
    #expect(EqualizerPreset.name(ofFile: String(repeating: "a", count: 150) + ".json")?.count == 100)
    #expect(EqualizerPreset.name(ofFile: "a\nb.json") == "ab" && EqualizerPreset.name(ofFile: "\u{7}.json") == nil)
  }

  @Test func aFileIsWrittenInTheFormatOfItsName() throws {
    #expect(EqualizerPreset.FileFormat(ofFile: "a.TXT") == .text && EqualizerPreset.FileFormat(ofFile: "a") == .json)
    let preset = EqualizerPreset(name: "A", settings: EqualizerSettings(preamp: -3))
    for format in EqualizerPreset.FileFormat.allCases {
      let content = try preset.file(format)
      #expect(try EqualizerPreset(file: content, name: "A") == preset)
      #expect(content.last == UInt8(ascii: "\n"))
    }
    let loud = EqualizerPreset(name: "A", settings: EqualizerSettings(preamp: 99))
    #expect(throws: AudioError.self) { try loud.file(.text) }
  }
}
