import Foundation
import RustleAudio
import RustlePlot

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
  /// The least important lines are left out first. `footer` has the parts of the last lines, about keys or the source.
  func lines(_ update: TunerUpdate?, footer: [String] = []) -> [ScreenLine] {
    let (reading, isHeld) = (update?.needle?.reading, update?.needle?.isHeld ?? false)
    let note = [note(reading, isHeld)]
    let needle = [scale(), needle(reading, isHeld)]
    let words = [words(reading, isHeld)]
    let numbers = numbers(reading)
    let quality = [quality(update?.frame)]
    let strings = options.instrument.isChromatic ? [] : [strings(reading)]
    let head = [profile.line(heading, .dim)]
    let foot = profile.wrapped(footer, .dim)
    let gap: [ScreenLine] = [("", 0)]
    let room = profile.rows - 1
    let pictures: [[ScreenLine]] = [
      head + gap + note + gap + needle + words + gap + strings + numbers + quality + gap + foot,
      head + note + needle + words + strings + numbers + quality + foot,
      head + note + needle + words + strings + numbers + foot,
      note + needle + words + strings + foot,
      note + needle + words,
    ]
    return pictures.first { $0.count <= room } ?? Array((note + needle + words + foot).prefix(room))
  }

  /// The reference pitch, the temperament and other settings that are not the default.
  var heading: String { "\(TunerConfiguration(tuning: options.tuning, instrument: options.instrument))" }

  /// The note and the cents, after the tone with the word held.
  private func note(_ reading: TuningReading?, _ isHeld: Bool) -> ScreenLine {
    guard let reading else { return profile.line("\(glyphs.unknown)  no tone", .dim) }
    let cents = Numbers.signed(reading.cents, digits: options.digits, glyphs)
    return profile.line("\(reading.noteText)  \(cents) cents" + (isHeld ? "  held" : ""), .bold)
  }

  /// Columns of the scale: odd, so that it has a middle.
  private var width: Int {
    let room = min(profile.columns, 81)
    return room % 2 == 1 ? room : room - 1
  }

  private func scale() -> ScreenLine { profile.line(glyphs.scale(Numbers.plain(options.span), columns: width), .dim) }

  private func needle(_ reading: TuningReading?, _ isHeld: Bool) -> ScreenLine {
    let parts = glyphs.needle(at: reading.map { $0.cents / options.span }, columns: width)
    return profile.line([(parts.before, .dim), (parts.needle, reading.map { ink($0, isHeld) }), (parts.after, .dim)])
  }

  private func ink(_ reading: TuningReading, _ isHeld: Bool) -> Ink {
    isHeld ? .dim : reading.direction(tolerance: options.tolerance).ink
  }

  /// What the colour says, as a word on the side where the needle is.
  private func words(_ reading: TuningReading?, _ isHeld: Bool) -> ScreenLine {
    guard let reading else { return ("", 0) }
    let direction = reading.direction(tolerance: options.tolerance)
    let (text, indent) =
      switch direction {
      case .flat: ("\(direction.word), tune up", 0)
      case .inTune: (direction.word, (width - direction.word.count) / 2)
      case .sharp: ("\(direction.word), tune down", width - direction.word.count - 11)
      }
    return profile.line(String(repeating: " ", count: max(0, indent)) + text, ink(reading, isHeld))
  }

  /// The same number of lines for every reading: two on a narrow terminal.
  private func numbers(_ reading: TuningReading?) -> [ScreenLine] {
    let parts = reading.map { reading in
      [
        "\(Numbers.hertz(reading.frequency)) Hz, target \(Numbers.hertz(reading.target)) Hz",
        "\(Numbers.signed(reading.beat, digits: 2, glyphs)) beats a second",
      ]
    }
    return (profile.columns < 60 ? parts ?? ["", ""] : [parts?.joined(separator: ", ") ?? ""]).map { profile.line($0) }
  }

  private func quality(_ frame: PitchFrame?) -> ScreenLine {
    let percent = TuneTables.percent(frame?.confidence ?? 0)
    return profile.line("confidence \(percent) %, level \(Numbers.level(frame?.level, glyphs)) dBFS", .dim)
  }

  /// The strings' notes, the chosen one between brackets.
  private func strings(_ reading: TuningReading?) -> ScreenLine {
    let names = options.instrument.strings.enumerated().map { index, string in
      let note = string.note.transposed(by: options.tuning.transposition)
      let name = note.text(spelling: options.tuning.spelling)
      return index == reading?.stringIndex ? "[\(name)]" : " \(name) "
    }
    return profile.line(names.joined(separator: " "))
  }
}
