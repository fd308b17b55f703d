import Foundation
import RustleAudio

/// What a whole run of the tuner has to say.
struct TuneResult: Equatable, Sendable {
  /// The sound that was listened to, in seconds.
  var seconds = 0.0
  /// What was played, in its order.
  var notes: [TuneNote] = []
  /// What the tuner was set to at the end.
  var configuration = TunerConfiguration()
  /// The reference that was learned; nil: none.
  var learned: ReferenceLearner.Result?
  /// Whether one was still being learned at the end.
  var isLearning = false
  /// B of the notes.
  var inharmonicities: [StretchCurve.Point] = []
  /// Frames that were lost on their way from a device, and how often the device ran over.
  var lostFrames: Int64 = 0
  var overruns = 0

  /// The median of the notes' cents, each of which counts by its frames; nil without notes.
  var medianCents: Double? {
    let sorted = notes.sorted { $0.cents < $1.cents }
    let half = 0.5 * Double(sorted.reduce(0) { $0 + $1.frames })
    var below = 0.0
    for note in sorted {
      below += Double(note.frames)
      if below >= half { return note.cents }
    }
    return nil
  }
}

/// The notes of a run in a table, for people. A pure function of what it is given.
struct TuneReport {
  let options: TunerViewOptions
  let profile: TerminalProfile

  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  /// The lines, each ended by a line feed.
  func text(_ result: TuneResult) -> String { lines(result).map { $0.text + "\n" }.joined() }

  /// The lines with the columns that each takes.
  func lines(_ result: TuneResult) -> [ScreenLine] {
    var lines: [ScreenLine] = []
    if result.notes.isEmpty {
      lines.append(profile.line("no note in \(Numbers.time(result.seconds))", nil))
    } else {
      lines.append(profile.line(columns.map { $0.title.leftPadded(to: $0.width) }.joined(), .bold))
      lines += result.notes.map { row($0) }
      lines += [("", 0), profile.line(total(result), nil)]
    }
    if let learned = result.learned {
      let text = String(
        format: "learned A4 = %.2f Hz, to %.2f Hz, from %d readings", learned.reference, learned.uncertaintyHertz,
        learned.used)
      lines.append(profile.line(text, nil))
    } else if result.isLearning {
      lines.append(profile.line("no reference was learned: the notes were too few or too unsteady", nil))
    }
    if result.lostFrames > 0 || result.overruns > 0 {
      let text = "LOST: \(result.lostFrames) frames, \(result.overruns) overruns of the device"
      lines.append(profile.line(text, .red))
    }
    return lines
  }

  /// A column of the table.
  private struct Column {
    let title: String
    let width: Int
    /// The smaller, the sooner it is left out where the terminal is narrow.
    let rank: Int
    let text: (TuneNote) -> String
  }

  /// The columns that the terminal has room for; where there is no terminal, all. The word stands behind them.
  private var columns: [Column] {
    let digits = min(max(options.digits, 0), 3)
    var columns = [
      Column(title: "BEGIN", width: 9, rank: 3) { Numbers.time($0.begin) },
      Column(title: "LASTS", width: 8, rank: 2) { String(format: "%.1f s", $0.end - $0.begin) },
      Column(title: "NOTE", width: 6, rank: 5) { $0.name },
      Column(title: "CENTS", width: 8, rank: 4) { TunerNumbers.cents($0.cents, digits: digits, glyphs) },
      Column(title: "SPREAD", width: 8, rank: 0) { String(format: "%.\(digits)f", $0.spread) },
      Column(title: "HZ", width: 10, rank: 1) { TunerNumbers.hertz($0.frequency) },
    ]
    let word = 2 + (TuningReading.Direction.allCases.map(\.word.count).max() ?? 0)
    while profile.isLive, columns.reduce(word, { $0 + $1.width }) > profile.columns, columns.count > 2,
      let least = columns.indices.min(by: { columns[$0].rank < columns[$1].rank })
    {
      columns.remove(at: least)
    }
    return columns
  }

  /// For example `   0:01.5   2.0 s    A4    +7.9     0.0   442.000  SHARP`.
  private func row(_ note: TuneNote) -> ScreenLine {
    let direction = note.direction(tolerance: options.tolerance)
    let plain = columns.map { $0.text(note).leftPadded(to: $0.width) }.joined() + "  "
    let width = plain.count + direction.word.count
    guard !profile.isLive || width <= profile.columns else {
      return profile.line(plain + direction.word, direction.ink)
    }
    return (plain + painter(direction.word, direction.ink), width)
  }

  private func total(_ result: TuneResult) -> String {
    let count = result.notes.count == 1 ? "1 note" : "\(result.notes.count) notes"
    guard let cents = result.medianCents else { return count }
    let tuned = result.notes.count { $0.direction(tolerance: options.tolerance) == .inTune }
    let middle = TunerNumbers.cents(cents, digits: options.digits, glyphs)
    let tolerance = String(format: "%.6g", options.tolerance)
    return "\(count), \(tuned) in tune within \(tolerance) cents, median \(middle) cents"
  }
}
