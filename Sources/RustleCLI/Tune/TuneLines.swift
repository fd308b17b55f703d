import Foundation
import RustleAudio

/// What is tuned, for headings and summaries.
struct TuneSubject: Equatable, Sendable {
  /// The input's name.
  let name: String
  let format: AudioFormat
  /// What a file says about itself: `WAV, 32 bit float`; nil for other inputs.
  let encoding: String?
  /// The channel that is listened to, counted from 1; nil: all, mixed.
  let channel: Int?
  /// The frequencies that are looked for, in Hz.
  let range: ClosedRange<Double>

  /// For example `WAV, 32 bit float, 48 kHz, mix of 2 channels, notes from 25 to 4500 Hz`.
  var line: String {
    let channels =
      switch (format.channels, channel) {
      case (1, _): "mono"
      case (let count, nil): "mix of \(count) channels"
      case (let count, let channel?): "channel \(channel) of \(count)"
      }
    let ends = [range.lowerBound, range.upperBound].map { String(format: "%.4g", $0) }
    let notes = "notes from \(ends[0]) to \(ends[1]) Hz"
    return [encoding, Numbers.rate(format.sampleRate), channels, notes].compactMap(\.self).joined(separator: ", ")
  }
}

/// Writes what the tuner shows one a line.
struct TuneLines: Sendable {
  let format: OutputFormat
  let profile: TerminalProfile
  let subject: TuneSubject
  let options: TunerViewOptions

  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  private static let columns = [
    "t_s", "note", "string", "cents", "hz", "target_hz", "direction", "held", "confidence", "level_db", "frame_hz",
    "frame_cents", "deviation_cents", "inharmonicity", "reference_hz", "learning", "lost_frames", "overruns",
  ]

  /// What comes before the first line.
  var header: String {
    switch format {
    case .ndjson: ""
    case .csv: CSVLine.text(Self.columns)
    case .auto, .text:
      glyphs.plain(
        painter(subject.name, .bold) + "\n\(subject.line)\n"
          + TunerView(options: options, profile: profile).heading + "\n\n")
    }
  }

  /// The line of one update, line feed included.
  func line(_ update: TunerUpdate) -> String {
    switch format {
    case .ndjson:
      var line = JSONLine()
      line.add("kind", .string("reading"))
      for (name, value) in zip(Self.columns, values(update)) { line.add(name, value) }
      return line.text
    case .csv: return CSVLine.text(values(update).map(Self.csv))
    case .auto, .text: return text(update)
    }
  }

  /// The line of a note that ended; of CSV, whose rows are readings, and of text, which has them at the end, nothing.
  func line(_ note: TuneNote) -> String {
    guard format == .ndjson else { return "" }
    var line = JSONLine()
    line.add("kind", .string("note"))
    line.add("t_s", .number(note.begin))
    line.add("end_s", .number(note.end))
    line.add("note", .string(note.name))
    line.add("string", note.string.map { .integer(Int64($0)) } ?? .null)
    line.add("cents", .number(note.cents))
    line.add("spread_cents", .number(note.spread))
    line.add("hz", .number(note.frequency))
    line.add("target_hz", .number(note.target))
    line.add("direction", .string(note.direction(tolerance: options.tolerance).field))
    line.add("frames", .integer(Int64(note.frames)))
    return line.text
  }

