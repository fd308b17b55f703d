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
