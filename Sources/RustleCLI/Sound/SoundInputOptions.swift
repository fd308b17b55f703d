internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

/// The options of every command that reads sound: from a file, from standard input, or from a device.
struct SoundInputOptions: ParsableArguments {
  @Argument(
    help: "A WAV, FLAC, OGG or MP3 file, or - for standard input (no FLAC from a pipe). None: --device or --demo.",
    completion: .file())
  var input: String?

  @OptionGroup var samples: RawInputOptions
  @OptionGroup var device: SoundDeviceOptions

  func validate() throws {
    let isFile = input != nil
    if input == "" { throw ValidationError("expected the path of a sound file, got ''") }
    if let input, device.demo || device.device != nil {
      let option = device.device.map { "--device \($0)" } ?? "--demo"
      throw ValidationError("expected a sound file or a device, got \(input) and \(option)")
    }
    if samples.raw != nil {
      guard isFile else {
        throw ValidationError("--raw: expected a file of raw samples, or - for standard input, got none")
      }
      try samples.check(rate: device.rate, channels: device.channels)
    } else if isFile, device.rate != nil || device.channels != nil {
      throw ValidationError(
        "expected \(device.rate != nil ? "--rate" : "--channels") with --raw or a device only: a sound file says it itself"
      )
    }
    if !isFile && device.device == nil && !device.demo {
      throw ValidationError(
        "expected a sound file, - for standard input, --device <name> or --demo, got none of them")
    }
  }

  /// Opens the input and learns its format. A device begins to run.
  ///
  /// - Parameters:
  ///   - command: the words of the command, for an example: `rustle meter -`.
  ///   - seconds: how much of it is read at most; nil: all.
  /// - Throws: what opening throws, a `CommandFailure` or an error that is one.
  func open(for command: String, seconds: Double? = nil) async throws -> SoundInput {
    guard let input else {
      return try await .device(device.configuration(of: device.name ?? AudioDevice.defaultName, seconds: seconds))
    }
    if input == AudioFileReader.standardInputPath && StandardStream.isTerminal(StandardStream.input) {
      throw CommandFailure(
        .noInput, "expected sound on standard input, got a terminal",
        advice: "pipe some in: sox take1.flac -t wav - | \(command)")
    }
    guard let raw = samples.raw else { return try await .file(input, seconds: seconds) }
    let format = try AudioFormat(sampleRate: Double(device.rate ?? 0), channels: device.channels ?? 0)
    return try await .raw(input, format: format, encoding: raw, seconds: seconds)
  }
}
