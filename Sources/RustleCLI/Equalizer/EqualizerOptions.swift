internal import ArgumentParser
import Foundation
import RustleAudio

struct EqualizerOptions: ParsableArguments {
  @Option(
    parsing: .next,
    "Bands and preamp from this file: JSON, or the text of AutoEQ, EqualizerAPO, PipeWire and Room EQ Wizard.",
    value: "file")
  var preset: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Fourteen gains in dB for both channels, or 28, left and then right.",
      discussion:
        "Separated by commas or spaces, for 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3072, 4096, 5120, 10240 "
        + "and 16384 Hz.", valueName: "db,db,..."), transform: Parse.gains)
  var gains: [Double]?

  @Flag(help: "Use the gains of the account of 'rustle account login'; with --live they follow it, and keys change it.")
  var account = false

  @Option(
    "The bandwidth of --gains, 0.05 to 5 octaves. (default: 1)", value: "octaves",
    parse: Parse.number("octaves", in: EqualizerSettings.bandwidthRange))
  var octaves: Double?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Another band: \(EqualizerSettings.bandForm). Repeatable.",
      discussion: "L and R are the channels, ls and hs a low and a high shelf, lp and hp a low-pass and a high-pass "
        + "filter. The default Q is 1.41 for a peaking band, 0.71 for the others.", valueName: "band"),
    transform: Parse.band)
  var band: [EqualizerSettings] = []

  @Option(
    "Gain before the bands, -96 to 24 dB, or auto: the highest gain of the combined response, negated. "
      + "(default: the preset's, or 0)", value: "db|auto", parse: Self.preamp)
  var preamp: EqualizerRequest.Preamp?

  @Flag(help: "Compensate for the overlap of neighbouring bands, so that the combined response has the given gains.")
  var solve = false

  @Flag(help: "Leave the sound unchanged.")
  var bypass = false

  func validate() throws {
    let others = [("--gains", gains != nil), ("--preset", preset != nil), ("--band", !band.isEmpty)]
    for (option, isGiven) in others where account && isGiven {
      throw ValidationError("--account cannot be used with \(option)")
    }
    if octaves != nil && gains == nil { throw ValidationError("--octaves requires --gains") }
  }

  /// The settings that the options describe.
  func request() throws -> EqualizerRequest { try request(of: readPreset()) }

  /// The settings that the other options make of a preset.
  func request(of preset: EqualizerPreset?) throws -> EqualizerRequest {
    var request = EqualizerRequest(settings: preset?.settings ?? .flat, preamp: preamp, isSolved: solve)
    if let gains { request.add(try .graphic(gains: gains, octaves: octaves ?? 1)) }
    for one in band { request.add(one) }
    try request.settings.check(sampleRate: nil)
    return request
  }

  /// The preset of `--preset`; nil without one.
  func readPreset() throws -> EqualizerPreset? { try preset.map { try .read($0, option: "--preset") } }

  private static let preamp: @Sendable (String) throws -> EqualizerRequest.Preamp = {
    let range = EqualizerSettings.preampRange
    return Parse.value("\(Int(range.lowerBound)) to \(Int(range.upperBound)) dB or auto") { text in
      if text.lowercased() == "auto" { return .automatic }
      return Double(text).flatMap { range.contains($0) ? .decibels($0) : nil }
    }
  }()
}

extension EqualizerPreset {
  static let defaultName = "Equalizer"

  /// Reads a preset; a text has the name of the file.
  static func read(_ path: String, option: String) throws -> Self {
    try TextFile.value(of: path, option: option) { try Self(file: $0, name: name(ofFile: path) ?? defaultName) }
  }
}

extension EqualizerRequest {
  /// The settings in force at a sample rate in Hz; `note` receives notes about them for the user.
  func prepared(sampleRate: Double, note: (String) -> Void) throws -> EqualizerSettings {
    let prepared = try prepared(sampleRate: sampleRate)
    prepared.notes.forEach(note)
    return prepared.settings
  }
}
