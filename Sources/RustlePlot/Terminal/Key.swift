/// A key of a terminal.
package enum Key: Equatable, Sendable {
  case quit, pause, help
  /// The letter r: restart, or the right channel in the equalizer.
  case restart
  case up, down, left, right
  /// A screen up or down, and to the beginning or the end.
  case pageUp, pageDown, home, end
  /// Another letter, in lower case, a digit, or a plus or minus sign.
  case letter(Character)

  /// Parses the keys in bytes read from a terminal. Other escape sequences are skipped whole, so that their letters are
  /// not taken for keys.
  package static func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key?] = []
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      guard byte == 0x1B else {
        keys.append(byte == 0x04 ? .quit : key(of: Character(Unicode.Scalar(byte)).lowercased()))
        continue
      }
      // "ESC [" or "ESC O", then parameters, then a final byte from 0x40 on (ECMA-48, section 5.4).
      guard let second = iterator.next(), second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { continue }
      var sequence = ""
      while let next = iterator.next() {
        sequence.unicodeScalars.append(Unicode.Scalar(next))
        if next >= 0x40 { break }
      }
      keys.append(sequences[sequence])
    }
    return keys.compactMap(\.self)
  }

  private static func key(of text: String) -> Key? {
    switch text {
    case "q": .quit
    case " ": .pause
    case "r": .restart
    case "?": .help
    // Plus is on the key of the equals sign, behind the shift key.
    case "+", "=": .letter("+")
    case "-", "a"..."z", "0"..."9": .letter(Character(text))
    default: nil
    }
  }

  /// The final bytes of the cursor keys (ECMA-48, sections 8.3.18 to 8.3.22), those of xterm's Home and End, and the numbered
  /// sequences of a VT220.
  private static let sequences: [String: Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "1~": .home, "7~": .home, "4~": .end,
    "8~": .end, "5~": .pageUp, "6~": .pageDown,
  ]
}
