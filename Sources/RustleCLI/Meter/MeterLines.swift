import Foundation
import RustleAudio

/// Writes what the meter shows one a line.
struct MeterLines: Sendable {
  let format: OutputFormat
  let profile: TerminalProfile
  let subject: SoundSubject

  private var glyphs: Glyphs { Glyphs(for: profile) }

  /// What comes before the first line.
  ///
  /// - Parameter state: what is measured and how; its levels are of no concern.
  func header(_ state: MeterState) -> String {
    switch format {
    case .ndjson: return ""
    case .csv:
      return CSVLine.text(Self.fields(state).map(\.0) + state.bands.map { "band_\(Self.plain($0.center))_hz_db" })
    case .auto, .text:
      let painter = Painter(isEnabled: profile.usesColor)
      let text =
        painter(subject.name, .bold) + "\n\(subject.line)\n"
        + "\(MeterReport.weighting(state)); \(state.calibrationText)\n\n"
      return glyphs.plain(text) + painter(heading(state), .bold) + "\n"
    }
  }

  /// The line of one reading, line feed included.
  func line(_ state: MeterState) -> String {
    switch format {
    case .ndjson: return record("reading", state).text
    case .csv:
      return CSVLine.text(Self.fields(state).map { Self.csv($0.1) } + state.bands.map { Self.csv(.number($0.level)) })
    case .auto, .text: return text(state)
    }
  }

  /// What comes behind the last line; of CSV, whose rows are readings, nothing.
  func summary(_ state: MeterState) -> String {
    switch format {
    case .ndjson:
      var line = record("summary", state)
      if !state.shares.isEmpty {
        let shares = zip(NoiseClass.allCases, state.shares).map { ($0.name, JSONLine.Value.number($1)) }
        line.add("class_shares", .object(shares))
      }
      line.add("input", .string(subject.name))
      line.add("sample_rate_hz", .number(subject.format.sampleRate))
      line.add("channels", .integer(Int64(subject.format.channels)))
      line.add("channel", subject.channel.map { .integer(Int64($0)) } ?? .null)
      line.add("calibration_offset_db", state.calibration.offset.map { .number($0) } ?? .null)
      line.add("response_points", .integer(Int64(state.calibration.response?.points.count ?? 0)))
      return line.text
    case .csv: return ""
    case .auto, .text: return "\n" + MeterReport(subject: subject, profile: profile).text(state)
    }
  }

  // MARK: for programs

  private func record(_ kind: String, _ state: MeterState) -> JSONLine {
    var line = JSONLine()
    line.add("kind", .string(kind))
    for (name, value) in Self.fields(state) { line.add(name, value) }
    if !state.bands.isEmpty {
      line.add("bands", .array(state.bands.map { .object([("hz", .number($0.center)), ("db", .number($0.level))]) }))
    }
    return line
  }

  /// The fields of a reading in their order.
  private static func fields(_ state: MeterState) -> [(String, JSONLine.Value)] {
    var fields: [(String, JSONLine.Value)] = [
      ("t_s", .number(state.seconds)),
      ("weighting", .string(state.frequencyWeighting.rawValue)),
      ("time_weighting", .string(state.timeWeighting.rawValue)),
      ("calibrated", .bool(state.calibration.isCalibrated)),
      ("unit", .string(state.unit)),
      ("level_db", .number(state.level)),
      ("equivalent_db", .number(state.equivalent)),
      ("maximum_db", .number(state.maximum)),
      ("minimum_db", state.minimum.map { .number($0) } ?? .null),
      ("peak_c_db", .number(state.peak)),
      ("exposure_db", .number(state.exposure)),
    ]
    fields += state.exceeded.map { ("l\($0.percent)_db", $0.level.map { .number($0) } ?? .null) }
    fields += [("place", .number(state.place)), ("class", .string(state.noiseClass.name))]
    if let loudness = state.loudness {
      fields += [
        ("momentary_lufs", .number(loudness.momentary)),
        ("momentary_max_lufs", .number(loudness.momentaryMaximum)),
        ("short_term_lufs", .number(loudness.shortTerm)),
        ("short_term_max_lufs", .number(loudness.shortTermMaximum)),
        ("integrated_lufs", .number(loudness.integrated)),
        ("range_lu", .number(loudness.range)),
        ("true_peak_dbtp", .number(loudness.truePeak)),
      ]
    }
    fields += [
      ("overloads", .integer(Int64(state.overloads))),
      ("lost_frames", .integer(state.lostFrames)),
      ("overruns", .integer(Int64(state.overruns))),
    ]
    return fields
  }

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

  /// A frequency as a part of a name.
  private static func plain(_ center: Double) -> String {
    let name = MeterNumbers.band(center)
    return name.hasSuffix("k") ? String(format: "%.6g", (Double(name.dropLast()) ?? 0) * 1_000) : name
  }

  // MARK: for people

  private func cells(_ state: MeterState) -> [(name: String, value: Double?)] {
    var cells: [(String, Double?)] = [
      (state.levelName, state.level), (state.equivalentName, state.equivalent),
      ("\(state.levelName)max", state.maximum), ("LCpeak", state.peak),
    ]
    if let loudness = state.loudness {
      cells += [("M", loudness.momentary), ("S", loudness.shortTerm), ("I", loudness.integrated)]
    }
    return cells
  }

  private func heading(_ state: MeterState) -> String {
    "TIME".leftPadded(to: 9) + cells(state).map { $0.name.leftPadded(to: 8) }.joined()
      + (state.hasWordOfLevel ? "  CLASS" : "  SCALE 0-120")
  }

  private func text(_ state: MeterState) -> String {
    let painter = Painter(isEnabled: profile.usesColor)
    let cells = cells(state).map { Numbers.level($0.value, glyphs).leftPadded(to: 8) }.joined()
    var text = Numbers.time(state.seconds).leftPadded(to: 9) + cells
    let place = state.hasWordOfLevel ? "" : String(Int(state.place)).leftPadded(to: 3) + " "
    text += "  " + painter(place + state.noiseClass.name, state.noiseClass.ink)
    let faults = MeterReport.faults(state)
    if !faults.isEmpty { text += "  " + painter(faults.joined(separator: ", "), .red) }
    return text + "\n"
  }
}
