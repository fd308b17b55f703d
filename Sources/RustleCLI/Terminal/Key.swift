/// A key that the live views know.
enum Key: Equatable, Sendable {
  case quit, pause, help
  /// The letter r, which restarts what counts and chooses the right channel of what has one.
  case restart
  case up, down, left, right
  /// Another letter, in lower case, a digit, or a plus or minus sign.
  case letter(Character)

  /// The keys in bytes read from a terminal. Escape sequences other than those of arrows are skipped whole, so that their
  /// letters are not taken for keys.
  static func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case 0x1B:
        // "ESC [" or "ESC O", then parameters, then a final byte from 0x40 on (ECMA-48, section 5.4).
        guard let second = iterator.next(), second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { continue }
        var isPlain = true
        var last = iterator.next()
        while let next = last, next < 0x40 {
          isPlain = false
          last = iterator.next()
        }
        if isPlain, let last, let arrow = arrows[last] { keys.append(arrow) }
      case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x04: keys.append(.quit)
      case UInt8(ascii: " "): keys.append(.pause)
      case UInt8(ascii: "r"), UInt8(ascii: "R"): keys.append(.restart)
      case UInt8(ascii: "?"): keys.append(.help)
      // Plus is on the key of the equals sign, behind the shift key.
      case UInt8(ascii: "+"), UInt8(ascii: "="): keys.append(.letter("+"))
      case UInt8(ascii: "-"): keys.append(.letter("-"))
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): keys.append(.letter(Character(Unicode.Scalar(byte + 0x20))))
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        keys.append(.letter(Character(Unicode.Scalar(byte))))
      default: break
      }
    }
    return keys
  }

  /// The final bytes of the cursor keys (ECMA-48, sections 8.3.18 to 8.3.22).
  private static let arrows: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
  ]
}
