import RustleAudio

/// Where the updates of a tuner go. After `finish` nothing more is written.
protocol TuneSink: Actor {
  func show(_ update: TunerUpdate, isDue: Bool, ended: TuneNote?) async throws
  func finish(_ result: TuneResult) async throws
}

/// Writes lines.
actor TuneLineWriter: TuneSink {
  private let lines: TuneLines
  /// Whether the readings are written, and not the notes and the summary alone.
  private let showsReadings: Bool
  private let output: LineWriter
  private var hasHeader = false
  private var isOver = false

  init(lines: TuneLines, showsReadings: Bool, output: LineWriter) {
    self.lines = lines
    self.showsReadings = showsReadings
    self.output = output
  }

  func show(_ update: TunerUpdate, isDue: Bool, ended: TuneNote?) throws {
    guard !isOver else { return }
    let text = (ended.map(lines.line) ?? "") + (isDue && showsReadings ? lines.line(update) : "")
    if !text.isEmpty { try output.write(header() + text) }
  }

  func finish(_ result: TuneResult) throws {
    guard !isOver else { return }
    isOver = true
    let isText = lines.format == .text || lines.format == .auto
    let gap = isText && showsReadings && hasHeader ? "\n" : ""
    try output.write(header() + gap + lines.summary(result))
  }

  private func header() -> String {
    defer { hasHeader = true }
    return hasHeader ? "" : lines.header
  }
}

/// Gathers the notes of a run.
actor TuneFollower {
  private var notes = TuneNotes()
  private var progress: ProgressLine
  private var last: TunerUpdate?
  private var due = -Double.infinity
  private let interval: Double

  /// - Parameters:
  ///   - interval: seconds of sound from one reading that is shown to the next; 0: all are.
  ///   - frames: the frames to be read; nil: not known.
  ///   - showsProgress: whether somebody looks at standard error who is not shown the readings.
  ///   - note: writes to standard error.
  init(interval: Double, frames: Int?, showsProgress: Bool, note: @escaping @Sendable (String) -> Void) {
    self.interval = interval
    progress = ProgressLine(total: frames, isEnabled: showsProgress, write: note)
  }

  /// Takes an update of every frame.
  ///
  /// - Returns: whether it is one to be shown, and the note that ended with it.
  func add(_ update: TunerUpdate, framesRead: Int) -> (isDue: Bool, ended: TuneNote?) {
    progress.update(framesRead)
    last = update
    let ended = notes.add(update)
    guard update.time >= due else { return (false, ended) }
    due = due.isFinite ? max(due + interval, update.time + 0.5 * interval) : update.time + interval
    return (true, ended)
  }

  /// Ends the note that goes on.
  ///
  /// - Returns: it, and the last update.
  func finish() -> (ended: TuneNote?, last: TunerUpdate?) {
    progress.end()
    return (notes.finish(), last)
  }

  /// The notes that have ended.
  var ended: [TuneNote] { notes.notes }
}
