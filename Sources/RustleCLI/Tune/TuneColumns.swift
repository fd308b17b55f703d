import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct TuneResult: Sendable {
  var seconds = 0.0
  var played = PlayedNotes()
  var configuration = TunerConfiguration()
  var learned: ReferenceLearner.Estimate?
  /// Whether a reference pitch was still being learned at the end.
  var isLearning = false
  /// Whether several notes sound at once in most of the sound.
  var isPolyphonic = false
  var inharmonicities: [StretchCurve.Point] = []
  var droppedFrames: Int64 = 0
  var overruns = 0
}

/// The tables of the tuner's readings, of the notes, and of the summary.
struct TuneTables: Sendable {
  let readings: Table<TunerUpdate>
  let notes: Table<PlayedNote>
  private let summaries: Table<TuneResult>
  let options: TunerViewOptions

  var format: OutputFormat { readings.format }
  private var profile: TerminalProfile { readings.profile }

  init(format: OutputFormat, profile: TerminalProfile, subject: SoundSubject, options: TunerViewOptions) {
    let heading =
      profile.paint(subject.name, .bold) + "\n\(subject.line)\n"
      + TunerView(options: options, profile: profile).heading + "\n\n"
    readings = Table(
      Self.readings(options), kind: "reading", format: format, profile: profile, heading: profile.glyphs.plain(heading)
    ) { Self.text($0, options, profile) }
    // The columns that fit the terminal; without a terminal, all.
    let notes = Table(Self.notes(options), kind: "note", format: format, profile: profile)
    self.notes = profile.isLive ? notes.narrowed(to: profile.columns) : notes
    summaries = Table(Self.summary(subject), kind: "summary", format: format, profile: profile)
    self.options = options
  }

  /// The line of a note that ended; empty for CSV, whose rows are readings, and for text, which lists notes at the end.
  func line(_ note: PlayedNote) -> String { format == .ndjson ? notes.line(note) : "" }

  func summary(_ result: TuneResult) -> String {
    switch format {
    case .csv: ""
    case .ndjson: summaries.line(result)
    case .auto, .text: lines(result).map { $0.text + "\n" }.joined()
    }
  }

  // MARK: columns

  static func readings(_ options: TunerViewOptions) -> [Column<TunerUpdate>] {
    [
      Column("t_s", "seconds since the beginning", \.time),
      Column("note", "the needle's reading; null without a tone", \.needle?.reading.noteText),
      Column("string", "counted from 1; null without a tone") { $0.stringIndex.map { $0 + 1 } },
      Column("cents", \.needle?.reading.cents),
      Column("hz", \.needle?.reading.frequency),
      Column("target_hz", \.needle?.reading.target),
      Column("direction", "flat, in_tune, sharp") { $0.needle?.reading.direction(tolerance: options.tolerance).field },
      Column("held", "whether the tone has ended") { $0.needle?.isHeld ?? false },
      Column("confidence", "of the newest frame, before smoothing", \.frame.confidence),
      Column("level_db", "relative to a full-scale square wave: a full-scale sine has -3.01 dB", \.frame.level),
      Column("frame_hz", "of the newest frame, before smoothing", \.frame.frequency),
      Column("frame_cents", .ditto, \.reading?.cents),
      Column("deviation_cents", .ditto, \.frame.deviation),
      Column("inharmonicity", .ditto, \.frame.inharmonicity),
      Column("reference_hz", "the frequency of A4", \.tuning.reference),
      Column("learning", "whether A4 is being learned", \.isLearning),
      Column("polyphonic", "whether most of the last second is of several notes", \.isPolyphonic),
      Column("dropped_frames", "of a device; the measurement restarts after each", \.droppedFrames),
      Column("overruns", .ditto, \.overruns),
    ]
  }

  private static func text(
    _ update: TunerUpdate, _ options: TunerViewOptions, _ profile: TerminalProfile
  ) -> String {
    var text = Numbers.time(update.time).leftPadded(to: 9) + "  "
    if let reading = update.needle?.reading {
      let direction = reading.direction(tolerance: options.tolerance)
      let cents = Numbers.signed(reading.cents, digits: options.digits, profile.glyphs).leftPadded(to: 8)
      let hertz = Numbers.hertz(reading.frequency).leftPadded(to: 9)
      text += reading.noteText.rightPadded(to: 5) + cents + " cents" + hertz + " Hz  "
      text += profile.paint(direction.word.rightPadded(to: 8), direction.ink)
    } else {
      text += "no tone".rightPadded(to: 5 + 8 + 6 + 9 + 5 + 8)
    }
    text += "  confidence \(percent(update.frame.confidence)) %"
    if update.needle?.isHeld == true { text += "  held" }
    if update.isLearning { text += "  learning" }
    if update.isPolyphonic { text += "  several notes" }
    if update.droppedFrames > 0 { text += "  " + profile.paint("DROPPED \(update.droppedFrames)", .red) }
    if update.overruns > 0 { text += "  " + profile.paint("OVERRUNS \(update.overruns)", .red) }
    return text + "\n"
  }

