import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

/// The live view of a measurement: receives readings and keys, and draws changes.
actor LiveMeter: LiveView {
  var screen: LiveScreen
  private let subject: SoundSubject
  private let meter: SoundLevelMeter
  private var reading: SoundLevelReading
  /// The reading shown while the view is paused; the measurement goes on.
  private var frozen: SoundLevelReading?
  private var status = MeterView.Status(hasSound: false)

  /// - Parameter reading: the reading shown before the first sound.
  init(_ meter: SoundLevelMeter, of subject: SoundSubject, reading: SoundLevelReading, screen: LiveScreen) {
    (self.meter, self.subject, self.reading, self.screen) = (meter, subject, reading, screen)
  }

  func show(_ reading: SoundLevelReading) {
    self.reading = reading
    status.hasSound = true
    screen.needsDrawing = screen.needsDrawing || frozen == nil
  }

  /// Replaces the view by the report and restores the terminal.
  func finish(_ reading: SoundLevelReading, _ history: LevelHistory) throws {
    defer { screen.end() }
    try screen.draw { status.hasSound ? MeterView(subject: subject, profile: $0).report(reading, history) : [] }
  }

  func press(_ key: Key) async throws -> Bool {
    switch key {
    case .quit: return true
    case .pause: frozen = frozen == nil ? reading : nil
    case .help: screen.showsHelp.toggle()
    case .restart:
      frozen = nil
      try await meter.restart()
    case .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .letter: return false
    }
    status.isPaused = frozen != nil
    screen.needsDrawing = true
    return false
  }

  func draw() throws {
    (status.hasKeys, status.showsHelp) = (screen.hasKeys, screen.showsHelp)
    try screen.draw { MeterView(subject: subject, profile: $0).lines(frozen ?? reading, status) }
  }
}

/// The layout of a measurement on a terminal, while it goes on and at its end. A pure function of its arguments.
struct MeterView {
  struct Status: Equatable, Sendable {
    var isPaused = false
    var hasKeys = false
    var showsHelp = false
    var hasSound = true
  }

  let subject: SoundSubject
  let profile: TerminalProfile

  private static let gap: [ScreenLine] = [("", 0)]

  /// The lines with their widths in columns: at most one less than the terminal's rows, so that the picture does not
  /// scroll. The least important lines are left out first.
  func lines(_ reading: SoundLevelReading, _ status: Status) -> [ScreenLine] {
    let footer = profile.wrapped(footer(reading, status), .dim)
    let faults = reading.faultTexts.map { profile.line($0, .red) }
    let head = [profile.line(subject.name, .bold), profile.line("\(subject.line); \(reading.weightingText)", .dim)]
    let (number, gap) = (big(reading), Self.gap)
    let (level, scale) = ([small(reading)], [scale(reading)])
    let calibration = TermList.wrap(reading.calibrationText, width: profile.columns).map { profile.line($0) }
    let percentiles = zip(reading.exceeded, reading.exceedanceLevels).filter { [10, 50, 90].contains($0.0.percent) }
    let levels = table(reading.levels.dropLast() + percentiles.map(\.1))
    let loudness = loudness(reading)
    let room = profile.rows - 1
    let others = [head, calibration, number, scale, levels, loudness, faults, footer].reduce(4) { $0 + $1.count }
    // The bands have the rows that are left.
    let bands = reading.bands.isEmpty ? [] : bands(reading, rows: min(max(Self.barRows, room - others - 1), 40))
    // From the fullest picture to the barest.
    let pictures: [[ScreenLine]] = [
      head + calibration + gap + number + gap + scale + gap + levels + loudness + gap + bands + faults + footer,
      head + calibration + number + scale + levels + loudness + bands + faults + footer,
      head + calibration + level + scale + levels + loudness + bands + faults + footer,
      head + calibration + number + scale + levels + loudness + faults + footer,
      head + calibration + level + scale + levels + loudness + faults + footer,
      calibration + level + scale + levels + faults + footer,
      calibration + level + scale + faults.prefix(1) + footer,
    ]
    let barest = [profile.line(reading.calibrationText)] + level + scale + footer
    return pictures.first { $0.count <= room } ?? Array(barest.prefix(room))
  }

  private func footer(_ reading: SoundLevelReading, _ status: Status) -> [String] {
    let state = status.isPaused ? ["paused"] : status.hasSound ? [] : ["no sound yet"]
    let help = ["space pause the view", "r new measurement", "? hide this", "Ctrl-Z suspend"]
    let keys = status.isPaused ? ["space go on"] : ["space pause", "r restart", "? help"]
    return [Numbers.time(reading.seconds)] + state
      + (status.hasKeys ? ["q quit"] + (status.showsHelp ? help : keys) : [])
  }

