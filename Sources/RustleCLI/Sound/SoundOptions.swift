internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct DeviceOption: ParsableArguments {
  @Option(
    parsing: .next, "The sound device, as listed by 'rustle devices'; 'default' is the system's default.",
    value: "name", completion: .devices)
  var device: String?

  @Flag(help: "Use the simulated sound device; short for --device demo.")
  var demo = false

  var name: String? { demo ? AudioDevice.demo.name : device }
  /// The option as given; nil for none.
  var option: String? { device.map { "--device \($0)" } ?? (demo ? "--demo" : nil) }

  func validate() throws {
    if demo, device != nil, let option { throw ValidationError("\(option) cannot be used with --demo") }
    if device == "" { throw ValidationError("--device: expected the name of a device, got ''") }
  }
}

struct SoundDeviceOptions: ParsableArguments {
  @OptionGroup var choice: DeviceOption

  @Option(
    "Sample rate, 1 to 768000 Hz; sound files have their own. (default of a device: 48000)", value: "hz",
    parse: Parse.sampleRate)
  var rate: Int?

  @Option(
    "Number of channels, 1 to 32 (rustle eq: 1 or 2); sound files have their own. (default of a device: 2)",
    value: "count",
    parse: Parse.channels)
  var channels: Int?

  static let defaultRate = 48_000

  /// The configuration of a device, for a duration in seconds.
  func configuration(of name: String, seconds: Double? = nil) throws -> DeviceConfiguration {
    let format = try AudioFormat(sampleRate: Double(rate ?? Self.defaultRate), channels: channels ?? 2)
    let limit = seconds.map { max(1, Int(($0 * format.sampleRate).rounded())) }
    return DeviceConfiguration(device: name, format: format, frameLimit: limit)
  }
}

/// The encoding of samples without a header; other options have their rate and channels.
struct RawInputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read interleaved samples without a header: \(Self.encodings). Requires --rate and --channels.",
      valueName: "encoding"),
    completion: .list(PCMEncoding.allCases.map(\.rawValue)),
    transform: Parse.value(Self.encodings) { PCMEncoding(rawValue: $0.lowercased()) })
  var raw: PCMEncoding?

  private static let encodings =
    PCMEncoding.allCases.dropLast().map(\.rawValue).joined(separator: ", ")
    + " or \(PCMEncoding.allCases.last?.rawValue ?? "")"

  /// Rejects raw samples without a rate or channels.
  func check(rate: Int?, channels: Int?) throws {
    let missing = [rate == nil ? "--rate" : nil, channels == nil ? "--channels" : nil].compactMap(\.self)
    guard let raw, !missing.isEmpty else { return }
    throw ValidationError("--raw \(raw.rawValue) requires \(missing.joined(separator: " and "))")
  }

  /// Rejects an input without a name, raw samples without a rate or channels, and either option for a sound file; `alternative`
  /// is another input with these options.
  func check(_ input: String, rate: Int?, channels: Int?, alternative: String = "") throws {
    if input == "" { throw ValidationError("<input>: expected the path of a sound file, got ''") }
    try check(rate: rate, channels: channels)
    if raw == nil, let option = rate.map({ "--rate \($0)" }) ?? channels.map({ "--channels \($0)" }) {
      throw ValidationError("\(option) requires --raw\(alternative)")
    }
  }

  /// Rejects standard input that is a terminal.
  static func checkStandardInput(_ input: String, option: String = "<input>", example: String) throws {
    guard input == AudioFileReader.standardInputPath, StandardStream.isTerminal(StandardStream.input) else { return }
    throw CommandFailure(
      .noInput, "\(option): expected sound on standard input, got a terminal",
      advice: "Pipe sound in, as in 'sox take1.flac -t wav - | \(example)'.")
  }

  /// Opens a file or raw samples with checked rate and channels, from a time on and for a duration in seconds; `-` is standard
  /// input, from which the command `example` reads. The buffers of a file have `frames`. Not inlined: the optimizer of Swift 6.3
  /// crashes over it in `rustle pitch`.
  @inline(never)
  func open(
    _ input: String, rate: Int?, channels: Int?, from: Double = 0, seconds: Double? = nil, frames: Int = 4_096,
    example: String
  ) async throws -> OpenedInput {
    try Self.checkStandardInput(input, example: example)
    let (from, duration) = (Duration.seconds(from), seconds.map { Duration.seconds($0) })
    guard let raw else {
      return try await AudioFileInput(path: input, bufferFrameCount: frames).open(from: from, duration: duration)
    }
    let format = try AudioFormat(sampleRate: Double(rate ?? 0), channels: channels ?? 0)
    // A pipe delivers full buffers: 20 ms are short enough for a live view.
    let block = max(1, Int(format.sampleRate / 50))
    return try await RawPCMInput(path: input, format: format, encoding: raw, bufferFrameCount: block)
      .open(from: from, duration: duration)
  }
}

