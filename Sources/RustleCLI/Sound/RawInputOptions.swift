internal import ArgumentParser
import RustleAudio
import RustleAudioFiles

/// How samples without a header are written; what their rate and channels are, other options say.
struct RawInputOptions: ParsableArguments {
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

  static let encodings =
    PCMEncoding.allCases.dropLast().map(\.rawValue).joined(separator: ", ")
    + " or \(PCMEncoding.allCases.last?.rawValue ?? "")"

  /// Refuses raw samples of which the rate or the channels are not said.
  func check(rate: Int?, channels: Int?) throws {
    guard let raw, rate == nil || channels == nil else { return }
    let missing = [rate == nil ? "--rate" : nil, channels == nil ? "--channels" : nil]
    throw ValidationError(
      "--raw \(raw.rawValue): expected --rate and --channels, since raw samples do not say them, got no "
        + missing.compactMap(\.self).joined(separator: " and no "))
  }

  /// The same for an input that is a file otherwise, which says both itself.
  func checkOfFile(rate: Int?, channels: Int?) throws {
    try check(rate: rate, channels: channels)
    if raw == nil, rate != nil || channels != nil {
      throw ValidationError(
        "expected \(rate != nil ? "--rate" : "--channels") with --raw only: a sound file says it itself")
    }
  }

  /// Opens a file or raw samples, of which rate and channels were checked; `-` is standard input.
  func open(
    _ input: String, rate: Int?, channels: Int?, from: Double = 0, seconds: Double? = nil
  ) async throws -> SoundInput {
    guard let raw else { return try await .file(input, from: from, seconds: seconds) }
    let format = try AudioFormat(sampleRate: Double(rate ?? 0), channels: channels ?? 0)
    return try await .raw(input, format: format, encoding: raw, from: from, seconds: seconds)
  }
}
