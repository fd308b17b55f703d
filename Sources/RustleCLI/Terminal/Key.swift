import Foundation

/// A key of the live views.
enum Key: Equatable, Sendable {
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
  static func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case 0x1B:
        // "ESC [" or "ESC O", then parameters, then a final byte from 0x40 on (ECMA-48, section 5.4).
        guard let second = iterator.next(), second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { continue }
        var parameters: [UInt8] = []
        var last = iterator.next()
        while let next = last, next < 0x40 {
          parameters.append(next)
          last = iterator.next()
        }
        if let last, let key = parameters.isEmpty ? plain[last] : numbered[parameters + [last]] { keys.append(key) }
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

  /// The final bytes of the cursor keys (ECMA-48, sections 8.3.18 to 8.3.22), and those of xterm's Home and End.
  private static let plain: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
  ]
  /// The numbered sequences of a VT220.
  private static let numbered: [[UInt8]: Key] = [
    Array("1~".utf8): .home, Array("7~".utf8): .home, Array("4~".utf8): .end, Array("8~".utf8): .end,
    Array("5~".utf8): .pageUp, Array("6~".utf8): .pageDown,
  ]
}

/// Reads the keys of standard input.
enum Keyboard {
  /// The keys as they are pressed. Ends when standard input does; dropping it stops the reading.
  static func keys() -> AsyncStream<Key> {
    let (stream, continuation) = AsyncStream.makeStream(of: Key.self)
    let input = FileHandle.standardInput
    input.readabilityHandler = { input in
      // The handler is called when bytes are available, so that this does not block; no bytes mean the end.
      let bytes = input.availableData
      if bytes.isEmpty { return continuation.finish() }
      for key in Key.keys(in: bytes) { continuation.yield(key) }
    }
    continuation.onTermination = { _ in input.readabilityHandler = nil }
    return stream
  }
}
