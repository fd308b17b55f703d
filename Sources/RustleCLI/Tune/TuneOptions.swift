internal import ArgumentParser
import Foundation
import RustleAudio

/// The instrument and the tuning.
struct TuneOptions: ParsableArguments {
  @Flag(help: "List the instruments with their strings, and exit.")
  var listInstruments = false

  @Option(
    help: ArgumentHelp(
      "Tune the strings of this instrument: one of --list-instruments, or a JSON file with a name and strings. "
        + "(default: every note)", valueName: "name|file"), completion: .file(extensions: ["json"]))
  var instrument: String?

  @Option(
    help: ArgumentHelp("Read the tuning from this JSON file; the options below change it.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var tuning: String?

  @Option(
    help: "Reference pitch: the frequency of A4, 300 to 500 Hz. (default: 440)", value: "hz",
    parse: Parse.number("hertz", in: Tuning.referenceRange))
  var reference: Double?

  @Option(
    help: ArgumentHelp(
      "The temperament: \(Self.temperaments), a number of equal parts of the octave, or a Scala file (.scl).",
      valueName: "name|file"), completion: .file(extensions: ["scl"]))
  var temperament: String?

  @Option(
    help: ArgumentHelp("Tonic of the temperament. (default: C)", valueName: "note"),
    transform: Parse.noteName)
  var tonic: NoteName?

  @Option(
    help: "Semitones from the sounding up to the written note: 2 for a clarinet in B flat.", value: "semitones",
    parse: Parse.integer("semitones", in: Tuning.transpositionRange))
  var transpose: Int?

  @Flag(help: "Name black keys as flats instead of sharps.")
  var flats = false

  @Option(
    help: "Error of the sound card's clock in parts per million, positive if fast, -500 to 500.", value: "ppm",
    parse: Parse.number("parts per million", in: Tuning.clockCorrectionRange))
  var ppm: Double?

  @OptionGroup var channel: ChannelOption

  @Option(
    help:
      "Tracking method: harmonic has a calibrated confidence and the inharmonicity; the others are for comparison."
  )
  var method: PitchMethod = .harmonic

  static let temperaments = Temperament.Preset.allCases.map(\.rawValue).joined(separator: ", ")

  func validate() throws {
    if listInstruments { throw CleanExit.message(Self.instrumentList) }
  }

  /// The presets with their names, one per line.
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
  ///
  /// - Throws: `CommandFailure` for an unknown name, and for an invalid file.
  func configuration(needle: NeedleOptions) throws -> TunerConfiguration {
    var configuration = TunerConfiguration(
      tuning: try combinedTuning(), needle: needle, channel: channel.number.map { .channel($0 - 1) } ?? .mix,
      method: method)
    if let instrument { configuration.instrument = try Self.instrument(instrument) }
    return configuration
  }

  private func combinedTuning() throws -> Tuning {
    let base = try tuning.map { try Self.decoded(Tuning.self, from: $0, option: "--tuning") } ?? .standard
    return try Tuning(
      reference: reference ?? base.reference,
      temperament: temperament.map { try Self.temperament($0) } ?? base.temperament, tonic: tonic ?? base.tonic,
      transposition: transpose ?? base.transposition, spelling: flats ? .flats : base.spelling, stretch: base.stretch,
      clockCorrection: ppm ?? base.clockCorrection)
  }

  /// An instrument by its name, in any case, or from a file.
  static func instrument(_ text: String) throws -> Instrument {
    if text.lowercased() == "chromatic" { return .chromatic }
    if let preset: Instrument.Preset = preset(text) { return Instrument(preset) }
    guard isPath(text, ending: "json") else {
      let advice = Suggestion.advice(for: text, among: Instrument.Preset.allCases.map(\.rawValue))
      throw CommandFailure(
        .usage, "--instrument: expected the name of an instrument or a JSON file, got '\(text)'",
        advice: advice ?? "'rustle tune --list-instruments' lists them")
    }
    return try decoded(Instrument.self, from: text, option: "--instrument")
  }

  /// A temperament by its name, in any case, by its number of parts, or from a file.
  static func temperament(_ text: String) throws -> Temperament {
    if let preset: Temperament.Preset = preset(text) { return Temperament(preset) }
    if let divisions = Int(text) {
      return try CommandFailure.naming("--temperament", .usage) { try Temperament.equal(divisions) }
    }
    guard isPath(text, ending: "scl") else {
      throw CommandFailure(
        .usage, "--temperament: expected \(temperaments), a number or a Scala file, got '\(text)'",
        advice: Suggestion.advice(for: text, among: Temperament.Preset.allCases.map(\.rawValue)))
    }
    return try CommandFailure.naming(text) {
      try Temperament(scalaFile: try TextFile.bytes(of: text, option: "--temperament"))
    }
  }

  private static func preset<Preset: CaseIterable & RawRepresentable<String>>(_ text: String) -> Preset? {
    Preset.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
  }

  private static func isPath(_ text: String, ending: String) -> Bool {
    text.contains("/") || text.lowercased().hasSuffix("." + ending) || FileManager.default.fileExists(atPath: text)
  }

  private static func decoded<Value: Decodable>(
    _ type: Value.Type, from path: String, option: String
  ) throws -> Value {
    let data = try TextFile.bytes(of: path, option: option)
    return try CommandFailure.naming(path) {
      do {
        return try JSONDecoder().decode(type, from: data)
      } catch let error as DecodingError {
        throw CommandFailure(
          .badData, "\(path): \(Self.words(of: error))", advice: "correct the file, or choose another")
      }
    }
  }

  /// The description of a decoding error, with its place.
  private static func words(of error: DecodingError) -> String {
    let context: DecodingError.Context
    let what: String
    switch error {
    case .keyNotFound(let key, let found):
      (context, what) = (found, "expected a value for \"\(key.stringValue)\", got none")
    case .typeMismatch(_, let found), .valueNotFound(_, let found):
      (context, what) = (found, "expected another kind of value")
    case .dataCorrupted(let found): (context, what) = (found, "expected JSON in its format")
    @unknown default: return "expected JSON in its format"
    }
    let place = context.codingPath.map { key in
      if let index = key.intValue { return "[\(index)]" }
      return key.stringValue
    }.joined(separator: " ")
    return place.isEmpty ? what : "\(place): \(what)"
  }
}

/// The smoothing of the tuner's needle.
struct NeedleArguments: ParsableArguments {
  @Option(
    help: "Time constant of the needle, 0 to 10 seconds. (default: 0.1)",
    value: "seconds", parse: Parse.number("seconds", in: 0...10))
  var smooth: Double?

  @Option(
    help: "Hold the last reading this long after the tone, 0 to 60 seconds. (default: 1)", value: "seconds",
    parse: Parse.number("seconds", in: 0...60))
  var hold: Double?

  @Option(
    help: "Least confidence of a frame that is used, 0 to 1. (default: 0.5)", value: "part",
    parse: Parse.number("a confidence", in: 0...1))
  var confidence: Double?

  @Flag(help: "Show every frame, without smoothing and hold.")
  var unsteadied = false

  func validate() throws {
    guard unsteadied else { return }
    if smooth != nil { throw ValidationError("--unsteadied cannot be used with --smooth") }
    if hold != nil { throw ValidationError("--unsteadied cannot be used with --hold") }
  }

  /// The options of the needle.
  var options: NeedleOptions {
    var options = unsteadied ? NeedleOptions.raw : NeedleOptions()
    if unsteadied { options.minimumConfidence = NeedleOptions().minimumConfidence }
    if let smooth { options.timeConstant = smooth }
    if let hold { options.holdTime = hold }
    if let confidence { options.minimumConfidence = confidence }
    return options
  }
}
