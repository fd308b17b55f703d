/// Text that is assembled as bytes, without a string for each value.
package struct ByteText: Sendable {
  /// UTF-8.
  package private(set) var bytes: [UInt8] = []

  /// Creates an empty text.
  package init() {}

  /// The text as a string.
  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Removes the text and keeps its capacity.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  package mutating func appendComma() { bytes.append(UInt8(ascii: ",")) }

  package mutating func append(_ number: UInt64) { append(digits: number, fraction: 0) }

  package mutating func append(_ number: Int64) {
    if number < 0 { append("-") }
    append(digits: number.magnitude, fraction: 0)
  }

  /// Appends a number's digits, `fraction` of them after a point and at least one before it.
  package mutating func append(digits number: UInt64, fraction: Int) {
    var (count, bound) = (1, UInt64(10))
    while number >= bound, count < 20 {
      count += 1
      bound = count < 20 ? bound * 10 : .max
    }
    count = max(count, fraction + 1)
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "."), count: fraction > 0 ? count + 1 : count))
    // From the last digit to the first, past the point.
    var (rest, at) = (number, bytes.count)
    var span = bytes.mutableSpan
    for digit in 0..<count {
      at -= digit == fraction && digit > 0 ? 2 : 1
      span[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  /// Appends a JSON string with its quotation marks (RFC 8259, section 7).
  package mutating func append(json string: String) {
    append("\"")
    defer { append("\"") }
    let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { return append(string) }
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      case 0..<0x20: append((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16))
      default: bytes.append(byte)
      }
    }
  }

  /// Appends a field in milliseconds, or in nanoseconds where it is not a whole number of milliseconds.
  package mutating func append(nanoseconds: Int64, milli: String, nano: String) {
    let (milliseconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    append(rest == 0 ? milli : nano)
    append(rest == 0 ? milliseconds : nanoseconds)
  }

  /// Appends a number as JSON, which has no infinities: `null` for those.
  package mutating func append(json number: Double) { append(number.isFinite ? number.description : "null") }

  /// Appends a number as a cell of CSV, empty when it is not finite.
  package mutating func append(csv number: Double) { if number.isFinite { append(number.description) } }

  /// Appends a cell of CSV. One with a comma, a quote or a line break is quoted (RFC 4180, section 2).
  package mutating func append(csv cell: String) {
    let isSpecial = { (byte: UInt8) in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 10 || byte == 13
    }
    guard cell.utf8.contains(where: isSpecial) else { return append(cell) }
    append("\"")
    for byte in cell.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    append("\"")
  }
}
