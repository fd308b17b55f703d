import RustleAudio
import RustleAudioFiles
import RustlePlot

/// The readings of a measurement, one per line, and the summary after them.
struct MeterLines: Sendable {
  let subject: SoundSubject
  let readings: Table<SoundLevelReading>

  /// - Parameter reading: a reading of the meter: the lines have the loudness and the bands that it has.
  init(like reading: SoundLevelReading, of subject: SoundSubject, format: OutputFormat, profile: TerminalProfile) {
    self.subject = subject
    var table = Table(
      reading.columns(hasLoudness: reading.loudness != nil), kind: "reading", format: format, profile: profile)
    if format.isForPeople {
      let head =
        profile.paint(subject.name, .bold)
        + "\n\(subject.line)\n\(reading.weightingText); \(reading.calibrationText)\n\n"
      table.heading = profile.glyphs.plain(head) + table.titles.text + "\n"
    }
    readings = table
  }

  /// The summary after the last reading; empty for CSV, whose rows are readings.
  func summary(_ reading: SoundLevelReading, _ history: LevelHistory) -> String {
    let (format, profile) = (readings.format, readings.profile)
    switch format {
    case .ndjson:
      let columns = readings.columns + Self.columns(of: subject, history)
      return Table(columns, kind: "summary", format: format, profile: profile).line(reading)
    case .csv: return ""
    case .auto, .text:
      let report = MeterView(subject: subject, profile: profile).report(reading, history)
      return report.map { $0.text + "\n" }.joined()
    }
  }

  static func columns(of subject: SoundSubject, _ history: LevelHistory) -> [Column<SoundLevelReading>] {
    let shares = LevelZone.allCases.compactMap { zone in history.share(of: zone).map { (zone.name, Value.number($0)) } }
    return [
      Column("zone_shares", in: [.ndjson]) { _ in shares.isEmpty ? .absent : Value.object(shares) },
      Column("input", in: [.ndjson]) { _ in subject.name },
      Column("sample_rate_hz", in: [.ndjson]) { _ in subject.format.sampleRate },
      Column("channels", in: [.ndjson]) { _ in subject.format.channels },
      Column("channel", in: [.ndjson]) { _ in subject.channel },
      Column("calibration_offset_db", in: [.ndjson], \.calibration.offset),
      Column("response_points", in: [.ndjson]) { $0.calibration.response?.points.count ?? 0 },
    ]
  }
}

extension SoundLevelReading {
  /// The columns of a reading with the bands that this one has.
  ///
  /// - Parameter isWhole: whether text shows the measures of a whole file instead of the present ones.
  func columns(hasLoudness: Bool, isWhole: Bool = false) -> [Column<Self>] {
    let faults = [
      Column<Self>("overloads", "samples at or beyond full scale", \.overloads),
      Column("dropped_frames", "of a device; dropped frames are not measured", \.droppedFrames),
      Column("overruns", .ditto, \.overruns),
    ]
    let cells = [
      Column<Self>().shown(hasWordOfLevel ? "  ZONE" : "  SCALE 0-120", isRight: false, ink: \.levelZone.ink) {
        reading, _ in
        let value = reading.hasWordOfLevel ? "" : String(Int(reading.displayValue)).leftPadded(to: 3) + " "
        return "  " + value + reading.levelZone.name
      },
      Column().shown("", isRight: false, ink: { _ in .red }) { reading, _ in
        reading.faults.isEmpty ? "" : "  " + reading.faults.joined(separator: ", ")
      },
    ]
    let shown = levelColumns + (hasLoudness ? Self.loudnessColumns : []) + faults + (isWhole ? [] : cells)
    let hidden: Set = isWhole ? ["level_db", "momentary_lufs", "short_term_lufs"] : ["range_lu", "true_peak_dbtp"]
    return shown.map { hidden.contains($0.name) ? $0.withoutCell : $0 } + bandColumns
  }

