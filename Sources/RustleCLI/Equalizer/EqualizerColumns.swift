import Foundation
import RustleAudio
import RustleAudioFiles

/// What became of a file that was equalized.
struct EqualizerSummary: Sendable {
  let input: String
  let output: String
  /// `WAV`, `FLAC`, or `raw` for samples alone.
  let container: String
  let encoding: AudioFileWriter.Encoding
  let format: AudioFormat
  let frames: Int64
  /// The highest sample of any channel, full scale being 1.
  let peakBefore: Float
  let peakAfter: Float
  /// Samples that were beyond full scale and were written as its end.
  let clippedSamples: Int
  /// What was amplified by, in dB; with a bypass 0.
  let preamp: Double
  let isBypassed: Bool
  /// What `--preamp auto` would amplify by.
  let automaticPreamp: Double

  private static var columns: [Column<Self>] {
    [
      Column("input", \.input), Column("output", \.output), Column("container", \.container),
      Column("encoding", \.encoding.rawValue), Column("sample_rate_hz", \.format.sampleRate),
      Column("channels", \.format.channels), Column("frames", \.frames),
      Column("peak_before_dbfs") { decibels($0.peakBefore) }, Column("peak_after_dbfs") { decibels($0.peakAfter) },
      Column("preamp_db", \.preamp), Column("clipped_samples", \.clippedSamples), Column("bypassed", \.isBypassed),
    ]
  }

  private static func decibels(_ amplitude: Float) -> Double { 20 * log10(Double(amplitude)) }

  /// An object, a header and a record, or some lines for people.
  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    let table = Table(Self.columns, format: format, profile: profile, heading: "") { $0.text(profile.glyphs) }
    return table.header + table.line(self)
  }

  private func text(_ glyphs: Glyphs) -> String {
    func level(_ peak: Float) -> String { glyphs.levelText(Self.decibels(peak)) + (peak > 0 ? " dBFS" : "") }
    let length = EqualizerState.secondsText(Double(frames) / format.sampleRate)
    return """
      \(output)
      \(container), \(encoding.rawValue), \(format), \(length) s, \(frames) frames
        peak before  \(level(peakBefore))
        peak after   \(level(peakAfter))
        preamp       \(Numbers.signed(preamp, glyphs)) dB
        clipped      \(clippedSamples) samples
      \(isBypassed ? "  bypassed: the sound is as it was\n" : "")
      """
  }

  /// What to do about samples that were clipped; nil where none were.
  var adviceOnClipping: String? {
    if clippedSamples == 0 { return nil }
    let samples = clippedSamples == 1 ? "1 sample was" : "\(clippedSamples) samples were"
    let automatic = automaticPreamp < preamp ? "--preamp auto (\(Numbers.signed(automaticPreamp, .ascii)) dB), or " : ""
    return
      "\(samples) beyond full scale and clipped: give \(automatic)a lower --preamp, or a WAV file with --encoding f32"
  }
}

/// What a live equalizer shows of itself.
struct EqualizerState: Equatable, Sendable {
  /// Seconds of sound so far.
  var seconds = 0.0
  /// The level of each channel before and after, in dBFS; minus infinity for silence.
  var before: [Double] = []
  var after: [Double] = []
  /// What amplifies both channels, in dB.
  var preamp = 0.0
  /// Frames that were captured and could not be taken in time.
  var droppedFrames: Int64 = 0
  /// How often the capturing device had no room left.
  var overruns = 0
  /// How often the playing device had nothing to play.
  var underruns = 0

  /// The lines of a live equalizer.
  static func table(channels: Int, format: OutputFormat, profile: TerminalProfile) -> Table<Self> {
    /// A list in JSON, a column for each channel in CSV.
    func levels(_ name: String, _ levels: @escaping @Sendable (Self) -> [Double]) -> [Column<Self>] {
      [Column("\(name)_dbfs", in: [.ndjson], levels)]
        + (channels == 1 ? ["mono"] : ["left", "right"]).enumerated().map { index, channel in
          Column("\(name)_\(channel)_dbfs", in: [.csv]) { levels($0)[index] }
        }
    }
    return Table(
      [Column("t_ms") { Int64(($0.seconds * 1_000).rounded()) }] + levels("before", \.before) + levels("after", \.after)
        + [
          Column("dropped_frames", \.droppedFrames), Column("overruns", \.overruns), Column("underruns", \.underruns),
        ], format: format, profile: profile, heading: ""
    ) { $0.text(profile.glyphs) }
  }

  private func text(_ glyphs: Glyphs) -> String {
    func text(_ levels: [Double]) -> String {
      levels.map { glyphs.levelText($0).leftPadded(to: 7) }.joined(separator: " ")
    }
    return
      "\(Self.secondsText(seconds).leftPadded(to: 7)) s  before \(text(before))  after \(text(after)) dBFS  \(losses)\n"
  }

  /// For example `lost 0  overruns 0  underruns 0`.
  var losses: String { "lost \(droppedFrames)  overruns \(overruns)  underruns \(underruns)" }

  static func secondsText(_ seconds: Double) -> String { String(format: seconds < 10 ? "%.3f" : "%.1f", seconds) }
}

extension Glyphs {
  /// A level in dBFS; silence has none.
  func levelText(_ level: Double) -> String { level.isFinite ? Numbers.text(level, "%.2f", self) : "silence" }
}

extension EqualizerResponse {
  /// An object, or a record, for each frequency.
  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    let columns: [Column<(hz: Double, left: Double, right: Double)>] = [
      Column("hz") { $0.hz }, Column("left_db") { $0.left }, Column("right_db") { $0.right },
    ]
    let table = Table(columns, format: format, profile: profile)
    return table.header
      + table.lines(frequencies.indices.map { (hz: frequencies[$0], left: left[$0], right: right[$0]) })
  }
}
