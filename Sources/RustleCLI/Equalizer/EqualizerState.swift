import RustleAudio

/// What a live equalizer tells about itself.
struct EqualizerState: Equatable, Sendable {
  /// Seconds of sound so far.
  var seconds = 0.0
  /// The level of each channel before and after, in dBFS; minus infinity for silence.
  var before: [Double] = []
  var after: [Double] = []
  /// What amplifies both channels, in dB.
  var preamp = 0.0
  /// Frames that were captured and could not be taken in time.
  var lostFrames: Int64 = 0
  /// How often the capturing device had no room left.
  var overruns = 0
  /// How often the playing device had nothing to play.
  var underruns = 0
}

/// Writes the states of a live equalizer one a line.
struct EqualizerStateLines: Sendable {
  let format: OutputFormat
  let profile: TerminalProfile
  let channels: Int

  private var names: [String] { channels == 1 ? ["mono"] : ["left", "right"] }

  /// What comes before the first line; may be empty.
  var header: String {
    guard format == .csv else { return "" }
    return CSVLine.text(
      ["t_ms"] + names.map { "before_\($0)_dbfs" } + names.map { "after_\($0)_dbfs" }
        + ["lost_frames", "overruns", "underruns"])
  }

  /// One line, its line feed included.
  func line(_ state: EqualizerState) -> String {
    let milliseconds = Int64((state.seconds * 1_000).rounded())
    switch format {
    case .ndjson:
      var line = JSONLine()
      line.add("t_ms", .integer(milliseconds))
      line.add("before_dbfs", .array(state.before.map { .number($0) }))
      line.add("after_dbfs", .array(state.after.map { .number($0) }))
      line.add("lost_frames", .integer(state.lostFrames))
      line.add("overruns", .integer(Int64(state.overruns)))
      line.add("underruns", .integer(Int64(state.underruns)))
      return line.text
    case .csv:
      let levels = (state.before + state.after).map { $0.isFinite ? String($0) : "" }
      return CSVLine.text(
        [String(milliseconds)] + levels
          + [state.lostFrames, Int64(state.overruns), Int64(state.underruns)].map(String.init))
    case .auto, .text:
      let glyphs = Glyphs(for: profile)
      func levels(_ values: [Double]) -> String {
        values.map { EqualizerNumbers.level($0, glyphs: glyphs).leftPadded(to: 7) }.joined(separator: " ")
      }
      let time = EqualizerNumbers.seconds(state.seconds).leftPadded(to: 7)
      return "\(time) s  before \(levels(state.before))  after \(levels(state.after)) dBFS  "
        + "lost \(state.lostFrames)  overruns \(state.overruns)  underruns \(state.underruns)\n"
    }
  }
}
