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
  /// Columns of one band: two sliders, and room for a number of four characters; more on a wide terminal.
  private static let bandWidths = 5...13
  /// The rows of sliders: up to four for a decibel where the terminal is high enough.
  private static let sliderRows = 5...49

  /// The lines with their widths in columns; at most one less than the terminal's rows. The least important lines are left out
  /// first.
  func lines(_ controls: EqualizerControls, _ status: Status) -> [ScreenLine] {
    let (shown, width) = shownBands(controls)
    let heads = [heads(controls, shown, width)]
    let bands = shown.map(controls.bands)
    let gains =
      [gains("L", bands.map(\.left), width)] + (controls.isStereo ? [gains("R", bands.map(\.right), width)] : [])
    let levels = [levels("in ", status.state.before), levels("out", status.state.after)].map { profile.line($0) }
    var footer = profile.wrapped(footer(controls, status, shown), .dim)
    if let message = status.message, !status.showsHelp { footer.append(profile.line(message, .yellow)) }
    let room = profile.rows - 1
    let pictures = [heads + gains + levels + footer, heads + gains + footer, heads + footer]
    let below = pictures.first { $0.count + Self.sliderRows.lowerBound <= room } ?? heads + footer
    return Array((sliders(controls, shown, width, rows: room - below.count) + below).prefix(room))
  }

  /// The bands that fit, the chosen one among them, and the columns of each.
  private func shownBands(_ controls: EqualizerControls) -> (bands: Range<Int>, width: Int) {
    let (room, count) = (profile.columns - Self.labelWidth, controls.bandCount)
    let width = min(max(room / max(1, count), Self.bandWidths.lowerBound), Self.bandWidths.upperBound)
    let fitting = max(1, room / width)
    guard count > fitting else { return (0..<count, width) }
    let first = min(max(0, controls.chosen - fitting / 2), count - fitting)
    return (first..<first + fitting, width)
  }

  private func sliders(
    _ controls: EqualizerControls, _ shown: Range<Int>, _ width: Int, rows room: Int
  ) -> [ScreenLine] {
    let most = min(max(room, 3), Self.sliderRows.upperBound)
    // An odd number, so that 0 dB has a row.
    let rows = most - (most + 1) % 2
    let top = EqualizerControls.range.upperBound
    let sliders = shown.map { band in
      let (left, right) = controls.bands(at: band)
      func slider(_ one: EqualizerBand?, _ mark: Character, unlessOn other: Equalizer.Channel) -> TextSlider? {
        let isMoved = band == controls.chosen && controls.channel != other
        return one.map { TextSlider(mark, at: $0.gain / top, isChosen: isMoved) }
      }
      return [slider(left, "L", unlessOn: .right), slider(right, "R", unlessOn: .left)]
    }
    return glyphs.sliders(sliders, rows: rows, columns: width).enumerated().map { index, parts in
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
  private func heads(_ controls: EqualizerControls, _ shown: Range<Int>, _ width: Int) -> ScreenLine {
    let heads = shown.map { index -> (text: String, ink: Ink?) in
      let (left, right) = controls.bands(at: index)
      let (name, isChosen) = (
        (left ?? right).map { UnitLabel.shortHertz($0.frequency) } ?? "", index == controls.chosen
      )
      return (((isChosen ? ">" : "") + name).leftPadded(to: width), isChosen ? .bold : nil)
    }
    return profile.line([("Hz".leftPadded(to: Self.labelWidth - 2) + "  ", nil)] + heads)
  }

  private func gains(_ name: String, _ bands: [EqualizerBand?], _ width: Int) -> ScreenLine {
    let gains = bands.map { ($0.map { glyphs.gain($0.gain) } ?? "").leftPadded(to: width) }
    return profile.line(name.leftPadded(to: 3) + "  " + gains.joined())
  }

  /// The levels of each channel, with a bar where there is room for one.
  private func levels(_ name: String, _ values: [Double]) -> String {
    // From -60 dBFS to full scale.
    let width = profile.columns >= 70 ? min((profile.columns - 40) / 2, 60) : 0
    let names = values.count == 1 ? [" "] : ["L", "R"]
    let parts = zip(names, values).map { letter, value -> String in
      let filled = value.isFinite ? Int((min(max(value / 60 + 1, 0), 1) * Double(width)).rounded()) : 0
      let bar = String(repeating: glyphs.bars[5], count: filled) + String(repeating: " ", count: width - filled)
      return "\(letter) \(bar)" + glyphs.levelText(value).leftPadded(to: 8)
    }
    return " \(name) " + parts.joined(separator: "  ") + (values.isEmpty ? "" : " dBFS")
  }

  private func footer(_ controls: EqualizerControls, _ status: Status, _ shown: Range<Int>) -> [String] {
    if status.showsHelp {
      return ["arrows band and gain", "l r b channel", "0 flat", "space bypass", "s save", "q quit", "? hide this"]
    }
    let state = status.state
    let seconds = Int(state.seconds)
    let channels: [Equalizer.Channel: String] = [.left: "left", .right: "right", .both: "both"]
    var parts = [
      String(format: "%d:%02d", seconds / 60, seconds % 60),
      controls.isBypassed ? "BYPASSED" : "preamp \(Numbers.signed(state.preamp, glyphs)) dB",
    ]
    if controls.isStereo, let channel = channels[controls.channel] { parts.append(channel) }
    if shown.count < controls.bandCount {
      parts.append("bands \(shown.lowerBound + 1) to \(shown.upperBound) of \(controls.bandCount)")
    }
    return parts + state.losses + (status.hasKeys ? ["q quit", "? help"] : [])
  }
}

/// The sliders of a live equalizer, and their keys.
struct EqualizerControls: Equatable, Sendable {
  enum Action: Equatable {
    case none, quit, apply, bypass, save
  }

  /// The sliders, before solving.
  private(set) var request: EqualizerRequest
  let isStereo: Bool
  private(set) var chosen = 0
  private(set) var channel = Equalizer.Channel.both
  private(set) var isBypassed: Bool

  /// The range of a slider in dB, that of the fourteen bands. A preset may exceed it.
  static let range = -12.0...12.0
  /// The change of a slider by one key, in dB.
  private static let step = 1.0

  /// - Parameter request: without bands, the fourteen graphic bands are added.
  init(_ request: EqualizerRequest, isStereo: Bool, isBypassed: Bool = false) throws {
    self.request = request
    self.isStereo = isStereo
    self.isBypassed = isBypassed
    if request.settings.left.isEmpty && request.settings.right.isEmpty {
      self.request.add(try .graphic(gains: Array(repeating: 0, count: 2 * EqualizerSettings.centerFrequencies.count)))
    }
    if !isStereo { channel = .left }
  }

  /// Moves the sliders to the gains of an account.
  mutating func follow(_ gains: [Double]) throws {
    request = EqualizerRequest(settings: try .graphic(gains: gains), preamp: request.preamp, isSolved: request.isSolved)
  }

  var bandCount: Int { request.settings.bandCount(isStereo: isStereo) }
  func bands(at index: Int) -> (left: EqualizerBand?, right: EqualizerBand?) {
    request.settings.bands(at: index, isStereo: isStereo)
  }

  /// Applies a key to the sliders and returns the remaining action.
  mutating func press(_ key: Key) -> Action {
    switch key {
    case .quit: return .quit
    case .pause:
      isBypassed.toggle()
      return .bypass
    case .left: chosen = max(0, chosen - 1)
    case .right: chosen = min(max(0, bandCount - 1), chosen + 1)
    case .up, .down:
      let change = key == .up ? Self.step : -Self.step
      request.settings.moveGain(ofBand: chosen, by: change, within: Self.range, on: channel)
      return .apply
    case .letter("l"): channel = .left
    case .restart where isStereo: channel = .right
    case .letter("b") where isStereo: channel = .both
    case .letter("0"):
      request.settings.flatten()
      return .apply
    case .letter("s"): return .save
    case .letter, .restart, .help, .pageUp, .pageDown, .home, .end: break
    }
    return .none
  }
}