  private var levelColumns: [Column<Self>] {
    [
      Column("t_s", "seconds of sound since the beginning", \.seconds)
        .shown("TIME", 9) { reading, _ in Numbers.time(reading.seconds) },
      Column("weighting", \.frequencyWeighting.rawValue), Column("time_weighting", \.timeWeighting.rawValue),
      Column("calibrated", \.calibration.isCalibrated), Column("unit", \.calibration.unit),
      Column("level_db", "the time-weighted level (LAF); null for silence", \.level).shown(levelName, 8, "%.1f"),
      Column(
        "equivalent_continuous_db", "since the beginning: LAeq, LAFmax, LAFmin, LCpeak, LAE",
        \.equivalentContinuousLevel
      ).shown(equivalentContinuousLevelName, 8, "%.1f"),
      Column("maximum_db", .ditto, \.maximum).shown("\(levelName)max", 8, "%.1f"),
      Column("minimum_db", .ditto, \.minimum), Column("peak_c_db", .ditto, \.peak).shown(peakName, 8, "%.1f"),
      Column("sound_exposure_db", .ditto, \.soundExposureLevel),
    ]
      + exceeded.enumerated().map { index, one in
        let meaning = index == 0 ? "exceeded for this percentage of the time" : .ditto
        return Column("l\(one.percent)_db", meaning) { $0.exceeded[index].level }
      } + [
        Column("display_value", "on the scale from 0 to 120, and the zone's name", \.displayValue),
        Column("zone", .ditto, \.levelZone.name),
      ]
  }

  private static var loudnessColumns: [Column<Self>] {
    [
      Column("momentary_lufs", "loudness (ITU-R BS.1770, EBU R 128), and the highest of it", \.loudness?.momentary)
        .shown("M", 8, "%.1f"),
      Column("momentary_max_lufs", .ditto, \.loudness?.momentaryMaximum),
      Column("short_term_lufs", .ditto, \.loudness?.shortTerm).shown("S", 8, "%.1f"),
      Column("short_term_max_lufs", .ditto, \.loudness?.shortTermMaximum),
      Column("integrated_lufs", .ditto, \.loudness?.integrated).shown("I", 8, "%.1f"),
      Column("range_lu", .ditto, \.loudness?.range).shown("LRA", 7, "%.1f"),
      Column("true_peak_dbtp", .ditto, \.loudness?.truePeak).shown("TP", 8, "%.1f"),
    ]
  }

  /// A list in JSON, one column per band in CSV.
  private var bandColumns: [Column<Self>] {
    [
      Column("bands", "[{\"hz\", \"db\"}]: time-averaged levels, unweighted", in: [.ndjson]) { reading in
        let bands = reading.bands.map { Value.object([("hz", .number($0.center)), ("db", .number($0.level))]) }
        return bands.isEmpty ? .absent : Value.array(bands)
      }
    ]
      + bands.enumerated().map { index, band in
        Column("band_\(Numbers.plain(band.nominalCenter))_hz_db", in: [.csv]) {
          index < $0.bands.count ? $0.bands[index].level : nil
        }
      }
  }
}

extension SoundLevelReading {
  /// Whether the zone's name may be shown next to a level: not next to a sound pressure level, which it does not describe.
  var hasWordOfLevel: Bool { !calibration.isCalibrated }
  var ink: Ink { hasWordOfLevel ? levelZone.ink : .bold }

  var calibrationText: String {
    "\(calibration): levels in " + (hasWordOfLevel ? "dBFS, relative to full scale" : "dB re 20 \u{B5}Pa")
  }

  var faults: [String] {
    [
      overloads > 0 ? "OVERLOAD" : nil, droppedFrames > 0 ? "DROPPED \(droppedFrames)" : nil,
      overruns > 0 ? "OVERRUNS \(overruns)" : nil,
    ].compactMap(\.self)
  }
}

extension LevelZone {
  var ink: Ink {
    switch self {
    case .silent: .blue
    case .quiet: .green
    case .average: .magenta
    case .noisy: .yellow
    case .loud: .red
    }
  }
}
