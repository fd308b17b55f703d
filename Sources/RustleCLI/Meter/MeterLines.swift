import RustleAudio
import RustlePlot

/// The states of a measurement, one per line, and the summary after them.
struct MeterLines: Sendable {
  let format: OutputFormat
  let profile: TerminalProfile
  let subject: SoundSubject

  /// The table of readings; it has the loudness and bands that `state` has.
  func readings(like state: MeterState) -> Table<MeterState> {
    var table = Table(MeterState.columns(like: state), kind: "reading", format: format, profile: profile)
    if format.isForPeople {
      let head =
        profile.paint(subject.name, .bold) + "\n\(subject.line)\n\(state.weightingText); \(state.calibrationText)\n\n"
      table.heading = profile.glyphs.plain(head) + table.titles.text + "\n"
    }
    return table
  }

  /// The summary after the last reading; empty for CSV, whose rows are readings.
  func summary(_ state: MeterState) -> String {
    switch format {
    case .ndjson:
      Table(
        MeterState.columns(like: state) + MeterState.columns(of: subject), kind: "summary", format: format,
        profile: profile
      ).line(state)
    case .csv: ""
    case .auto, .text: "\n" + report(state)
    }
  }

  /// The complete measurement, as text.
  func report(_ state: MeterState) -> String {
    MeterView(subject: subject, profile: profile).report(state).map { $0.text + "\n" }.joined()
  }
}

extension MeterState {
  /// The columns of a state, with the loudness and bands that `state` has.
  fileprivate static func columns(like state: Self) -> [Column<Self>] {
    weightings + levels(like: state.reading) + (state.loudness == nil ? [] : loudness)
      + [
        Column("overloads", \.overloads), Column("dropped_frames", \.droppedFrames), Column("overruns", \.overruns),
        Column(
          cell: .init(
            title: state.hasWordOfLevel ? "  CLASS" : "  SCALE 0-120", isRight: false,
            text: { state, _ in
              let place = state.hasWordOfLevel ? "" : String(Int(state.place)).leftPadded(to: 3) + " "
              return "  " + place + state.levelZone.name
            }, ink: \.levelZone.ink)),
        Column(
          cell: .init(
            title: "", isRight: false,
            text: { state, _ in state.faults.isEmpty ? "" : "  " + state.faults.joined(separator: ", ") },
            ink: { _ in .red })),
      ] + bands(like: state)
  }

  private static var weightings: [Column<Self>] {
    [
      Column("t_s", \.seconds).shown("TIME", 9) { state, _ in Numbers.time(state.seconds) },
      Column("weighting", \.frequencyWeighting.rawValue), Column("time_weighting", \.timeWeighting.rawValue),
      Column("calibrated", \.calibration.isCalibrated), Column("unit", \.unit),
    ]
  }

  private static func levels(like reading: SoundLevelReading) -> [Column<Self>] {
    [
      Column("level_db", \.level).shown(reading.levelName, 8, "%.1f"),
      Column("equivalent_continuous_db", \.equivalentContinuousLevel).shown(reading.equivalentName, 8, "%.1f"),
      Column("maximum_db", \.maximum).shown("\(reading.levelName)max", 8, "%.1f"), Column("minimum_db", \.minimum),
      Column("peak_c_db", \.peak).shown("LCpeak", 8, "%.1f"), Column("sound_exposure_db", \.soundExposureLevel),
    ]
      + percentages.enumerated().map { index, percent in Column("l\(percent)_db") { $0.exceeded[index] } }
      + [Column("place", \.place), Column("class", \.levelZone.name)]
  }

  private static var loudness: [Column<Self>] {
    [
      Column("momentary_lufs", \.loudness?.momentary).shown("M", 8, "%.1f"),
      Column("momentary_max_lufs", \.loudness?.momentaryMaximum),
      Column("short_term_lufs", \.loudness?.shortTerm).shown("S", 8, "%.1f"),
      Column("short_term_max_lufs", \.loudness?.shortTermMaximum),
      Column("integrated_lufs", \.loudness?.integrated).shown("I", 8, "%.1f"),
      Column("range_lu", \.loudness?.range), Column("true_peak_dbtp", \.loudness?.truePeak),
    ]
  }

  /// A list in JSON, one column per band in CSV.
  private static func bands(like state: Self) -> [Column<Self>] {
    [
      Column("bands", in: [.ndjson]) { state in
        state.bands.isEmpty
          ? .absent : Value.array(state.bands.map { .object([("hz", .number($0.center)), ("db", .number($0.level))]) })
      }
    ]
      + state.bands.enumerated().map { index, band in
        Column("band_\(Numbers.plain(band.nominalCenter))_hz_db", in: [.csv]) { $0.bands[index].level }
      }
  }

  /// The additional columns of a summary.
  fileprivate static func columns(of subject: SoundSubject) -> [Column<Self>] {
    [
      Column("class_shares") { state in
        state.shares.isEmpty
          ? .absent : Value.object(zip(LevelZone.allCases, state.shares).map { ($0.name, .number($1)) })
      },
      Column("input") { _ in subject.name }, Column("sample_rate_hz") { _ in subject.format.sampleRate },
      Column("channels") { _ in subject.format.channels }, Column("channel") { _ in subject.channel },
      Column("calibration_offset_db", \.calibration.offset),
      Column("response_points") { $0.calibration.response?.points.count ?? 0 },
    ]
  }
}
