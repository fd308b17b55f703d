import Foundation
import RustleAudio
import RustlePlot

/// The layout of a measurement on a terminal, while it goes on and at its end. A pure function of its arguments.
struct MeterView {
  /// The state around the levels.
  struct Status: Equatable, Sendable {
    var isPaused = false
    /// Whether keys are read; without them the help is not offered.
    var hasKeys = false
    var showsHelp = false
    /// Whether any sound has arrived.
    var hasSound = true
  }

  let subject: SoundSubject
  let profile: TerminalProfile

  private static let empty: ScreenLine = ("", 0)

  /// The lines with their widths in columns: at most one less than the terminal's rows, so that the picture does not
  /// scroll. The least important lines are left out first.
  func lines(_ state: MeterState, _ status: Status) -> [ScreenLine] {
    var footer = [profile.line(footer(state, status), .dim)]
    if status.showsHelp {
      footer.append(
        profile.line("q quit   space pause the view   r new measurement   ? this line   Ctrl-Z suspend", .dim))
    }
    let faults = state.faultTexts.map { profile.line($0, .red) }
    let head = [profile.line(subject.name, .bold), profile.line("\(subject.line); \(state.weightingText)", .dim)]
    let calibration = [profile.line(state.calibrationText)]
    let (number, small, scale) = (big(state), [small(state)], [scale(state)])
    let percentiles = zip(MeterState.percentages, state.exceedanceLevels).filter { [10, 50, 90].contains($0.0) }
    let levels = table(Array(state.levels.dropLast()) + percentiles.map(\.1), unit: state.unit)
    let loudness = loudness(state)
    let bands = state.bands.isEmpty ? [] : bands(state)
    let gap = [Self.empty]
    // From the fullest picture to the barest.
    let pictures = [
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

  private func footer(_ state: MeterState, _ status: Status) -> String {
    let stateWord = status.isPaused ? "  paused" : status.hasSound ? "" : "  no sound yet"
    let keys = status.isPaused ? "   q quit  space go on" : "   q quit  space pause  r restart  ? help"
    return Numbers.time(state.seconds) + stateWord + (status.hasKeys ? keys : "")
  }

  /// The complete measurement: levels, exceedance levels, loudness, bands.
  func report(_ state: MeterState) -> [ScreenLine] {
    var lines = [
      profile.line(subject.name, .bold), profile.line(subject.line),
      profile.line("measured \(Numbers.time(state.seconds)), \(state.weightingText)"),
      profile.line(state.calibrationText), Self.empty,
    ]
    lines += table(state.levels, unit: state.unit) + table(state.exceedanceLevels, unit: state.unit)
    lines += loudness(state, isWhole: true)
    if !state.shares.isEmpty { lines += [Self.empty, profile.line(shares(state))] }
    lines += state.faultTexts.map { profile.line($0, .red) }
    if !state.bands.isEmpty { lines += [Self.empty] + bands(state) }
    return lines
  }

  /// The shares of the level zones: `silent 85 %, quiet 15 % of the time`.
  private func shares(_ state: MeterState) -> String {
    let words = zip(LevelZone.allCases, state.shares).filter { $1 > 0 }
      .map { "\($0.name) \(String(format: "%.0f", $1 * 100)) %" }
    let scale = state.hasWordOfLevel ? "" : "on the scale from 0 to 120: "
    return scale + words.joined(separator: ", ") + " of the time"
  }

  // MARK: the level and its scale

  /// The level in large digits with its name and unit; small on a narrow terminal.
  private func big(_ state: MeterState) -> [ScreenLine] {
    let word = state.hasWordOfLevel ? state.levelZone.name.uppercased() : ""
    let side = [state.levelName, state.unit, "", "", word]
    let mark = profile.glyphs.bars[profile.glyphs.bars.count - 1]
    let text = state.level.isFinite ? String(format: "%.1f", state.level) : "-.-"
    // The same width for every number: a sign, three digits, the point, one digit.
    let width = 6 * 8 - 2
    guard profile.columns >= width + 12 else { return [small(state)] }
    return zip(BigDigits.lines(text, mark: mark), side).map { digits, side in
      let row = digits.leftPadded(to: width)
      guard !side.isEmpty else { return profile.line(row.withoutSpacesAtEnd, state.ink) }
      let ink: Painter.Ink? = side == word ? state.ink : .bold
      return (profile.paint(row, state.ink) + "  " + profile.paint(side, ink), row.count + 2 + side.count)
    }
  }

  private func small(_ state: MeterState) -> ScreenLine {
    let text = "\(state.levelName) \(Numbers.level(state.level, profile.glyphs)) \(state.unit)"
    return profile.line(state.hasWordOfLevel ? "\(text)  \(state.levelZone.name.uppercased())" : text, state.ink)
  }

  /// The bar from 0 to 120, and the name of the level zone.
  func scale(_ state: MeterState) -> ScreenLine {
    let word = "\(String(Int(state.place)).leftPadded(to: 3)) \(state.levelZone.name)"
    // A narrow terminal has no room for the labels at the ends.
    let isWide = profile.columns >= 40
    let width = isWide ? min(60, profile.columns - 20) : max(4, profile.columns - 12)
    let full = Int((min(1, max(0, state.place / DisplayScale.range.upperBound)) * Double(width)).rounded())
    let shades = profile.glyphs.shades
    let bar = String(repeating: shades[shades.count - 1], count: full)
    let rest = String(repeating: shades[0], count: width - full)
    let parts: [(text: String, ink: Painter.Ink)] = [
      (isWide ? "0 " : "", .dim), (bar, state.levelZone.ink), (rest, .dim), (isWide ? " 120 " : " ", .dim),
      (word, state.levelZone.ink),
    ]
    return (parts.map { profile.paint($0.text, $0.ink) }.joined(), parts.reduce(0) { $0 + $1.text.count })
  }

  // MARK: tables

  /// Names and levels side by side, as many per line as fit.
  private func table(_ cells: [(name: String, level: Double?)], unit: String) -> [ScreenLine] {
    table(cells.map { ($0.name, $0.level, unit) })
  }

  private func table(_ cells: [(name: String, level: Double?, unit: String)]) -> [ScreenLine] {
    // Seven columns for the name, seven for a number such as -123.4, the unit, and two between cells.
    let unitWidth = cells.reduce(0) { max($0, $1.unit.count) }
    let width = 7 + 7 + 1 + unitWidth
    let perLine = max(1, (profile.columns + 2) / (width + 2))
    return stride(from: 0, to: cells.count, by: perLine).map { start in
      let row = cells[start..<min(cells.count, start + perLine)]
      let text = row.map { name, level, unit in
        let value = Numbers.level(level, profile.glyphs).leftPadded(to: 7)
        return profile.paint(DisplayWidth.fit(name, to: 7, ellipsis: profile.glyphs.ellipsis), .dim) + value + " "
          + unit.rightPadded(to: unitWidth)
      }.joined(separator: "  ").withoutSpacesAtEnd
      // The last unit may be shorter than the widest.
      return (text, row.count * (width + 2) - 2 - unitWidth + (row.last?.unit.count ?? 0))
    }
  }

  /// The loudness in LUFS; with `isWhole`, the highest momentary and short-term loudness in place of the last.
  private func loudness(_ state: MeterState, isWhole: Bool = false) -> [ScreenLine] {
    guard let loudness = state.loudness else { return [] }
    return table([
      isWhole ? ("M max", loudness.momentaryMaximum, "LUFS") : ("M", loudness.momentary, "LUFS"),
      isWhole ? ("S max", loudness.shortTermMaximum, "LUFS") : ("S", loudness.shortTerm, "LUFS"),
      ("I", loudness.integrated, "LUFS"), ("LRA", loudness.range, "LU"), ("TP", loudness.truePeak, "dBTP"),
    ])
  }

  // MARK: bands

  /// The rows of bars.
  static let barRows = 6
  /// The decibels from the lowest row to the top.
  private static let barRange = 60.0

  /// The levels of the bands as bars side by side.
  func bands(_ state: MeterState) -> [ScreenLine] {
    // The lowest bands are left out where not all fit; a bar has up to four columns and a space.
    let (chart, left) = (profile.chart, TextChart.labelWidth + 1)
    let room = max(1, profile.columns - left)
    let shown = Array(state.bands.suffix(room))
    let width = max(1, min(5, room / max(1, shown.count)))
    let bar = max(1, width - 1)
    // The next multiple of ten above the highest level, or full scale for silence.
    let top = shown.map(\.level).filter(\.isFinite).max().map { ($0 / 10).rounded(.up) * 10 } ?? 0
    let bars = (0..<Self.barRows).map { row -> ScreenLine in
      let label = row == 0 ? top : row == Self.barRows / 2 ? top - Self.barRange / 2 : nil
      let cells = shown.map { band in
        let fraction = min(1, max(0, 1 - (top - band.level) / Self.barRange))
        let glyph = chart.bar(band.level.isFinite ? fraction : .nan, row: row, of: Self.barRows)
        return String(repeating: glyph, count: bar) + String(repeating: " ", count: width - bar)
      }.joined().withoutSpacesAtEnd
      let margin = chart.margin(label.map { Numbers.text($0, "%.0f", profile.glyphs) })
      return (margin + profile.paint(cells, .cyan), left + cells.count)
    }
    return bars + [profile.line(labels(shown, width: width, unit: state.unit).withoutSpacesAtEnd, .dim)]
  }

  /// The unit under the levels, and the centre frequencies that fit.
  private func labels(_ bands: [SoundLevelMeter.Band], width: Int, unit: String) -> String {
    var row = unit.leftPadded(to: TextChart.labelWidth - 1) + "  "
    for (index, band) in bands.enumerated() {
      let start = TextChart.labelWidth + 1 + index * width
      // Of one-third-octave bands every third is labelled: 31.5, 63, 125, ...
      let octaves = log2(band.center / 1_000)
      let isCrowded = width < 6 && abs(octaves.rounded() - octaves) >= 0.1
      guard !isCrowded, row.count <= start, start + band.name.count <= profile.columns else { continue }
      row = row.rightPadded(to: start) + band.name + " "
    }
    return row
  }
}

extension LevelZone {
  /// The colour of the zone.
  var ink: Painter.Ink {
    switch self {
    case .silent: .blue
    case .quiet: .green
    case .average: .magenta
    case .noisy: .yellow
    case .loud: .red
    }
  }
}
