import Foundation
import RustleAudio

/// Lays a live equalizer out for a terminal. A pure function of what it is given.
struct EqualizerPanel {
  /// What stands beside the sliders.
  struct Status: Equatable, Sendable {
    var state = EqualizerState()
    /// Whether keys are read: without them they are not offered.
    var hasKeys = false
    /// What was saved or could not be, for a while.
    var message: String?
  }

  typealias Line = (text: String, columns: Int)

  let profile: TerminalProfile
  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  init(profile: TerminalProfile) { self.profile = profile }

  /// Columns for the gains and the mark at the left.
  private static let labelWidth = 5
  /// Columns of one band: two sliders, and room for a number of four characters.
  private static let bandWidth = 5
  /// Rows beside the sliders: the heads, the gains of two channels, two levels and two lines of status.
  private static let otherRows = 8
  /// The rows of sliders: one for two decibels where there is room.
  private static let sliderRows = 5...13

  /// The lines and the columns that each takes; no more lines than the terminal has rows but one.
  func lines(_ desk: EqualizerDesk, _ status: Status) -> [Line] {
    let shown = shownBands(desk)
    var lines = sliders(desk, shown)
    lines.append(heads(desk, shown))
    lines.append(plain("L".leftPadded(to: 3) + "  " + gains(desk, shown) { $0.left }, nil))
    if desk.isStereo { lines.append(plain("R".leftPadded(to: 3) + "  " + gains(desk, shown) { $0.right }, nil)) }
    lines.append(plain(levels("in ", status.state.before), nil))
    lines.append(plain(levels("out", status.state.after), nil))
    lines.append(plain(footer(desk, status), .dim))
    if desk.showsHelp {
      lines.append(plain("arrows band and gain  l r b channel  0 flat  space bypass  s save  q quit", .dim))
    } else if let message = status.message {
      lines.append(plain(message, .yellow))
    }
    return lines
  }

  /// The bands that fit, the chosen one among them.
  private func shownBands(_ desk: EqualizerDesk) -> Range<Int> {
    let room = max(1, (profile.columns - Self.labelWidth) / Self.bandWidth)
    guard desk.bandCount > room else { return 0..<desk.bandCount }
    let first = min(max(0, desk.chosen - room / 2), desk.bandCount - room)
    return first..<first + room
  }

  private func sliders(_ desk: EqualizerDesk, _ shown: Range<Int>) -> [Line] {
    let room = min(max(profile.rows - 1 - Self.otherRows, Self.sliderRows.lowerBound), Self.sliderRows.upperBound)
    // An odd number, so that 0 dB has a row.
    let rows = room - (room + 1) % 2
    let top = EqualizerDesk.range.upperBound
    func row(of gain: Double) -> Int {
      Int(((1 - min(max(gain / top, -1), 1)) / 2 * Double(rows - 1)).rounded())
    }
    return (0..<rows).map { index in
      let gain = top * (1 - 2 * Double(index) / Double(rows - 1))
      let isLabelled = index == 0 || index == rows - 1 || index == rows / 2
      let label = isLabelled ? Self.gain(gain, glyphs: glyphs) : ""
      var text = painter(label.leftPadded(to: Self.labelWidth - 2) + " ", .dim)
      text += painter(String(isLabelled ? glyphs.leftMark : glyphs.vertical), .dim)
      // Blanks are written before what stands behind them, so that a line has none at its end.
      var blanks = " "
      for band in shown {
        let (left, right) = desk.bands(at: band)
        for (one, letter, other) in [(left, "L", Equalizer.Channel.right), (right, "R", .left)] {
          blanks += " "
          guard let one else {
            blanks += " "
            continue
          }
          let mark =
            row(of: one.gain) == index
            ? letter : String(index == rows / 2 ? glyphs.horizontal : glyphs.vertical)
          let isMoved = band == desk.chosen && desk.channel != other
          text += blanks + painter(mark, isMoved ? .cyan : nil)
          blanks = ""
        }
        blanks += " "
      }
      let cut = blanks.dropLast().count
      return (text, Self.labelWidth + Self.bandWidth * shown.count - cut)
    }
  }

  /// The frequencies, the chosen one with a mark before it.
  private func heads(_ desk: EqualizerDesk, _ shown: Range<Int>) -> Line {
    var text = "Hz".leftPadded(to: Self.labelWidth - 2) + "  "
    for band in shown {
      let (left, right) = desk.bands(at: band)
      let name = (left ?? right).map { EqualizerNumbers.frequency($0.frequency) } ?? ""
      let isChosen = band == desk.chosen
      text += painter(((isChosen ? ">" : "") + name).leftPadded(to: Self.bandWidth), isChosen ? .bold : nil)
    }
    return (text, Self.labelWidth + Self.bandWidth * shown.count)
  }

  private func gains(
    _ desk: EqualizerDesk, _ shown: Range<Int>,
    _ side: ((left: EqualizerBand?, right: EqualizerBand?)) -> EqualizerBand?
  ) -> String {
    shown.map { band in
      (side(desk.bands(at: band)).map { Self.gain($0.gain, glyphs: glyphs) } ?? "").leftPadded(to: Self.bandWidth)
    }.joined()
  }

  /// A gain in at most four characters.
  private static func gain(_ value: Double, glyphs: Glyphs) -> String {
    let tenths = (abs(value) * 10).rounded() / 10
    let isWhole = tenths >= 10 || tenths == tenths.rounded()
    let text = String(format: isWhole ? "%.0f" : "%.1f", tenths)
    return text == "0" ? text : (value < 0 ? String(glyphs.minus) : "+") + text
  }

  /// The levels of each channel, with a bar where there is room for one.
  private func levels(_ name: String, _ values: [Double]) -> String {
    // From -60 dBFS to full scale.
    let width = profile.columns >= 70 ? 20 : 0
    let names = values.count == 1 ? [" "] : ["L", "R"]
    let parts = zip(names, values).map { letter, value -> String in
      let filled = value.isFinite ? Int((min(max(value / 60 + 1, 0), 1) * Double(width)).rounded()) : 0
      let bar = String(repeating: glyphs.bars[5], count: filled) + String(repeating: " ", count: width - filled)
      return "\(letter) \(bar)" + EqualizerNumbers.level(value, glyphs: glyphs).leftPadded(to: 8)
    }
    return " \(name) " + parts.joined(separator: "  ") + (values.isEmpty ? "" : " dBFS")
  }

  private func footer(_ desk: EqualizerDesk, _ status: Status) -> String {
    let state = status.state
    let seconds = Int(state.seconds)
    let clock = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    let channel =
      switch desk.channel {
      case .left: "left"
      case .right: "right"
      case .both: "both"
      }
    var text =
      "\(clock)  \(desk.isBypassed ? "BYPASSED" : "preamp \(EqualizerNumbers.gain(state.preamp, glyphs: glyphs)) dB")"
    if desk.isStereo { text += "  \(channel)" }
    text += "  lost \(state.lostFrames)  overruns \(state.overruns)  underruns \(state.underruns)"
    return text + (status.hasKeys ? "  q quit  ? help" : "")
  }

  /// A line in one ink, cut to the terminal's width and without spaces at its end.
  private func plain(_ text: String, _ ink: Painter.Ink?) -> Line {
    let trimmed = String(text.reversed().drop { $0 == " " }.reversed())
    let columns = min(DisplayWidth.columns(of: trimmed), profile.columns)
    return (painter(DisplayWidth.fit(trimmed, to: columns, ellipsis: glyphs.ellipsis), ink), columns)
  }
}
