import Foundation

/// Draws the levels of bands as bars side by side. A pure function of what it is given.
struct MeterBands {
  /// The rows of bars.
  static let height = 6
  /// The decibels from the lowest row to the top.
  static let range = 60.0
  private static let labelWidth = 6

  let profile: TerminalProfile
  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  /// A ten above the highest level, or the top of full scale where all is silent.
  static func top(_ levels: [Double]) -> Double {
    guard let highest = levels.filter(\.isFinite).max() else { return 0 }
    return (highest / 10).rounded(.up) * 10
  }

  func lines(_ state: MeterState) -> [ScreenLine] {
    // Bands that do not fit are left out from the lowest on; a bar has up to three columns and a space.
    let room = max(1, profile.columns - Self.labelWidth - 1)
    let shown = Array(state.bands.suffix(room))
    let width = max(1, min(5, room / max(1, shown.count)))
    let bar = max(1, width - 1)
    let top = Self.top(shown.map(\.level))
    var lines: [ScreenLine] = []
    for row in 0..<Self.height {
      let label = row == 0 ? top : row == Self.height / 2 ? top - Self.range / 2 : nil
      let text = label.map { String(Int($0)).replacing("-", with: String(glyphs.minus)) } ?? ""
      let mark = label == nil ? glyphs.vertical : glyphs.leftMark
      var cells = ""
      for band in shown {
        let glyph = glyph(band.level, row: row, top: top)
        cells += String(repeating: glyph, count: bar) + String(repeating: " ", count: width - bar)
      }
      let trimmed = String(cells.reversed().drop { $0 == " " }.reversed())
      let left = text.leftPadded(to: Self.labelWidth - 1) + " \(mark)"
      lines.append((painter(left, .dim) + painter(trimmed, .cyan), left.count + trimmed.count))
    }
    let labels = labels(shown.map(\.center), width: width, bar: bar, unit: state.unit)
    lines.append((painter(labels, .dim), labels.count))
    return lines
  }

  private func glyph(_ level: Double, row: Int, top: Double) -> Character {
    guard level.isFinite else { return " " }
    let fraction = min(1, max(0, 1 - (top - level) / Self.range))
    let eighths = Int((fraction * Double(Self.height * 8)).rounded()) - (Self.height - 1 - row) * 8
    return eighths <= 0 ? " " : glyphs.bars[min(8, eighths) - 1]
  }

  /// The unit under the levels, and the frequencies of the bands as far as they fit, the first one of an octave before others.
  private func labels(_ centers: [Double], width: Int, bar: Int, unit: String) -> String {
    var row = Array(unit.leftPadded(to: Self.labelWidth - 1) + "  ")
    for (index, center) in centers.enumerated() {
      let name = MeterNumbers.band(center)
      let start = Self.labelWidth + 1 + index * width
      // In thirds of octaves only every third band is named: 31.5, 63, 125, ...
      let isOctave = abs((log2(center / 1_000)).rounded() - log2(center / 1_000)) < 0.1
      let isCrowded = width < 6 && !isOctave
      guard !isCrowded, row.count <= start, start + name.count <= profile.columns else { continue }
      row += Array(repeating: " ", count: start - row.count) + Array(name) + [" "]
    }
    return String(String(row).reversed().drop { $0 == " " }.reversed())
  }
}
