import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct EqualizerSummary: Sendable {
  let input: String
  let output: String
  /// `WAV`, `FLAC`, or `raw` for samples without a header.
  let container: String
  let encoding: AudioFileWriter.Encoding?
  let format: AudioFormat
  let sound: EqualizedSound
  /// The applied preamplification in dB; 0 with a bypass, nil where it changes over time.
  let preamp: Double?
  let isBypassed: Bool
  /// The preamplification of `--preamp auto`, in dB.
  let automaticPreamp: Double

  private static var columns: [Column<Self>] {
    [
      Column("input", \.input), Column("output", \.output), Column("container", \.container),
      Column("encoding", \.encoding?.rawValue), Column("sample_rate_hz", \.format.sampleRate),
      Column("channels", \.format.channels), Column("frames", \.sound.frames),
      Column("peak_before_dbfs") { decibels($0.sound.peakBefore) },
      Column("peak_after_dbfs") { decibels($0.sound.peakAfter) }, Column("preamp_db", \.preamp),
      Column("clipped_samples", \.sound.clippedSamples), Column("bypassed", \.isBypassed),
    ]
  }

  private static func decibels(_ amplitude: Float) -> Double { 20 * log10(Double(amplitude)) }

  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    let table = Table(Self.columns, format: format, profile: profile, heading: "") { $0.text(profile.glyphs) }
    return table.header + table.line(self)
  }

  private func text(_ glyphs: Glyphs) -> String {
    func level(_ peak: Float) -> String { glyphs.levelText(Self.decibels(peak)) + (peak > 0 ? " dBFS" : "") }
    let length = EqualizerState.secondsText(Double(sound.frames) / format.sampleRate)
    return """
      \(output)
      \(container),\(encoding.map { " \($0.rawValue)," } ?? "") \(format), \(length) s, \(sound.frames) frames
        peak before  \(level(sound.peakBefore))
        peak after   \(level(sound.peakAfter))
        preamp       \(preamp.map { Numbers.signed($0, glyphs) + " dB" } ?? "automated")
        clipped      \(sound.clippedSamples) samples
      \(isBypassed ? "  bypassed: the sound is unchanged\n" : "")
      """
  }

  /// Advice about clipped samples; nil without any.
  var adviceOnClipping: String? {
    if sound.clippedSamples == 0 { return nil }
    let samples = sound.clippedSamples == 1 ? "1 sample" : "\(sound.clippedSamples) samples"
    guard let preamp else {
      return "\(samples) beyond full scale clipped: use lower gains of the preamp, or a WAV file with --encoding f32"
    }
    let automatic = automaticPreamp < preamp ? "--preamp auto (\(Numbers.signed(automaticPreamp, .ascii)) dB), or " : ""
    return "\(samples) beyond full scale clipped: use \(automatic)a lower --preamp, or a WAV file with --encoding f32"
  }
}

struct EqualizerState: Equatable, Sendable {
  var seconds = 0.0
  /// The level of each channel before and after, in dBFS; minus infinity for silence.
  var before: [Double] = []
  var after: [Double] = []
  /// The preamplification of both channels, in dB.
  var preamp = 0.0
  var droppedFrames: Int64 = 0
  var overruns = 0
  var underruns = 0

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
      "\(Self.secondsText(seconds).leftPadded(to: 7)) s  before \(text(before))  after \(text(after)) dBFS  "
      + losses.joined(separator: "  ") + "\n"
  }

  /// The counts of losses: `dropped 0`, `overruns 0`, `underruns 0`.
  var losses: [String] { ["dropped \(droppedFrames)", "overruns \(overruns)", "underruns \(underruns)"] }

  static func secondsText(_ seconds: Double) -> String { String(format: seconds < 10 ? "%.3f" : "%.1f", seconds) }
}

extension Glyphs {
  /// A level in dBFS, or `silence`.
  func levelText(_ level: Double) -> String { level.isFinite ? Numbers.text(level, "%.2f", self) : "silence" }
}

extension EqualizerResponse {
  var curves: [(String, [Double], [Double])] { [("Left", frequencies, left), ("Right", frequencies, right)] }

  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    let columns: [Column<(hz: Double, left: Double, right: Double)>] = [
      Column("hz") { $0.hz }, Column("left_db") { $0.left }, Column("right_db") { $0.right },
    ]
    return Table(columns, format: format, profile: profile)
      .document(of: frequencies.indices.map { (hz: frequencies[$0], left: left[$0], right: right[$0]) })
  }
}

/// The frequency response of an equalizer as characters over a logarithmic axis. A pure function of its arguments.
struct ResponseView {
  let response: EqualizerResponse
  let settings: EqualizerSettings
  let sampleRate: Double
  let profile: TerminalProfile

  private var glyphs: Glyphs { profile.glyphs }

  func text() -> String {
    let picture = ResponsePicture.lines(response.curves, in: profile.chart) { profile.paint($0, .cyan) }
    return (picture + summary).map { $0 + "\n" }.joined()
  }

  private var summary: [String] {
    func channel(_ bands: [EqualizerBand], _ gains: [Double]) -> String {
      let count = bands.count == 1 ? "1 band" : "\(bands.count) bands"
      guard let index = gains.indices.max(by: { gains[$0] < gains[$1] }) else { return "\(count), nothing" }
      let frequency = String(format: "%.4g", response.frequencies[index])
      return "\(count), at most \(Numbers.signed(gains[index], glyphs)) dB, at \(frequency) Hz"
    }
    let head = "\(Numbers.plain(sampleRate, digits: 12)) Hz, preamp \(Numbers.signed(settings.preamp, glyphs)) dB"
    let left = channel(settings.left, response.left)
    if response.left == response.right { return [head, "* left and right: \(left)"] }
    return [head, "L left: \(left)", "R right: \(channel(settings.right, response.right)); B is both"]
  }
}
