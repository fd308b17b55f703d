import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

/// The measurement of several files, one after the other: a result for each, then one of all. A file that fails is reported, and
/// the others are measured.
actor FileMeter {
  private let files: [String]
  private let format: OutputFormat
  private let profile: TerminalProfile
  private let log: LogOptions
  private let open: @Sendable (String) async throws -> (OpenedInput, SoundLevelMeter)
  /// A meter with the measurements of all files.
  private var whole: SoundLevelMeter?
  private var measured = 0
  private var waiting: [FileResult] = []
  private var failures: [CommandFailure] = []
  private var hasHeader = false
  private var isOver = false

  init(
    _ files: [String], output: OutputOptions, log: LogOptions,
    open: @escaping @Sendable (String) async throws -> (OpenedInput, SoundLevelMeter)
  ) {
    (self.files, self.log, self.open) = (files, log, open)
    (format, profile) = (output.effectiveFormat, output.profile)
  }

  /// Measures the files until the end or a signal, and writes the results. Returns the status of the signal or of the first
  /// failure.
  nonisolated func run() async throws -> ExitStatus {
    let ending = try await RunEnding.of(view: LiveMeter?.none) { ending in
      if ending != nil && ending != .readerGone { try await self.finish() }
    } tasks: { tasks in
      tasks.addTask {
        do {
          for path in self.files {
            try Task.checkCancellation()
            try await self.measure(path)
          }
        } catch is BrokenPipe {
          return .readerGone
        }
        return .streamEnded
      }
    }
    return ending == .streamEnded ? await failures.first?.status ?? .ok : ending.status
  }

  private func measure(_ path: String) async throws {
    do {
      let (input, meter) = try await open(path)
      let history = try await levels(of: input, meter)
      if let shortness = input.shortness { log.note(shortness) }
      let reading = try await meter.reading
      // A signal meanwhile has written the result of all.
      if isOver { return }
      let subject = input.subject(channel: meter.configuration.channel.number)
      try write(FileResult(reading: reading, subject: subject, history: history))
      try await include(meter)
      measured += 1
    } catch let error where !(error is BrokenPipe || error is CancellationError) {
      guard let failure = CommandFailure(error) else { throw error }
      let message = failure.message.contains(path) ? failure.message : "\(path): \(failure.message)"
      failures.append(CommandFailure(failure.status, message, advice: failure.advice))
      if let text = failures.last?.text { try LineWriter.standardError.write(text) }
    }
  }

  private func levels(of input: OpenedInput, _ meter: SoundLevelMeter) async throws -> LevelHistory {
    var (history, progress) = (LevelHistory(), log.progress(total: input.expectedFrames, writesAtOnce: true))
    defer { progress.end() }
    for try await reading in try await meter.readings(of: input) {
      history.add(reading)
      progress.update(input.counts.frames)
    }
    // A cancelled input ends before its file does.
    try Task.checkCancellation()
    try input.checkIsNotEmpty()
    return history
  }

  /// Adds a file's measurement to that of all, in the meter with the highest rate, which has the most bands.
  private func include(_ meter: SoundLevelMeter) async throws {
    guard let others = whole else { return whole = meter }
    let isHigher = meter.format.sampleRate > others.format.sampleRate
    let (sum, part) = isHigher ? (meter, others) : (others, meter)
    try await sum.add(part)
    whole = sum
  }

  private func finish() async throws {
    isOver = true
    guard let whole else { return }
    let counts = (measured: measured, failed: failures.count)
    try write(FileResult(reading: try await whole.reading, counts: counts), isLast: true)
  }

  private func write(_ result: FileResult, isLast: Bool = false) throws {
    waiting.append(result)
    // CSV has one header, with the bands of the file that has the most.
    if format == .csv && !result.reading.bands.isEmpty && !isLast { return }
    defer { waiting = [] }
    let widest = waiting.max { $0.reading.bands.count < $1.reading.bands.count } ?? result
    for result in waiting {
      let table = result.table(format: format, profile: profile, bandsOf: widest.reading)
      let header = hasHeader ? "" : format.isForPeople ? profile.glyphs.plain(heading(result, table)) : table.header
      hasHeader = true
      try LineWriter.standardOutput.write(header + table.line(result.reading))
    }
  }

  private func heading(_ result: FileResult, _ table: Table<SoundLevelReading>) -> String {
    let reading = result.reading
    return "\(files.count) files, \(reading.weightingText); \(reading.calibrationText)\n\n\(table.titles.text)\n"
  }
}

