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

  @Option(
    help: ArgumentHelp(
      "The input has no header: its samples are \(Self.encodings). With --rate and --channels.", valueName: "encoding"),
    completion: .list(PCMEncoding.allCases.map(\.rawValue)),
    transform: { text in
      guard let encoding = PCMEncoding(rawValue: text.lowercased()) else {
        throw ValidationError("expected \(Self.encodings), got '\(text)'")
      }
      return encoding
    })
  var raw: PCMEncoding?

  @OptionGroup var device: SoundDeviceOptions

  static let encodings =
    PCMEncoding.allCases.dropLast().map(\.rawValue).joined(separator: ", ")
    + " or \(PCMEncoding.allCases.last?.rawValue ?? "")"

  func validate() throws {
    let isFile = input != nil
    if input == "" { throw ValidationError("expected the path of a sound file, got ''") }
    if let input, device.demo || device.device != nil {
      let option = device.device.map { "--device \($0)" } ?? "--demo"
      throw ValidationError("expected a sound file or a device, got \(input) and \(option)")
    }
    if let raw {
      guard isFile else {
        throw ValidationError("--raw: expected a file of raw samples, or - for standard input, got none")
      }
      guard device.rate != nil, device.channels != nil else {
        let missing = [device.rate == nil ? "--rate" : nil, device.channels == nil ? "--channels" : nil]
        throw ValidationError(
          "--raw \(raw.rawValue): expected --rate and --channels, since raw samples do not say them, got no "
            + missing.compactMap(\.self).joined(separator: " and no "))
      }
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
    guard let raw else { return try await .file(input, seconds: seconds) }
    let format = try AudioFormat(sampleRate: Double(device.rate ?? 0), channels: device.channels ?? 0)
    return try await .raw(input, format: format, encoding: raw, seconds: seconds)
  }
}
