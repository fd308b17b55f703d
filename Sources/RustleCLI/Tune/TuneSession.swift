import RustleAudio
import RustleAudioFiles

/// One run of the tuner: collects the notes, and writes lines if there is no view.
actor TuneSession {
  private let input: SoundInput
  private let tuner: Tuner
  private let view: LiveTuner?
  private let tables: TuneTables
  /// Whether readings are written, and not only the notes and the summary.
  private let showsReadings: Bool
  /// Seconds of sound between two written readings; 0 for all.
  private let interval: Double

  private var progress: ProgressLine
  private var notes = PlayedNotes()
  private var due = -Double.infinity
  private var hasHeader = false
  private var isOver = false

  init(
    input: SoundInput, tuner: Tuner, view: LiveTuner?, tables: TuneTables, showsReadings: Bool, interval: Double,
    progress: ProgressLine
  ) {
    self.input = input
    self.tuner = tuner
    self.view = view
    self.tables = tables
    self.showsReadings = showsReadings
    self.interval = interval
    self.progress = progress
  }

  nonisolated func run() async throws -> RunEnding {
    try await input.run(view: view) {
      // Notes are made of every frame, also of those not written.
      for try await update in try await self.tuner.updates(of: self.input) { try await self.add(update) }
    } finish: { ending in
      try await self.finish(isRead: ending != .readerGone)
    }
  }

  private func add(_ update: TunerUpdate) async throws {
    guard !isOver else { return }
    progress.update(input.tally.frames)
    let ended = notes.add(update)
    let isDue = update.time >= due
    if isDue {
      due = due.isFinite ? max(due + interval, update.time + 0.5 * interval) : update.time + interval
    }
    if let view { return await view.show(update) }
    try write((ended.map(tables.line) ?? "") + (isDue && showsReadings ? tables.readings.line(update) : ""))
  }

  /// Writes the summary, after which nothing more is written.
  private func finish(isRead: Bool) async throws {
    guard !isOver else { return }
    isOver = true
    progress.end()
    guard isRead else { return }
    let ended = notes.finish()
    let result = TuneResult(
      seconds: Double(input.tally.frames) / input.format.sampleRate, played: notes,
      configuration: await tuner.configuration, learned: await tuner.learned, isLearning: await tuner.isLearning,
      inharmonicities: await tuner.inharmonicities, droppedFrames: input.tally.droppedFrames,
      overruns: input.tally.overruns)
    if let view { return try await view.finish(result) }
    if let ended { try write(tables.line(ended)) }
    let gap = tables.format.isForPeople && showsReadings && hasHeader ? "\n" : ""
    try write(gap + tables.summary(result), isLast: true)
  }

  private func write(_ text: String, isLast: Bool = false) throws {
    guard isLast || !text.isEmpty else { return }
    let header = hasHeader ? "" : tables.readings.header
    hasHeader = true
    try LineWriter.standardOutput.write(header + text)
  }
}
