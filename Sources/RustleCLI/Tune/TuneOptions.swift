internal import ArgumentParser
import Foundation
import RustleAudio
import RustleFiles
import RustlePlot

struct TuneOptions: ParsableArguments {
  @Flag(help: "List the instruments with their strings, and exit.")
  var listInstruments = false

  @Option(
    parsing: .next,
    "Tune to the strings of this instrument: one of --list-instruments, or a JSON file with a name and strings. "
      + "(default: chromatic, the nearest note)", value: "name|file",
    completion: .names(["chromatic"] + Instrument.Preset.allCases.map(\.rawValue), orFiles: ".json"))
  var instrument: String?

  @Option(
    help: ArgumentHelp("Read the tuning from this JSON file; the options below change it.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var tuning: String?

  @Option(
    "Reference pitch: the frequency of A4, 300 to 500 Hz. (default: 440)", value: "hz",
    parse: Parse.number("hertz", in: Tuning.referenceRange))
  var reference: Double?

  @Option(
    parsing: .next,
    "The temperament: \(Self.temperaments), a number of equal steps per octave, or a .scl file. (default: equal)",
    value: "name|file", completion: .names(Temperament.Preset.allCases.map(\.rawValue), orFiles: ".scl"))
  var temperament: String?

  @Option(help: ArgumentHelp("Tonic of the temperament. (default: C)", valueName: "note"), transform: Parse.noteName)
  var tonic: NoteName?

  @Option(
    "Semitones from the sounding up to the written note: 2 for a clarinet in B flat. (default: 0)", value: "semitones",
    parse: Parse.integer("semitones", in: Tuning.transpositionRange))
  var transpose: Int?

  @Flag(help: "Name black keys as flats instead of sharps.")
  var flats = false

  @Option(
    "Error of the sound card's clock in parts per million, positive if fast, -500 to 500. (default: 0)", value: "ppm",
    parse: Parse.number("parts per million", in: Tuning.clockCorrectionRange))
  var ppm: Double?

  @OptionGroup var channel: ChannelOption

  @Option(
    help: "Method that measures the pitch: harmonic measures inharmonicity too; the others are published ones.")
  var method: PitchMethod = .harmonic

  static let temperaments = Temperament.Preset.allCases.map(\.rawValue).joined(separator: ", ")

  func validate() throws {
    if listInstruments { throw CleanExit.message(Self.instrumentList) }
  }

  static var instrumentList: String {
    let width = Instrument.Preset.allCases.reduce(0) { max($0, $1.rawValue.count) } + 2
    let lines = Instrument.Preset.allCases.map { preset in
      let notes = Instrument(preset).strings.map { "\($0.note)" }.joined(separator: " ")
      return preset.rawValue.rightPadded(to: width) + preset.name.rightPadded(to: 24) + notes
    }
    return (["chromatic".rightPadded(to: width) + "Chromatic".rightPadded(to: 24) + "every note"] + lines)
      .joined(separator: "\n")
  }

  /// The tuner's initial configuration.
  func configuration(needle: NeedleOptions) throws -> TunerConfiguration {
    var configuration = TunerConfiguration(
      tuning: try combinedTuning(), needle: needle, channel: ChannelSelection(number: channel.number),
      method: method)
    if let instrument { configuration.instrument = try Self.instrument(instrument) }
    return configuration
  }

  private func combinedTuning() throws -> Tuning {
    let base = try tuning.map { try TextFile.value(of: $0, option: "--tuning", Tuning.init(json:)) } ?? .standard
    return try Tuning(
      reference: reference ?? base.reference,
      temperament: temperament.map { try Self.temperament($0) } ?? base.temperament, tonic: tonic ?? base.tonic,
      transposition: transpose ?? base.transposition, spelling: flats ? .flats : base.spelling, stretch: base.stretch,
      clockCorrection: ppm ?? base.clockCorrection)
  }

  /// An instrument by its name, in any case, or from a file.
  static func instrument(_ text: String) throws -> Instrument {
    if text.lowercased() == "chromatic" { return .chromatic }
    return try named(
      text, option: "--instrument", expected: "the name of an instrument or a JSON file", ending: "json",
      advice: "'rustle tune --list-instruments' lists them.", { Instrument($0 as Instrument.Preset) },
      Instrument.init(json:))
  }

  /// A temperament by its name, in any case, by its number of parts, or from a file.
  static func temperament(_ text: String) throws -> Temperament {
    if let divisions = Int(text) {
      return try CommandFailure.naming("--temperament", .usage) { try Temperament.equal(divisions) }
    }
    return try named(
      text, option: "--temperament", expected: "\(temperaments), a number or a Scala file", ending: "scl",
      { Temperament($0 as Temperament.Preset) }, Temperament.init(scalaFile:))
  }

  /// The value of a preset's name, in any case, or of a file.
  private static func named<Preset: CaseIterable & RawRepresentable<String>, Value>(
    _ text: String, option: String, expected: String, ending: String, advice: String? = nil,
    _ value: (Preset) -> Value, _ read: (Data) throws -> Value
  ) throws -> Value {
    if let preset = Preset.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
      return value(preset)
    }
    let isPath =
      text.contains("/") || text.lowercased().hasSuffix("." + ending) || FileManager.default.fileExists(atPath: text)
    if isPath { return try TextFile.value(of: text, option: option, read) }
    let suggestion = Suggestion.advice(for: text, among: Preset.allCases.map(\.rawValue))
    throw CommandFailure(.usage, "\(option): expected \(expected), got '\(text)'", advice: suggestion ?? advice)
  }
}

struct NeedleArguments: ParsableArguments {
  @Option(
    "Time constant of the needle, 0 to 10 seconds. (default: 0.1)", value: "seconds",
    parse: Parse.number("seconds", in: 0...10))
  var smooth: Double?

  @Option(
    "Hold the last reading this long after the tone, 0 to 60 seconds. (default: 1)", value: "seconds",
    parse: Parse.number("seconds", in: 0...60))
  var hold: Double?

  @Option(
    "Least confidence of an analysis frame that moves the needle, 0 to 1. (default: 0.5)", value: "confidence",
    parse: Parse.number("a confidence", in: 0...1))
  var confidence: Double?

  @Flag(help: "Show the reading of every analysis frame, neither smoothed nor held.")
  var unsteadied = false

  func validate() throws {
    guard unsteadied, let other = smooth != nil ? "--smooth" : hold != nil ? "--hold" : nil else { return }
    throw ValidationError("--unsteadied cannot be used with \(other)")
  }

  var options: NeedleOptions {
    let usual = NeedleOptions()
    var options = unsteadied ? .raw : usual
    options.timeConstant = smooth ?? options.timeConstant
    options.holdTime = hold ?? options.holdTime
    options.minimumConfidence = confidence ?? usual.minimumConfidence
    return options
  }
}