/// Rejects the ends of a range of frequencies that are not in order.
func check(min: Double, isBelow max: Double) throws {
  guard min >= max else { return }
  let got = [min, max].map { Numbers.plain($0, digits: 12) }
  throw ValidationError("expected --min below --max, got \(got[0]) and \(got[1])")
}

/// The options of commands that read sound from a file or from standard input only.
struct SoundFileOptions: ParsableArguments {
  @Argument(
    help: "A sound file: \(Self.formats)",
    completion: .file())
  var input: String

  /// What a file may be, for helps.
  static let formats =
    "WAV, FLAC, OGG, MP3, AIFF, M4A. - reads standard input, except FLAC and M4A. The decoder of MP3 writes warnings of its own, "
    + "even with --quiet."

  @OptionGroup var samples: RawInputOptions

  @Option("Sample rate of raw samples, 1 to 768000 Hz.", value: "hz", parse: Parse.sampleRate)
  var rate: Int?

  @Option("Channels of raw samples, 1 to 32.", value: "count", parse: Parse.channels)
  var channels: Int?

  func validate() throws { try samples.check(input, rate: rate, channels: channels) }

  /// Opens the input, from a time on and for a duration in seconds; rejects a channel, counted from 1, that it does not have.
  func open(
    for command: String, channel: Int? = nil, from: Double = 0, seconds: Double? = nil
  ) async throws -> OpenedInput {
    let sound = try await samples.open(
      input, rate: rate, channels: channels, from: from, seconds: seconds, example: "rustle \(command) -")
    try CommandFailure.check(channel: channel, of: sound.format)
    return sound
  }
}

/// The options of commands that read sound from a file, from standard input, or from a device.
struct SoundInputOptions: ParsableArguments {
  @Argument(
    help:
      "A sound file: \(SoundFileOptions.formats) Omit with --device or --demo.",
    completion: .file())
  var input: String?

  @OptionGroup var samples: RawInputOptions
  @OptionGroup var device: SoundDeviceOptions

  func validate() throws {
    let option = device.choice.option
    if let input {
      if let option { throw ValidationError("\(option) cannot be used with a file, got '\(input)'") }
      return try samples.check(input, rate: device.rate, channels: device.channels, alternative: " or a device")
    }
    try Parse.reject(
      (samples.raw != nil, "--raw: expected a file of raw samples, or - for standard input, got none"),
      (option == nil, "<input>: expected a sound file, - for standard input, --device <name> or --demo, got none"))
  }

  /// Opens the input, for a duration in seconds, and starts a device; `example` is a command that reads standard input.
  func open(for example: String, seconds: Double? = nil) async throws -> OpenedInput {
    guard let input else {
      return try await .device(
        device.configuration(of: device.choice.name ?? AudioDevice.defaultName, seconds: seconds))
    }
    return try await open(file: input, for: example, seconds: seconds)
  }

  /// Opens a file or standard input, for a duration in seconds.
  func open(file: String, for example: String, seconds: Double? = nil) async throws -> OpenedInput {
    try await samples.open(
      file, rate: device.rate, channels: device.channels, seconds: seconds, example: example)
  }

  /// Whether the sound is that of a file, which is read as fast as it can be.
  var isFile: Bool { input != nil && input != AudioFileReader.standardInputPath }

  /// Opens the input, for a duration in seconds, measures it, which draws the picture, and closes it. Throws `ExitCode` after a
  /// signal.
  func measured(
    for example: String, seconds: Double?, png: String? = nil, log: LogOptions,
    by measure: (OpenedInput) async throws -> RunEnding
  ) async throws {
    let input = try await open(for: example, seconds: seconds)
    let ending = try await finally {
      await input.close()
    } after: {
      try await measure(input)
    }
    if let shortness = input.shortness, ending == .streamEnded { log.note(shortness) }
    if let png { log.noteWritten(png) }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}
