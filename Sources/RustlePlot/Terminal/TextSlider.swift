/// The knob of a slider in characters.
public struct TextSlider: Sendable, Hashable {
  /// The character of the knob.
  public var mark: Character
  /// The position of the knob, -1 at the lower end to 1 at the upper one; beyond, it stands at that end.
  public var position: Double
  /// Whether the slider is painted, as the one that a key moves.
  public var isChosen: Bool

  /// - Parameters:
  ///   - mark: see ``mark``.
  ///   - position: see ``position``.
  ///   - isChosen: see ``isChosen``.
  public init(_ mark: Character, at position: Double, isChosen: Bool = false) {
    self.mark = mark
    self.position = position
    self.isChosen = isChosen
  }
}

extension Glyphs {
  /// Vertical sliders side by side, with a mark in their middles.
  ///
  /// - Parameters:
  ///   - sliders: in groups with a space between two sliders; nil leaves the place of a slider empty.
  ///   - rows: an odd number, 3 or more.
  ///   - columns: the width of a group, 5 or more, with spaces before its sliders.
  /// - Returns: of each row, the highest first, parts of a text and whether they are of a chosen slider. A row has no space at its
  ///   end.
  public func sliders(_ sliders: [[TextSlider?]], rows: Int, columns: Int = 5) -> [[(text: String, isChosen: Bool)]] {
    (0..<rows).map { row in
      let line = row == rows / 2 ? horizontal : vertical
      var parts: [(text: String, isChosen: Bool)] = []
      var blanks = ""
      for group in sliders {
        blanks += String(repeating: " ", count: columns - 4)
        for slider in group {
          blanks += " "
          guard let slider else {
            blanks += " "
            continue
          }
          let knob = Int(((1 - min(max(slider.position, -1), 1)) / 2 * Double(rows - 1)).rounded())
          parts += [(blanks, false), (String(row == knob ? slider.mark : line), slider.isChosen)]
          blanks = ""
        }
      }
      return parts
    }
  }
}

/// Numbers in characters, five lines high.
public enum BigDigits {
  /// Five rows of three pixels, the leftmost one in the highest bit.
  private static let shapes: [Character: [UInt8]] = [
    "0": [0b111, 0b101, 0b101, 0b101, 0b111], "1": [0b010, 0b110, 0b010, 0b010, 0b111],
    "2": [0b111, 0b001, 0b111, 0b100, 0b111], "3": [0b111, 0b001, 0b111, 0b001, 0b111],
    "4": [0b101, 0b101, 0b111, 0b001, 0b001], "5": [0b111, 0b100, 0b111, 0b001, 0b111],
    "6": [0b111, 0b100, 0b111, 0b101, 0b111], "7": [0b111, 0b001, 0b010, 0b010, 0b010],
    "8": [0b111, 0b101, 0b111, 0b101, 0b111], "9": [0b111, 0b101, 0b111, 0b001, 0b111],
    "-": [0b000, 0b000, 0b111, 0b000, 0b000], ".": [0b000, 0b000, 0b000, 0b000, 0b010],
  ]
  /// The height in lines.
  public static let height = 5

  /// The number in five lines, or a multiple, each pixel two columns wide and a line high, or that multiple of both.
  ///
  /// - Parameters:
  ///   - number: digits, a point and a minus sign; other characters are left out.
  ///   - mark: the character of a pixel.
  ///   - scale: 1 or more.
  public static func lines(_ number: String, mark: Character, scale: Int = 1) -> [String] {
    (0..<height * scale).map { row in
      let digits = number.compactMap { shapes[$0]?[row / scale] }.map { pixels($0, mark, 2 * scale) }
      return digits.joined(separator: String(repeating: " ", count: 2 * scale))
    }
  }

  private static func pixels(_ bits: UInt8, _ mark: Character, _ width: Int) -> String {
    [0b100, 0b010, 0b001].map { String(repeating: bits & $0 == 0 ? " " : mark, count: width) }.joined()
  }
}
