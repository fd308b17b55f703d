import Foundation
import RustleAudio
import RustlePlot

/// The layout of a live equalizer on a terminal. A pure function of its arguments.
struct EqualizerPanel {
  struct Status: Equatable, Sendable {
    var state = EqualizerState()
    var hasKeys = false
    var showsHelp = false
    /// The outcome of the last key; nil after the next.
    var message: String?
  }

  let profile: TerminalProfile
  private var glyphs: Glyphs { profile.glyphs }

  /// Columns for the gains and the mark at the left.
  private static let labelWidth = 5
  /// Columns of one band: two sliders, and room for a number of four characters.
  private static let bandWidth = 5
  /// Rows beside the sliders: the heads, the gains of two channels, two levels and two lines of status.
  private static let otherRows = 8
  /// The rows of sliders: one for two decibels where the terminal is high enough.
  private static let sliderRows = 5...13

  /// The lines with their widths in columns; at most one less than the terminal's rows.
  func lines(_ controls: EqualizerControls, _ status: Status) -> [ScreenLine] {
    let shown = shownBands(controls)
    var lines = sliders(controls, shown)
    lines.append(heads(controls, shown))
    let bands = shown.map(controls.bands)
    lines.append(gains("L", bands.map(\.left)))
    if controls.isStereo { lines.append(gains("R", bands.map(\.right))) }
    lines.append(profile.line(levels("in ", status.state.before)))
    lines.append(profile.line(levels("out", status.state.after)))
    lines.append(profile.line(footer(controls, status), .dim))
    if status.showsHelp {
      lines.append(profile.line("arrows band and gain  l r b channel  0 flat  space bypass  s save  q quit", .dim))
    } else if let message = status.message {
      lines.append(profile.line(message, .yellow))
    }
    return lines
  }

  /// The bands that fit, the chosen one among them.
  private func shownBands(_ controls: EqualizerControls) -> Range<Int> {
    let room = max(1, (profile.columns - Self.labelWidth) / Self.bandWidth)
    guard controls.bandCount > room else { return 0..<controls.bandCount }
    let first = min(max(0, controls.chosen - room / 2), controls.bandCount - room)
    return first..<first + room
  }

  private func sliders(_ controls: EqualizerControls, _ shown: Range<Int>) -> [ScreenLine] {
    let room = min(max(profile.rows - 1 - Self.otherRows, Self.sliderRows.lowerBound), Self.sliderRows.upperBound)
    // An odd number, so that 0 dB has a row.
    let rows = room - (room + 1) % 2
    let top = EqualizerControls.range.upperBound
    let sliders = shown.map { band in
      let (left, right) = controls.bands(at: band)
      func slider(_ one: EqualizerBand?, _ mark: Character, unlessOn other: Equalizer.Channel) -> TextSlider? {
        let isMoved = band == controls.chosen && controls.channel != other
        return one.map { TextSlider(mark, at: $0.gain / top, isChosen: isMoved) }
      }
      return [slider(left, "L", unlessOn: .right), slider(right, "R", unlessOn: .left)]
    }
    return glyphs.sliders(sliders, rows: rows).enumerated().map { index, parts in
      let isLabelled = index == 0 || index == rows - 1 || index == rows / 2
      let gain = top * (1 - 2 * Double(index) / Double(rows - 1))
      let label = isLabelled ? glyphs.gain(gain) : ""
      let margin: [(text: String, ink: Ink?)] = [
        (label.leftPadded(to: Self.labelWidth - 2) + " ", .dim),
        (String(isLabelled ? glyphs.leftMark : glyphs.vertical), .dim),
      ]
      return profile.line(margin + parts.map { ($0.text, $0.isChosen ? .cyan : nil) })
    }
  }

  /// The frequencies, the chosen one with a mark before it.
  private func heads(_ controls: EqualizerControls, _ shown: Range<Int>) -> ScreenLine {
    let heads = shown.map { index -> (text: String, ink: Ink?) in
      let (left, right) = controls.bands(at: index)
      let (name, isChosen) = (
        (left ?? right).map { UnitLabel.shortHertz($0.frequency) } ?? "", index == controls.chosen
      )
      return (((isChosen ? ">" : "") + name).leftPadded(to: Self.bandWidth), isChosen ? .bold : nil)
    }
    return profile.line([("Hz".leftPadded(to: Self.labelWidth - 2) + "  ", nil)] + heads)
  }

  private func gains(_ name: String, _ bands: [EqualizerBand?]) -> ScreenLine {
    let gains = bands.map { ($0.map { glyphs.gain($0.gain) } ?? "").leftPadded(to: Self.bandWidth) }
    return profile.line(name.leftPadded(to: 3) + "  " + gains.joined())
  }

  /// The levels of each channel, with a bar where there is room for one.
  private func levels(_ name: String, _ values: [Double]) -> String {
    // From -60 dBFS to full scale.
    let width = profile.columns >= 70 ? 20 : 0
    let names = values.count == 1 ? [" "] : ["L", "R"]
    let parts = zip(names, values).map { letter, value -> String in
      let filled = value.isFinite ? Int((min(max(value / 60 + 1, 0), 1) * Double(width)).rounded()) : 0
      let bar = String(repeating: glyphs.bars[5], count: filled) + String(repeating: " ", count: width - filled)
      return "\(letter) \(bar)" + glyphs.levelText(value).leftPadded(to: 8)
    }
    return " \(name) " + parts.joined(separator: "  ") + (values.isEmpty ? "" : " dBFS")
  }

  private func footer(_ controls: EqualizerControls, _ status: Status) -> String {
    let state = status.state
    let seconds = Int(state.seconds)
    let channels: [Equalizer.Channel: String] = [.left: "left", .right: "right", .both: "both"]
    var parts = [
      String(format: "%d:%02d", seconds / 60, seconds % 60),
      controls.isBypassed ? "BYPASSED" : "preamp \(Numbers.signed(state.preamp, glyphs)) dB",
    ]
    if controls.isStereo, let channel = channels[controls.channel] { parts.append(channel) }
    parts.append(state.losses)
    if status.hasKeys { parts.append("q quit  ? help") }
    return parts.joined(separator: "  ")
  }
}