  static func percent(_ confidence: Double) -> Int { Int((100 * min(max(confidence, 0), 1)).rounded()) }

  /// The columns of notes; text output is `   0:01.5   2.0 s    A4    +7.9     0.0   442.000  SHARP`.
  static func notes(_ options: TunerViewOptions) -> [Column<PlayedNote>] {
    let direction = { @Sendable (note: PlayedNote) in note.direction(tolerance: options.tolerance) }
    // As wide as the longest word, and two spaces.
    let word = 2 + (TuningReading.Direction.allCases.map(\.word.count).max() ?? 0)
    return [
      Column("t_s", "seconds from the beginning of the sound to that of the note", \.begin)
        .shown("BEGIN", 9, rank: 3) { note, _ in Numbers.time(note.begin) },
      Column("end_s", "and to its end", \.end)
        .shown("LASTS", 8, rank: 2) { note, _ in String(format: "%.1f s", note.end - note.begin) },
      Column("note", \.name).shown("NOTE", 6) { note, _ in note.name },
      Column("string", \.stringNumber),
      Column("cents", "its median", \.cents).shown("CENTS", 8) { Numbers.signed($0.cents, digits: options.digits, $1) },
      Column("spread_cents", "half of its frames are within the spread around the median", \.spread)
        .shown("SPREAD", 8, rank: 0) { note, _ in String(format: "%.\(options.digits)f", note.spread) },
      Column("hz", \.frequency).shown("HZ", 10, rank: 1) { note, _ in Numbers.hertz(note.frequency) },
      Column("target_hz", \.target),
      Column("direction") { direction($0).field }
        .shown("", word, isRight: false, ink: { direction($0).ink }) { note, _ in "  " + direction(note).word },
      Column("frames", \.frames),
      Column("polyphonic", "whether most of it is of several notes", \.isPolyphonic),
    ]
  }

  private static func summary(_ subject: SoundSubject) -> [Column<TuneResult>] {
    [
      Column("t_s", \.seconds),
      Column("notes", \.played.notes.count),
      Column("median_cents", \.played.medianCents),
      Column("reference_hz", \.configuration.tuning.reference),
      Column("learned_hz", \.learned?.reference),
      Column("learned_uncertainty_cents", \.learned?.uncertainty),
      Column("temperament", \.configuration.tuning.temperament.name),
      Column("tonic") { "\($0.configuration.tuning.tonic)" },
      Column("transposition", \.configuration.tuning.transposition),
      Column("clock_ppm", \.configuration.tuning.clockCorrection),
      Column("instrument", \.configuration.instrument.name),
      Column("polyphonic", \.isPolyphonic),
      Column("inharmonicity") { result in
        result.inharmonicities.map {
          Value.object([("note", .string("\($0.note)")), ("b", .number($0.inharmonicity))])
        }
      },
      Column("dropped_frames", \.droppedFrames),
      Column("overruns", \.overruns),
      Column("input") { _ in subject.name },
      Column("sample_rate_hz") { _ in subject.format.sampleRate },
      Column("channels") { _ in subject.format.channels },
      Column("channel") { _ in subject.channel },
    ]
  }

  // MARK: text output

  func lines(_ result: TuneResult) -> [ScreenLine] {
    var lines: [ScreenLine] = []
    if result.played.notes.isEmpty {
      lines.append(profile.line("no note in \(Numbers.time(result.seconds))"))
    } else {
      lines += [notes.titles] + result.played.notes.map(notes.row) + [("", 0), profile.line(total(result.played))]
    }
    if let learned = result.learned {
      let text = String(
        format: "learned A4 = %.2f Hz, to %.2f Hz, from %d readings", learned.reference, learned.uncertaintyHertz,
        learned.used)
      lines.append(profile.line(text))
    } else if result.isLearning {
      lines.append(profile.line("no reference learned: too few or too unsteady notes"))
    }
    if result.droppedFrames > 0 || result.overruns > 0 {
      let text = "DROPPED: \(result.droppedFrames) frames, \(result.overruns) overruns of the device"
      lines.append(profile.line(text, .red))
    }
    return lines
  }

  private func total(_ played: PlayedNotes) -> String {
    let count = played.notes.count == 1 ? "1 note" : "\(played.notes.count) notes"
    guard let cents = played.medianCents else { return count }
    let tuned = played.notes.count { $0.direction(tolerance: options.tolerance) == .inTune }
    let median = Numbers.signed(cents, digits: options.digits, profile.glyphs)
    return "\(count), \(tuned) in tune within \(Numbers.plain(options.tolerance)) cents, median \(median) cents"
  }
}

extension TuningReading.Direction {
  var word: String { self == .inTune ? "IN TUNE" : rawValue.uppercased() }

  var field: String { word.lowercased().replacing(" ", with: "_") }

  var ink: Ink {
    switch self {
    case .flat: .cyan
    case .inTune: .green
    case .sharp: .yellow
    }
  }
}
