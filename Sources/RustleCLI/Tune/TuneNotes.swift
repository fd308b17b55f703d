import RustleAudio

/// One note that was played, whole.
struct TuneNote: Equatable, Sendable {
  /// The note, as the player reads it: `A4`.
  var name: String
  /// The string, counted from 1; nil without strings.
  var string: Int?
  /// Seconds of its first and its last frame.
  var begin: Double
  var end: Double
  /// What it should be, in Hz.
  var target: Double
  /// By how many cents it is above the target: the median of its frames.
  var cents: Double
  /// The median of the distances from that, in cents: half of the frames are within it.
  var spread: Double
  /// The frames of which that is.
  var frames: Int

  /// What sounded, in Hz.
  var frequency: Double { target * Tuning.ratio(cents: cents) }

  /// On which side of the target it is.
  func direction(tolerance: Double) -> TuningReading.Direction {
    TuningReading.Direction(cents: cents, tolerance: tolerance)
  }
}

/// Divides what a tuner shows into notes.
struct TuneNotes: Sendable {
  /// Frames without a tone for this time, in seconds, end a note: shorter ones are its own unsteadiness.
  static let longestPause = 0.25
  /// The fewest frames of a note: fewer are noises that happen to have a pitch.
  static let fewestFrames = 5
  /// The most values that are kept of a note. Beyond that every second one is, then every fourth, and so on.
  static let mostValues = 8_192

  /// What has been ended.
  private(set) var notes: [TuneNote] = []
  private var current: Run?

  /// The frames of a note so far.
  private struct Run {
    let reading: TuningReading
    let begin: Double
    var end: Double
    var cents: [Double] = []
    var frames = 0
    var stride = 1

    mutating func add(_ value: Double) {
      if frames % stride == 0 { cents.append(value) }
      frames += 1
      guard cents.count > TuneNotes.mostValues else { return }
      cents = cents.indices.filter { $0.isMultiple(of: 2) }.map { cents[$0] }
      stride *= 2
    }
  }

  /// Takes the next update of a tuner.
  ///
  /// - Returns: the note that ended with it; nil for none.
  mutating func add(_ update: TunerUpdate) -> TuneNote? {
    guard let needle = update.needle else {
      // Also where nothing is held a frame that was missed is no end.
      guard let run = current, (run.end...run.end + Self.longestPause).contains(update.time) else { return finish() }
      return nil
    }
    var ended: TuneNote?
    if let run = current {
      // A target is the same when its frequency is: a changed tuning begins another note.
      let isSame = run.reading.target == needle.reading.target && run.reading.string == needle.reading.string
      if !isSame || update.time - run.end > Self.longestPause || update.time < run.end { ended = finish() }
    }
    guard !needle.isHeld, let reading = update.reading else { return ended }
    var run = current ?? Run(reading: needle.reading, begin: update.time, end: update.time)
    run.end = update.time
    // From the target that is shown: a stray frame is an outlier of this note, and none of another.
    run.add(Tuning.cents(reading.frequency / needle.reading.target))
    current = run
    return ended
  }

  /// Ends the note that goes on.
  ///
  /// - Returns: it, when it is long enough to be one.
  mutating func finish() -> TuneNote? {
    guard let run = current else { return nil }
    current = nil
    guard run.frames >= Self.fewestFrames else { return nil }
    let cents = run.cents.median ?? 0
    let note = TuneNote(
      name: run.reading.noteText, string: run.reading.string.map { $0 + 1 }, begin: run.begin, end: run.end,
      target: run.reading.target, cents: cents, spread: run.cents.map { abs($0 - cents) }.median ?? 0,
      frames: run.frames)
    notes.append(note)
    return note
  }
}