  /// What comes behind the last line.
  func summary(_ result: TuneResult) -> String {
    switch format {
    case .csv: return ""
    case .auto, .text: return TuneReport(options: options, profile: profile).text(result)
    case .ndjson:
      var line = JSONLine()
      line.add("kind", .string("summary"))
      line.add("t_s", .number(result.seconds))
      line.add("notes", .integer(Int64(result.notes.count)))
      line.add("median_cents", result.medianCents.map { .number($0) } ?? .null)
      line.add("reference_hz", .number(result.configuration.tuning.reference))
      line.add("learned_hz", result.learned.map { .number($0.reference) } ?? .null)
      line.add("learned_uncertainty_cents", result.learned.map { .number($0.uncertainty) } ?? .null)
      line.add("temperament", .string(result.configuration.tuning.temperament.name))
      line.add("tonic", .string("\(result.configuration.tuning.tonic)"))
      line.add("transposition", .integer(Int64(result.configuration.tuning.transposition)))
      line.add("clock_ppm", .number(result.configuration.tuning.clockCorrection))
      line.add("instrument", .string(result.configuration.instrument.name))
      line.add(
        "inharmonicity",
        .array(
          result.inharmonicities.map {
            .object([("note", .string("\($0.note)")), ("b", .number($0.inharmonicity))])
          }))
      line.add("lost_frames", .integer(result.lostFrames))
      line.add("overruns", .integer(Int64(result.overruns)))
      line.add("input", .string(subject.name))
      line.add("sample_rate_hz", .number(subject.format.sampleRate))
      line.add("channels", .integer(Int64(subject.format.channels)))
      line.add("channel", subject.channel.map { .integer(Int64($0)) } ?? .null)
      return line.text
    }
  }

  // MARK: for programs

  private func values(_ update: TunerUpdate) -> [JSONLine.Value] {
    let shown = update.needle?.reading
    return [
      .number(update.time), shown.map { .string($0.noteText) } ?? .null,
      shown?.string.map { .integer(Int64($0 + 1)) } ?? .null, Self.number(shown?.cents), Self.number(shown?.frequency),
      Self.number(shown?.target), shown.map { .string($0.direction(tolerance: options.tolerance).field) } ?? .null,
      .bool(update.needle?.isHeld ?? false), .number(update.frame.confidence), .number(update.frame.level),
      Self.number(update.frame.frequency), Self.number(update.reading?.cents), .number(update.frame.deviation),
      .number(update.frame.inharmonicity), .number(update.tuning.reference), .bool(update.isLearning),
      .integer(update.lostFrames), .integer(Int64(update.overruns)),
    ]
  }

  private static func number(_ value: Double?) -> JSONLine.Value { value.map { .number($0) } ?? .null }

  /// A field of CSV; what is not there is empty.
  private static func csv(_ value: JSONLine.Value) -> String {
    switch value {
    case .string(let text): text
    case .number(let number): number.isFinite ? String(number) : ""
    case .integer(let integer): String(integer)
    case .bool(let bool): bool ? "true" : "false"
    case .unsigned, .null, .array, .object: ""
    }
  }

  // MARK: for people

  private func text(_ update: TunerUpdate) -> String {
    let time = Numbers.time(update.time).leftPadded(to: 9)
    var text = time + "  "
    if let reading = update.needle?.reading {
      let direction = reading.direction(tolerance: options.tolerance)
      let cents = TunerNumbers.cents(reading.cents, digits: options.digits, glyphs).leftPadded(to: 8)
      let hertz = TunerNumbers.hertz(reading.frequency).leftPadded(to: 9)
      text += reading.noteText.rightPadded(to: 5) + cents + " cents" + hertz + " Hz  "
      text += painter(direction.word.rightPadded(to: 8), direction.ink)
    } else {
      text += "no tone".rightPadded(to: 5 + 8 + 6 + 9 + 5 + 8)
    }
    text += "  confidence \(Int((100 * min(max(update.frame.confidence, 0), 1)).rounded())) %"
    if update.needle?.isHeld == true { text += "  held" }
    if update.isLearning { text += "  learning" }
    if update.lostFrames > 0 { text += "  " + painter("LOST \(update.lostFrames)", .red) }
    if update.overruns > 0 { text += "  " + painter("OVERRUNS \(update.overruns)", .red) }
    return text + "\n"
  }
}

extension TuningReading.Direction {
  /// The word in fields for programs.
  var field: String {
    switch self {
    case .flat: "flat"
    case .inTune: "in_tune"
    case .sharp: "sharp"
    }
  }
}
