import RustleAudio

/// How a playback goes, in lines of JSON.
struct PlayLines: Sendable {
  /// What is played, for the summary.
  let input: String
  let format: AudioFormat
  /// The frame of the sound that was played first.
  let firstFrame: Int

  /// The sound that is heard from one line to the next, in seconds.
  static let interval = 0.1

  /// What the lines say.
  struct State: Equatable, Sendable {
    /// Frames that were heard.
    var played: Int64 = 0
    var underruns = 0
    /// Silence because no sound came in time, in seconds; that of pauses is not among it.
    var starvedSeconds = 0.0
    var isPaused = false
  }

  func line(_ state: State) -> String {
    var line = JSONLine()
    line.add("kind", .string("progress"))
    add(state, to: &line)
    line.add("paused", .bool(state.isPaused))
    return line.text
  }

  /// - Parameter isComplete: whether the end was heard.
  func summary(_ state: State, isComplete: Bool) -> String {
    var line = JSONLine()
    line.add("kind", .string("summary"))
    add(state, to: &line)
    line.add("input", .string(input))
    line.add("sample_rate_hz", .number(format.sampleRate))
    line.add("channels", .integer(Int64(format.channels)))
    line.add("frames", .integer(state.played))
    line.add("complete", .bool(isComplete))
    return line.text
  }

  private func add(_ state: State, to line: inout JSONLine) {
    line.add("position_s", .number(Double(Int64(firstFrame) + state.played) / format.sampleRate))
    line.add("played_s", .number(Double(state.played) / format.sampleRate))
    line.add("underruns", .integer(Int64(state.underruns)))
    line.add("starved_s", .number(state.starvedSeconds))
  }
}
