/// A line that is typed without echo, of which the keys come as they are: those that erase too.
struct HiddenLine {
  private var bytes: [UInt8] = []

  /// What was typed.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Takes a byte of the terminal. True: the line has ended.
  mutating func take(_ byte: UInt8) -> Bool {
    switch byte {
    // Return, and Ctrl-D.
    case 0x0A, 0x0D, 0x04: return true
    // Backspace, as terminals send it.
    case 0x7F, 0x08: bytes = Array(text.dropLast().utf8)
    // Ctrl-U.
    case 0x15: bytes = []
    // Ctrl-W: the last word, and the spaces behind it.
    case 0x17:
      while bytes.last == 0x20 { bytes.removeLast() }
      while let last = bytes.last, last != 0x20 { bytes.removeLast() }
    default: bytes.append(byte)
    }
    return false
  }
}
