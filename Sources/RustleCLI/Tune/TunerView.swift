import Foundation
import RustleAudio

/// What the tuner shows at one moment.
struct TunerState: Equatable, Sendable {
  /// Note and cents; nil when there is no tone.
  var reading: TuningReading?
  /// Whether the tone is over and the reading the last one.
  var isHeld = false
  /// Of the newest frame, 0 to 1.
  var confidence = 0.0
  /// Of the newest frame, in dB relative to full scale; negative infinity in silence.
  var level = -Double.infinity
}

extension TunerState {
  init(_ update: TunerUpdate) {
    self.init(
      reading: update.needle?.reading, isHeld: update.needle?.isHeld ?? false, confidence: update.frame.confidence,
      level: update.frame.level)
  }
}

/// How the tuner shows it.
struct TunerViewOptions: Equatable, Sendable {
  var tuning = Tuning.standard
  var instrument = Instrument.chromatic
  /// How many cents on either side are in tune.
  var tolerance = TuningReading.defaultTolerance
  /// The cents at either end of the needle's scale.
  var span = 50.0
  /// Digits of the cents behind the point, 0 to 3.
  var digits = 1
}

/// Lays the tuner out for a terminal. A pure function of what it is given.
struct TunerView {
  let options: TunerViewOptions
  let profile: TerminalProfile

  private var glyphs: Glyphs { profile.glyphs }

  /// The lines and the columns that each takes. There are as many for every state, so that nothing jumps, and never more than
  /// the terminal has rows but one: what matters least is left out first.
  ///
  /// - Parameters:
  ///   - state: what is shown.
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

  /// Reference, temperament and what else is not as usual.
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

  /// The note, the cents and, after the tone, that they are held.
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

  /// A line with a mark in the middle and the needle on it; beyond an end it stands there as an arrow.
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
