import RustleAudio
import RustleAudioFiles

/// What became of a file that was equalized.
struct EqualizerSummary: Equatable, Sendable {
  let input: String
  let output: String
  /// `WAV`, `FLAC`, or `raw` for samples alone.
  let container: String
  let encoding: AudioFileWriter.Encoding
  let format: AudioFormat
  let frames: Int64
  /// The highest sample of each channel, full scale being 1.
  let peaksBefore: [Float]
  let peaksAfter: [Float]
  /// Samples that were beyond full scale and were written as its end.
  let clippedSamples: Int
  /// What was amplified by, in dB; with a bypass 0.
  let preamp: Double
  let isBypassed: Bool
  /// What `--preamp auto` would amplify by.
  let automaticPreamp: Double

  private var seconds: Double { Double(frames) / format.sampleRate }
  private func decibels(_ peaks: [Float]) -> Double { EqualizerNumbers.decibels(ofAmplitude: peaks.max() ?? 0) }

  /// For people; ends with a line feed.
  func text(profile: TerminalProfile) -> String {
    let glyphs = Glyphs(for: profile)
    func level(_ peaks: [Float]) -> String {
      let value = decibels(peaks)
      return EqualizerNumbers.level(value, glyphs: glyphs) + (value.isFinite ? " dBFS" : "")
    }
    let length = EqualizerNumbers.seconds(seconds)
    var lines = [
      output, "\(container), \(encoding.rawValue), \(format), \(length) s, \(frames) frames",
      "  peak before  \(level(peaksBefore))", "  peak after   \(level(peaksAfter))",
      "  preamp       \(EqualizerNumbers.gain(preamp, glyphs: glyphs)) dB", "  clipped      \(clippedSamples) samples",
    ]
    if isBypassed { lines.append("  bypassed: the sound is as it was") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The names of the fields of CSV, in their order.
  private static let fields = [
    "input", "output", "container", "encoding", "sample_rate_hz", "channels", "frames", "peak_before_dbfs",
    "peak_after_dbfs", "preamp_db", "clipped_samples", "bypassed",
  ]

  private var values: [JSONLine.Value] {
    [
      .string(input), .string(output), .string(container), .string(encoding.rawValue),
      .number(format.sampleRate), .integer(Int64(format.channels)), .integer(frames), .number(decibels(peaksBefore)),
      .number(decibels(peaksAfter)), .number(preamp), .integer(Int64(clippedSamples)), .bool(isBypassed),
    ]
  }

  /// One object.
  func ndjson() -> String {
    var line = JSONLine()
    for (name, value) in zip(Self.fields, values) { line.add(name, value) }
    return line.text
  }

  /// A header and one record; the peak of silence is empty.
  func csv() -> String {
    let record = values.map { value in
      switch value {
      case .string(let text): text
      case .number(let number): number.isFinite ? String(number) : ""
      case .integer(let number): String(number)
      case .bool(let isTrue): isTrue ? "true" : "false"
      case .unsigned, .null, .array, .object: ""
      }
    }
    return CSVLine.text(Self.fields) + CSVLine.text(record)
  }
}
