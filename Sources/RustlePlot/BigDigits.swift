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

  /// The number in five lines, each pixel two columns wide.
  ///
  /// - Parameters:
  ///   - number: digits, a point and a minus sign; other characters are left out.
  ///   - mark: the character of a pixel.
  public static func lines(_ number: String, mark: Character) -> [String] {
    (0..<height).map { row in
      let digits = number.compactMap { shapes[$0]?[row] }.map { pixels($0, mark) }
      return digits.joined(separator: "  ")
    }
  }

  private static func pixels(_ bits: UInt8, _ mark: Character) -> String {
    var text = ""
    for mask: UInt8 in [0b100, 0b010, 0b001] { text += bits & mask == 0 ? "  " : String(repeating: mark, count: 2) }
    return text
  }
}
