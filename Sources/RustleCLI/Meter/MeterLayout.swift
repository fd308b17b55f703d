import Foundation
import RustleAudio

/// The parts that the live view and the report of the meter share.
struct MeterLayout {
  let profile: TerminalProfile
  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  /// Names and levels side by side, as many in a line as fit.
  func table(_ cells: [(name: String, level: Double?)], unit: String) -> [ScreenLine] {
    table(cells.map { ($0.name, Numbers.level($0.level, glyphs), unit) })
  }

  func table(_ cells: [(name: String, value: String, unit: String)]) -> [ScreenLine] {
    // Seven for the name, seven for a number such as -123.4, the unit, and two between.
    let unit = cells.reduce(0) { max($0, $1.unit.count) }
    let width = 7 + 7 + 1 + unit
    let perLine = max(1, (profile.columns + 2) / (width + 2))
    return stride(from: 0, to: cells.count, by: perLine).map { start in
      let row = cells[start..<min(cells.count, start + perLine)]
      var (text, columns) = ("", 0)
      for (name, value, unit) in row {
        let gap = columns == 0 ? "" : "  "
        let name = DisplayWidth.fit(name, to: 7, ellipsis: glyphs.ellipsis)
        let value = value.leftPadded(to: 7)
        let padding = String(repeating: " ", count: width - 15 - unit.count)
        text += gap + painter(name, .dim) + value + " " + unit + padding
        columns += gap.count + width
      }
      // The last unit may be shorter than the widest.
      let trimmed = text.reversed().drop { $0 == " " }.reversed()
      return (String(trimmed), columns - (text.count - trimmed.count))
    }
  }

  /// Loudness in its own units.
  func loudness(_ loudness: MeterState.Loudness, isWhole: Bool) -> [ScreenLine] {
    func level(_ level: Double) -> String { Numbers.level(level, glyphs) }
    var cells = [
      ("M", level(loudness.momentary), "LUFS"), ("S", level(loudness.shortTerm), "LUFS"),
      ("I", level(loudness.integrated), "LUFS"), ("LRA", level(loudness.range), "LU"),
      ("TP", level(loudness.truePeak), "dBTP"),
    ]
    if isWhole {
      cells[0] = ("M max", level(loudness.momentaryMaximum), "LUFS")
      cells[1] = ("S max", level(loudness.shortTermMaximum), "LUFS")
    }
    return table(cells)
  }

  /// The bar from 0 to 120, and the class as a word.
  func scale(_ state: MeterState) -> ScreenLine {
    let place = String(Int(state.place)).leftPadded(to: 3)
    let word = "\(place) \(state.noiseClass.name)"
    // Without the ends of the scale where they would leave no room for the bar.
    let isWide = profile.columns >= 40
    let width = isWide ? min(60, profile.columns - 20) : max(4, profile.columns - 12)
    let bar = bar(state.place / DisplayScale.range.upperBound, width: width)
    let ends = isWide ? ("0 ", " 120 ") : ("", " ")
    let text =
      painter(ends.0, .dim) + painter(bar.full, state.noiseClass.ink) + painter(bar.rest, .dim) + painter(ends.1, .dim)
    return (text + painter(word, state.noiseClass.ink), ends.0.count + width + ends.1.count + word.count)
  }

  private func bar(_ fraction: Double, width: Int) -> (full: String, rest: String) {
    let full = Int((min(1, max(0, fraction)) * Double(width)).rounded())
    let mark = glyphs.shades[glyphs.shades.count - 1]
    return (String(repeating: mark, count: full), String(repeating: glyphs.shades[0], count: width - full))
  }
}
