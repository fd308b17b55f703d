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
      let result = try await FileResult(of: input, by: meter, log: log)
      if let shortness = input.shortness { log.note(shortness) }
      // A signal meanwhile has written the result of all.
      if isOver { return }
      try write(result)
      try await include(meter)
      measured += 1
    } catch let error where !(error is BrokenPipe || error is CancellationError) {
      guard let failure = CommandFailure(error) else { throw error }
      let message = failure.message.contains(path) ? failure.message : "\(path): \(failure.message)"
      failures.append(CommandFailure(failure.status, message, advice: failure.advice))
      if let text = failures.last?.text { try LineWriter.standardError.write(text) }
    }
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
      let heading = "\(files.count) files, \(result.reading.weightingText); \(result.reading.calibrationText)\n\n"
      let header = (format.isForPeople ? profile.glyphs.plain(heading) : "") + table.header
      try LineWriter.standardOutput.write((hasHeader ? "" : header) + table.line(result.reading))
      hasHeader = true
    }
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
    "level_db", "momentary_lufs", "short_term_lufs", "display_value", "zone", "dropped_frames", "overruns",
  ]

  init(reading: SoundLevelReading, counts: (measured: Int, failed: Int)) {
    (self.reading, self.counts) = (reading, counts)
  }

  /// Measures a file to its end.
  init(of input: OpenedInput, by meter: SoundLevelMeter, log: LogOptions) async throws {
    var progress = log.progress(total: input.expectedFrames, writesAtOnce: true)
    defer { progress.end() }
    for try await reading in try await meter.readings(of: input) {
      history.add(reading)
      progress.update(input.counts.frames)
    }
    // A cancelled input ends before its file does.
    try Task.checkCancellation()
    try input.checkIsNotEmpty()
    reading = try await meter.reading
    subject = input.subject(channel: meter.configuration.channel.number)
  }

  /// - Parameter widest: a reading with the bands of the CSV header.
  func table(
    format: OutputFormat, profile: TerminalProfile, bandsOf widest: SoundLevelReading
  ) -> Table<SoundLevelReading> {
    let (subject, counts) = (subject, counts ?? (0, 0))
    let kind = subject == nil ? "all" : "summary"
    let identity: [Column<SoundLevelReading>] = [
      Column("kind", in: [.csv]) { _ in kind }, Column("input", in: [.csv]) { _ in subject?.name },
      Column("sample_rate_hz", in: [.csv]) { _ in subject?.format.sampleRate },
      Column("channels", in: [.csv]) { _ in subject?.format.channels },
      Column("channel", in: [.csv]) { _ in subject?.channel },
    ]
    let measures = widest.columns(hasLoudness: reading.loudness != nil, isWhole: true).map { column in
      guard subject == nil, Self.present.contains(column.name) else { return column }
      return Column(column.name, in: column.formats) { _ in Value.absent }
    }
    let ofAll: [Column<SoundLevelReading>] = [
      Column("files", in: [.ndjson]) { _ in counts.measured }, Column("failed", in: [.ndjson]) { _ in counts.failed },
    ]
    let name = subject?.name ?? "all \(counts.measured) files"
    let cells: [Column<SoundLevelReading>] = [
      Column().shown("  FILE", isRight: false) { _, _ in
        "  \(CommandFailure.visible(name))" + (counts.failed > 0 ? ", \(counts.failed) failed" : "")
      },
      Column().shown("", isRight: false, ink: { _ in .red }) { reading, _ in
        reading.overloads > 0 ? "  OVERLOAD" : ""
      },
    ]
    let others = subject.map { MeterLines.columns(of: $0, history) } ?? ofAll
    return Table(identity + measures + others + cells, kind: kind, format: format, profile: profile)
  }
}
