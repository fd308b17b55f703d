import Foundation
import RustleAudio
import RustlePlot

/// The state that the tuner shows.
struct TunerState: Equatable, Sendable {
  /// The note and cents; nil without a tone.
  var reading: TuningReading?
  /// Whether the tone has ended and the reading is the last one.
  var isHeld = false
  /// The confidence of the newest frame, 0 to 1.
  var confidence = 0.0
  /// The level of the newest frame, in dB relative to full scale; negative infinity in silence.
  var level = -Double.infinity
}

extension TunerState {
  init(_ update: TunerUpdate) {
    self.init(
      reading: update.needle?.reading, isHeld: update.needle?.isHeld ?? false, confidence: update.frame.confidence,
      level: update.frame.level)
  }
}

/// The presentation of the tuner.
struct TunerViewOptions: Equatable, Sendable {
  var tuning = Tuning.standard
  var instrument = Instrument.chromatic
  /// The largest deviation that is in tune, in cents.
  var tolerance = TuningReading.defaultTolerance
  /// The cents at either end of the needle's scale.
  var span = 50.0
  /// Digits of the cents after the point, 0 to 3.
  var digits = 1
}

/// The layout of the tuner on a terminal. A pure function of its arguments.
struct TunerView {
  let options: TunerViewOptions
  let profile: TerminalProfile

  private var glyphs: Glyphs { profile.glyphs }

  /// The lines with their widths in columns: the same number for every state, at most one less than the terminal's rows.
  /// The least important lines are left out first.
  ///
  /// - Parameters:
  ///   - state: the state to show.
  ///   - footer: the last line, about keys or the source; nil for none.
  func lines(_ state: TunerState, footer: String? = nil) -> [ScreenLine] {
    let note = [note(state)]
    let needle = [scale(), needle(state)]
    let words = [words(state)]
    let numbers = [profile.line(numbers(state))]
    let quality = [quality(state)]
    let strings = options.instrument.isChromatic ? [] : [strings(state)]
    let head = [profile.line(heading, .dim)]
    let foot = footer.map { [profile.line($0, .dim)] } ?? []
    let gap: [ScreenLine] = [("", 0)]
    let room = profile.rows - 1
    let pictures: [[ScreenLine]] = [
      head + gap + note + gap + needle + words + gap + strings + numbers + quality + gap + foot,
      head + note + needle + words + strings + numbers + quality + foot,
      head + note + needle + words + strings + numbers + foot,
      note + needle + words + strings + foot,
      note + needle + words,
    ]
    return pictures.first { $0.count <= room } ?? Array((note + needle + words).prefix(room))
  }

  /// The reference pitch, the temperament and other settings that are not the default.
  var heading: String {
    let tuning = options.tuning
    var parts = ["A4 = \(Numbers.plain(tuning.reference)) Hz"]
    let name = tuning.temperament.name.isEmpty ? "own scale" : tuning.temperament.name
    parts.append(tuning.temperament == Temperament(.equal) ? name : "\(name) on \(tuning.tonic)")
    if !options.instrument.isChromatic { parts.append(options.instrument.name) }
    if tuning.transposition != 0 {
      let sign = tuning.transposition > 0 ? "+" : String(glyphs.minus)
      parts.append("written \(sign)\(abs(tuning.transposition)) semitones")
    }
    if tuning.stretch != nil { parts.append("stretched") }
    return parts.joined(separator: ", ")
  }

  /// The note and the cents, after the tone with the word held.
  private func note(_ state: TunerState) -> ScreenLine {
    guard let reading = state.reading else { return profile.line("\(glyphs.unknown)  no tone", .dim) }
    let cents = Numbers.signed(reading.cents, digits: options.digits, glyphs)
    return profile.line("\(reading.noteText)  \(cents) cents" + (state.isHeld ? "  held" : ""), .bold)
  }

  /// Columns of the scale: odd, so that it has a middle.
  private var width: Int {
    let room = min(profile.columns, 81)
    return room % 2 == 1 ? room : room - 1
  }

  /// The ends and the middle of the needle's scale.
  private func scale() -> ScreenLine {
    let end = Numbers.plain(options.span)
    let left = String(glyphs.minus) + end
    let right = "+" + end
    let before = String(repeating: " ", count: max(1, width / 2 - left.count))
    let after = String(repeating: " ", count: max(1, width - width / 2 - 1 - right.count))
    return profile.line(left + before + "0" + after + right, .dim)
  }

  /// A line with a mark in the middle and the needle, an arrow beyond either end.
  private func needle(_ state: TunerState) -> ScreenLine {
    let middle = width / 2
    var row = Array(repeating: glyphs.horizontal, count: width)
    row[0] = glyphs.vertical
    row[width - 1] = glyphs.vertical
    row[middle] = glyphs.bottomMark
    guard let reading = state.reading else { return (profile.paint(String(row), .dim), width) }
    let direction = reading.direction(tolerance: options.tolerance)
    let place = middle + Int((min(max(reading.cents / options.span, -1), 1) * Double(middle)).rounded())
    let mark: Character =
      if reading.cents < -options.span {
        "<"
      } else if reading.cents > options.span {
        ">"
      } else {
        glyphs.bars[glyphs.bars.count - 1]
      }
    let text =
      profile.paint(String(row[..<place]), .dim) + profile.paint(String(mark), state.isHeld ? .dim : direction.ink)
      + profile.paint(String(row[(place + 1)...]), .dim)
    return (text, width)
  }

  /// What the colour says, as a word on the side where the needle is.
  private func words(_ state: TunerState) -> ScreenLine {
    guard let reading = state.reading else { return ("", 0) }
    let direction = reading.direction(tolerance: options.tolerance)
    let (text, indent) =
      switch direction {
      case .flat: ("\(direction.word), tune up", 0)
      case .inTune: (direction.word, (width - direction.word.count) / 2)
      case .sharp: ("\(direction.word), tune down", width - direction.word.count - 11)
      }
    return profile.line(
      String(repeating: " ", count: max(0, indent)) + text, state.isHeld ? .dim : direction.ink)
  }

  private func numbers(_ state: TunerState) -> String {
    guard let reading = state.reading else { return "" }
    let hertz = Numbers.hertz(reading.frequency)
    let target = Numbers.hertz(reading.target)
    return "\(hertz) Hz, target \(target) Hz, \(Numbers.signed(reading.beat, digits: 2, glyphs)) beats a second"
  }

  private func quality(_ state: TunerState) -> ScreenLine {
    let percent = Int((100 * min(max(state.confidence, 0), 1)).rounded())
    return profile.line("confidence \(percent) %, level \(Numbers.level(state.level, glyphs)) dBFS", .dim)
  }

  /// The strings' notes, the chosen one between brackets.
  private func strings(_ state: TunerState) -> ScreenLine {
    let spelling = options.tuning.spelling
    let names = options.instrument.strings.enumerated().map { index, string in
      let name = string.note.transposed(by: options.tuning.transposition).text(spelling: spelling)
      return index == state.reading?.string ? "[\(name)]" : " \(name) "
    }
    let line = names.joined(separator: " ")
    return profile.line(line.hasSuffix(" ") ? String(line.dropLast()) : line, nil)
  }
}
