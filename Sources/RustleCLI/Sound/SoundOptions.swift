internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

/// The sound device of a command.
struct DeviceOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The sound device, as listed by 'rustle devices'; 'default' is the system's default.", valueName: "name"))
  var device: String?

  @Flag(help: "Short for --device demo, the built-in device without hardware.")
  var demo = false

  /// The requested device; nil for none.
  var name: String? { demo ? AudioDevice.demo.name : device }

  func validate() throws {
    if let device, demo { throw ValidationError("--device \(device) cannot be used with --demo") }
    if device == "" { throw ValidationError("--device: expected the name of a device, got ''") }
  }
}

/// The options of commands with a sound device or raw samples.
struct SoundDeviceOptions: ParsableArguments {
  @OptionGroup var choice: DeviceOption

  @Option(
    help: "Sample rate of a device or of raw samples, 1 to 768000. (default of a device: 48000)", value: "hz",
    parse: Parse.sampleRate)
  var rate: Int?

  @Option(
    help: "Channels of a device or of raw samples, 1 to 32. (default of a device: 2)", value: "count",
    parse: Parse.channels)
  var channels: Int?

  static let defaultRate = 48_000
  static let defaultChannels = 2

  var device: String? { choice.device }
  var demo: Bool { choice.demo }
  var name: String? { choice.name }

  /// The configuration of a device.
  ///
  /// - Parameters:
  ///   - name: the device.
  ///   - seconds: the duration of the sound; nil for no limit.
  func configuration(of name: String, seconds: Double? = nil) throws -> DeviceConfiguration {
    let format = try AudioFormat(
      sampleRate: Double(rate ?? Self.defaultRate), channels: channels ?? Self.defaultChannels)
    let limit = seconds.map { max(1, Int(($0 * format.sampleRate).rounded())) }
    return DeviceConfiguration(device: name, format: format, frameLimit: limit)
  }
}

/// The encoding of samples without a header; other options have their rate and channels.
struct RawInputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read samples without a header: \(Self.encodings). Requires --rate and --channels.", valueName: "encoding"),
    completion: .list(PCMEncoding.allCases.map(\.rawValue)),
    transform: { text in
      guard let encoding = PCMEncoding(rawValue: text.lowercased()) else {
        throw ValidationError("expected \(Self.encodings), got '\(text)'")
      }
      return encoding
    })
  var raw: PCMEncoding?

  private static let encodings =
    PCMEncoding.allCases.dropLast().map(\.rawValue).joined(separator: ", ")
    + " or \(PCMEncoding.allCases.last?.rawValue ?? "")"

  /// Rejects raw samples without a rate or channels.
  func check(rate: Int?, channels: Int?) throws {
    guard let raw, rate == nil || channels == nil else { return }
    let missing = [rate == nil ? "--rate" : nil, channels == nil ? "--channels" : nil]
    throw ValidationError("--raw \(raw.rawValue) requires \(missing.compactMap(\.self).joined(separator: " and "))")
  }

  /// Rejects raw samples without a rate or channels, and either option for a sound file.
  ///
  /// - Parameter alternative: another input with these options: ` or a device`.
  func checkOfFile(rate: Int?, channels: Int?, alternative: String = "") throws {
    try check(rate: rate, channels: channels)
    if raw == nil, rate != nil || channels != nil {
      throw ValidationError("\(rate != nil ? "--rate" : "--channels") requires --raw\(alternative)")
    }
  }

  /// Opens a file or raw samples with checked rate and channels; `-` is standard input.
  ///
  /// - Parameter example: a command that reads standard input.
  func open(
    _ input: String, rate: Int?, channels: Int?, from: Double = 0, seconds: Double? = nil, example: String
  ) async throws -> SoundInput {
    if input == AudioFileReader.standardInputPath && StandardStream.isTerminal(StandardStream.input) {
      throw CommandFailure(
        .noInput, "expected sound on standard input, got a terminal",
        advice: "pipe sound in: sox take1.flac -t wav - | \(example)")
    }
    guard let raw else { return try await .file(input, from: from, seconds: seconds) }
    let format = try AudioFormat(sampleRate: Double(rate ?? 0), channels: channels ?? 0)
    return try await .raw(input, format: format, encoding: raw, from: from, seconds: seconds)
  }
}

/// The options of commands that read sound from a file or from standard input only.
struct SoundFileOptions: ParsableArguments {
  @Argument(
    help: "A WAV, FLAC, OGG or MP3 file, or - for standard input (no FLAC).", completion: .file())
  var input: String

  @OptionGroup var samples: RawInputOptions

  @Option(help: "Sample rate of raw samples, 1 to 768000.", value: "hz", parse: Parse.sampleRate)
  var rate: Int?

  @Option(help: "Channels of raw samples, 1 to 32.", value: "count", parse: Parse.channels)
  var channels: Int?

  func validate() throws {
    if input == "" { throw ValidationError("expected the path of a sound file, got ''") }
    try samples.checkOfFile(rate: rate, channels: channels)
  }

  /// Opens the input and determines its format.
  ///
  /// - Parameters:
  ///   - command: the name of the command, for an example.
  ///   - from: the time to begin at, in seconds.
  ///   - seconds: the longest duration to read; nil for all.
  /// - Throws: `CommandFailure`, or an error that converts to one.
  func open(for command: String, from: Double = 0, seconds: Double? = nil) async throws -> SoundInput {
    try await samples.open(
      input, rate: rate, channels: channels, from: from, seconds: seconds, example: "rustle \(command) -")
  }
}

/// The options of commands that read sound from a file, from standard input, or from a device.
struct SoundInputOptions: ParsableArguments {
  @Argument(
    help: "A WAV, FLAC, OGG or MP3 file, or - for standard input (no FLAC). Omit with --device or --demo.",
    completion: .file())
  var input: String?

  @OptionGroup var samples: RawInputOptions
  @OptionGroup var device: SoundDeviceOptions

  func validate() throws {
    if input == "" { throw ValidationError("expected the path of a sound file, got ''") }
    let option = device.device.map { "--device \($0)" } ?? (device.demo ? "--demo" : nil)
    if let input {
      if let option { throw ValidationError("\(option) cannot be used with a file, got '\(input)'") }
      return try samples.checkOfFile(rate: device.rate, channels: device.channels, alternative: " or a device")
    }
    if samples.raw != nil {
      throw ValidationError("--raw: expected a file of raw samples, or - for standard input, got none")
    }
    if option == nil {
      throw ValidationError(
        "expected a sound file, - for standard input, --device <name> or --demo, got none")
    }
  }

  /// Opens the input and determines its format. A device starts.
  ///
  /// - Parameters:
  ///   - example: a command that reads standard input: `rustle meter -`.
  ///   - seconds: the longest duration to read; nil for all.
  /// - Throws: `CommandFailure`, or an error that converts to one.
  func open(for example: String, seconds: Double? = nil) async throws -> SoundInput {
    guard let input else {
      return try await .device(device.configuration(of: device.name ?? AudioDevice.defaultName, seconds: seconds))
    }
    return try await samples.open(
      input, rate: device.rate, channels: device.channels, seconds: seconds, example: example)
  }
}
