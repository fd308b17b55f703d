/// A key that the live views know.
enum Key: Equatable, Sendable {
  case quit, pause, restart, help

  /// The keys in bytes read from a terminal. Escape sequences (arrows and the like) are skipped whole, so that their
  /// letters are not taken for keys.
  static func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case 0x1B:
        // "ESC [" or "ESC O", then parameters, then a final byte from 0x40 on (ECMA-48, section 5.4).
        guard let second = iterator.next(), second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { continue }
        while let next = iterator.next(), next < 0x40 {}
      case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x04: keys.append(.quit)
      case UInt8(ascii: " "): keys.append(.pause)
      case UInt8(ascii: "r"), UInt8(ascii: "R"): keys.append(.restart)
      case UInt8(ascii: "?"): keys.append(.help)
      default: break
      }
    }
    return keys
  }
}