/// The result of a file, or of all.
struct FileResult: Sendable {
  let reading: SoundLevelReading
  /// The file; nil for all.
  var subject: SoundSubject?
  var history = LevelHistory()
  /// The files, for the result of all.
  var counts: (measured: Int, failed: Int)?

  /// Columns of the present, which all files together do not have.
  private static let present: Set<String> = [
    "level_db", "momentary_lufs", "short_term_lufs", "place", "class", "dropped_frames", "overruns",
  ]

  /// - Parameter widest: a reading with the bands of the CSV header.
  func table(format: OutputFormat, profile: TerminalProfile, bandsOf widest: SoundLevelReading) -> Table<
    SoundLevelReading
  > {
    let kind = subject == nil ? "all" : "summary"
    let columns =
      switch format {
      case .auto, .text: textColumns
      case .csv:
        [
          Column("kind") { _ in kind }, Column("input") { _ in subject?.name },
          Column("sample_rate_hz") { _ in subject?.format.sampleRate },
          Column("channels") { _ in subject?.format.channels }, Column("channel") { _ in subject?.channel },
        ] + measures(like: widest)
      case .ndjson: measures(like: reading) + subjectColumns
      }
    return Table(columns, kind: kind, format: format, profile: profile)
  }

  private func measures(like widest: SoundLevelReading) -> [Column<SoundLevelReading>] {
    let columns = widest.columns(hasLoudness: reading.loudness != nil)
    guard subject == nil else { return columns }
    return columns.map { column in
      Self.present.contains(column.name) ? Column(column.name, in: column.formats) { _ in Value.absent } : column
    }
  }

  private var subjectColumns: [Column<SoundLevelReading>] {
    guard let subject else {
      let counts = counts ?? (0, 0)
      return [Column("files") { _ in counts.measured }, Column("failed") { _ in counts.failed }]
    }
    return MeterLines.columns(of: subject, history)
  }

  private var textColumns: [Column<SoundLevelReading>] {
    let name = subject.map(\.name) ?? "all \(counts?.measured ?? 0) files"
    let failed = counts.map { $0.failed > 0 ? ", \($0.failed) failed" : "" } ?? ""
    let loudness: [Column<SoundLevelReading>] =
      reading.loudness == nil
      ? []
      : [
        Column("", in: []) { $0.loudness?.integrated }.shown("I", 8, "%.1f"),
        Column("", in: []) { $0.loudness?.range }.shown("LRA", 7, "%.1f"),
        Column("", in: []) { $0.loudness?.truePeak }.shown("TP", 8, "%.1f"),
      ]
    return [
      Column("", in: [], \.seconds).shown("TIME", 9) { reading, _ in Numbers.time(reading.seconds) },
      Column("", in: [], \.equivalentContinuousLevel).shown(reading.equivalentName, 8, "%.1f"),
      Column("", in: [], \.maximum).shown("\(reading.levelName)max", 8, "%.1f"),
      Column("", in: [], \.peak).shown(reading.peakName, 8, "%.1f"),
    ] + loudness + [
      Column().shown("  FILE", isRight: false) { _, _ in "  \(CommandFailure.visible(name))\(failed)" },
      Column().shown("", isRight: false, ink: { _ in .red }) { reading, _ in
        reading.overloads > 0 ? "  OVERLOAD" : ""
      },
    ]
  }
}
