import Foundation
import RustleAudio

/// Lays the meter out for a terminal. A pure function of what it is given.
struct MeterView {
  /// What stands around the levels.
  struct Status: Equatable, Sendable {
    var isPaused = false
    /// Whether keys are read: without them they are not offered.
    var hasKeys = false
    var showsHelp = false
    /// Whether any sound came so far.
    var hasSound = true
  }

  let subject: SoundSubject
  let profile: TerminalProfile

  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }
  private var layout: MeterLayout { MeterLayout(profile: profile) }

  /// The lines and the columns that each takes. There are never more lines than the terminal has rows but one, so that the
  /// picture does not scroll: what matters least is left out first.
  func lines(_ state: MeterState, _ status: Status) -> [ScreenLine] {
    var footer = [profile.line(footer(state, status), .dim)]
    if status.showsHelp {
      footer.append(
        profile.line("q quit   space pause the view   r new measurement   ? this line   Ctrl-Z suspend", .dim))
    }
    let faults = MeterReport.faultTexts(state).map { profile.line($0, .red) }
    let head = [
      profile.line(subject.name, .bold), profile.line("\(subject.line); \(MeterReport.weighting(state))", .dim),
    ]
    let calibration = [profile.line(state.calibrationText, nil)]
    let number = big(state)
    let scale = [layout.scale(state)]
    let levels = layout.table(levels(state), unit: state.unit)
    let loudness = state.loudness.map { layout.loudness($0, isWhole: false) } ?? []
    let bands = state.bands.isEmpty ? [] : MeterBands(profile: profile).lines(state)
    let small = [small(state)]
    let gap: [ScreenLine] = [("", 0)]
    // From the fullest picture to the barest.
    let pictures: [[ScreenLine]] = [
      head + calibration + gap + number + gap + scale + gap + levels + loudness + gap + bands + faults + footer,
      head + calibration + number + scale + levels + loudness + bands + faults + footer,
      head + calibration + small + scale + levels + loudness + bands + faults + footer,
      head + calibration + number + scale + levels + loudness + faults + footer,
      head + calibration + small + scale + levels + loudness + faults + footer,
      calibration + small + scale + levels + faults + footer,
      calibration + small + scale + faults.prefix(1) + footer,
    ]
    let room = profile.rows - 1
    return pictures.first { $0.count <= room } ?? Array((calibration + small + scale).prefix(room))
  }

  /// The level in large digits, its name and unit beside it; small where the terminal is narrow.
  private func big(_ state: MeterState) -> [ScreenLine] {
    let word = state.hasWordOfLevel ? state.noiseClass.name.uppercased() : ""
    let side = [state.levelName, state.unit, "", "", word]
    let mark = glyphs.bars[glyphs.bars.count - 1]
    let text = state.level.isFinite ? String(format: "%.1f", state.level) : "-.-"
    // As wide for every number, so that nothing jumps: a sign, three digits, the point, one digit.
    let width = 6 * 8 - 2
    let digits = BigDigits.lines(text, mark: mark)
    guard profile.columns >= width + 12 else { return [small(state)] }
    return zip(digits, side).map { digits, side in
      let row = digits.leftPadded(to: width)
      guard !side.isEmpty else {
        let trimmed = String(row.reversed().drop { $0 == " " }.reversed())
        return (painter(trimmed, state.ink), trimmed.count)
      }
      let ink: Painter.Ink? = side == word ? state.ink : .bold
      return (painter(row, state.ink) + "  " + painter(side, ink), row.count + 2 + side.count)
    }
  }

  private func small(_ state: MeterState) -> ScreenLine {
    let text = "\(state.levelName) \(Numbers.level(state.level, glyphs)) \(state.unit)"
    return profile.line(state.hasWordOfLevel ? "\(text)  \(state.noiseClass.name.uppercased())" : text, state.ink)
  }

  private func levels(_ state: MeterState) -> [(String, Double?)] {
    let percentiles = state.exceeded.filter { [10, 50, 90].contains($0.percent) }
    return [
      (state.equivalentName, state.equivalent), ("\(state.levelName)max", state.maximum),
      ("\(state.levelName)min", state.minimum), ("LCpeak", state.peak),
    ] + percentiles.map { (MeterReport.percentile($0, state), $0.level) }
  }

  private func footer(_ state: MeterState, _ status: Status) -> String {
    let clock = Numbers.time(state.seconds)
    let stateWord = status.isPaused ? "  paused" : status.hasSound ? "" : "  no sound yet"
    let keys =
      status.hasKeys ? (status.isPaused ? "   q quit  space go on" : "   q quit  space pause  r restart  ? help") : ""
    return "\(clock)\(stateWord)\(keys)"
  }
}