  /// The complete measurement: levels, exceedance levels, loudness, shares of the level zones, bands.
  func report(_ reading: SoundLevelReading, _ history: LevelHistory) -> [ScreenLine] {
    var lines = [
      profile.line(subject.name, .bold), profile.line(subject.line),
      profile.line("measured \(Numbers.time(reading.seconds)), \(reading.weightingText)"),
      profile.line(reading.calibrationText),
    ]
    lines += Self.gap + table(reading.levels) + table(reading.exceedanceLevels) + loudness(reading, isWhole: true)
    let shares = LevelZone.allCases.map { (zone: $0, share: history.share(of: $0) ?? 0) }.filter { $0.share > 0 }
    if !shares.isEmpty {
      let words = shares.map { "\($0.zone.name) \(String(format: "%.0f", $0.share * 100)) %" }
      let scale = reading.hasWordOfLevel ? "" : "on the scale from 0 to 120: "
      lines += Self.gap + [profile.line(scale + words.joined(separator: ", ") + " of the time")]
    }
    lines += reading.faultTexts.map { profile.line($0, .red) }
    return lines + (reading.bands.isEmpty ? [] : Self.gap + bands(reading))
  }

  // MARK: the level and its scale

  /// The level in large digits with its name and unit; small on a narrow terminal.
  private func big(_ reading: SoundLevelReading) -> [ScreenLine] {
    let text = reading.level.isFinite ? String(format: "%.1f", reading.level) : "-.-"
    // The same width for every number: a sign, three digits, the point, one digit.
    let size = profile.columns >= 120 && profile.rows >= 40 ? 2 : 1
    let width = (6 * 8 - 2) * size
    guard profile.columns >= width + 12 else { return [small(reading)] }
    let word = reading.hasWordOfLevel ? reading.levelZone.name.uppercased() : ""
    let sides = [reading.levelName, reading.calibration.unit] + Array(repeating: "", count: 5 * size - 3) + [word]
    return zip(BigDigits.lines(text, mark: profile.glyphs.bars[7], scale: size), sides).map { digits, side in
      let row = digits.leftPadded(to: width)
      if side.isEmpty { return profile.line(row, reading.ink) }
      return profile.line([(row, reading.ink), ("  ", nil), (side, side == word ? reading.ink : .bold)])
    }
  }

  private func small(_ reading: SoundLevelReading) -> ScreenLine {
    let text = "\(reading.levelName) \(Numbers.level(reading.level, profile.glyphs)) \(reading.calibration.unit)"
    return profile.line(reading.hasWordOfLevel ? "\(text)  \(reading.levelZone.name.uppercased())" : text, reading.ink)
  }

  /// The bar from 0 to 120, and the name of the level zone.
  func scale(_ reading: SoundLevelReading) -> ScreenLine {
    // A narrow terminal has no room for the end of the scale.
    let isWide = profile.columns >= 40
    let width = max(4, profile.columns - (isWide ? 20 : 12))
    let full = Int((min(1, max(0, reading.displayValue / DisplayScale.range.upperBound)) * Double(width)).rounded())
    let (shades, ink) = (profile.glyphs.shades, reading.levelZone.ink)
    return profile.line([
      (String(repeating: shades[shades.count - 1], count: full), ink),
      (String(repeating: shades[0], count: width - full) + " ", .dim),
      (String(Int(reading.displayValue)).leftPadded(to: 3) + (isWide ? " of 120 " : " ") + reading.levelZone.name, ink),
    ])
  }

  // MARK: tables

  /// Names and levels side by side, as many per line as fit.
  private func table(_ cells: [SoundLevelReading.NamedLevel]) -> [ScreenLine] {
    let numbers = cells.map { ($0.name, Numbers.level($0.level, profile.glyphs), $0.unit) }
    return TextCells.numbers(numbers, columns: profile.columns, ellipsis: profile.glyphs.ellipsis) {
      profile.paint($0, .dim)
    }.map { ($0, DisplayWidth.columns(ofPainted: $0)) }
  }

  /// The loudness in LUFS; with `isWhole`, the highest momentary and short-term loudness in place of the last.
  private func loudness(_ reading: SoundLevelReading, isWhole: Bool = false) -> [ScreenLine] {
    guard let loudness = reading.loudness else { return [] }
    return table([
      isWhole ? .init("M max", loudness.momentaryMaximum, "LUFS") : .init("M", loudness.momentary, "LUFS"),
      isWhole ? .init("S max", loudness.shortTermMaximum, "LUFS") : .init("S", loudness.shortTerm, "LUFS"),
      .init("I", loudness.integrated, "LUFS"), .init("LRA", loudness.range, "LU"),
      .init("TP", loudness.truePeak, "dBTP"),
    ])
  }

  // MARK: bands

  /// The least rows of bars.
  static let barRows = 6

  /// The levels of the bands as bars side by side, over 60 dB.
  func bands(_ reading: SoundLevelReading, rows: Int = barRows) -> [ScreenLine] {
    // Of one-third-octave bands every third is labelled: 31.5, 63, 125, ...
    let bars = reading.bands.map { band in
      let octaves = log2(band.center / 1_000)
      return (name: abs(octaves.rounded() - octaves) < 0.1 ? band.name : "", value: band.level)
    }
    // The next multiple of ten above the highest level, or full scale for silence.
    let room = max(1, profile.columns - TextChart.labelWidth - 1)
    let highest = bars.suffix(room).map(\.value).filter(\.isFinite).max()
    let top = highest.map { ($0 / 10).rounded(.up) * 10 } ?? 0
    return profile.chart.bars(bars, rows: rows, range: top - 60...top, unit: reading.calibration.unit) {
      profile.paint($0, .cyan)
    }.map { ($0, DisplayWidth.columns(ofPainted: $0)) }
  }
}
