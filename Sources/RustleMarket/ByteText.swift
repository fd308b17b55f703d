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

  package mutating func append(_ number: UInt64) { append(digits: number, fraction: 0) }

  package mutating func append(_ number: Int64) {
    if number < 0 { append("-") }
    append(digits: number.magnitude, fraction: 0)
  }

  /// Appends every digit, trailing zeros included.
  package mutating func append(_ number: ExactDecimal) {
    if number.units < 0 { append("-") }
    append(digits: number.units.magnitude, fraction: number.scale)
  }

  /// Appends a number's digits, `fraction` of them after a point and at least one before it.
  private mutating func append(digits number: UInt64, fraction: Int) {
    let start = bytes.count
    var (rest, count) = (number, 0)
    // From the last digit to the first.
    repeat {
      if count == fraction, count > 0 { bytes.append(UInt8(ascii: ".")) }
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      count += 1
    } while rest > 0 || count <= fraction
    bytes[start...].reverse()
  }

  /// Appends a JSON string with its quotation marks (RFC 8259, section 7).
  package mutating func append(json string: String) {
    append("\"")
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
    append("\"")
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
    let special = [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13]
    guard cell.utf8.contains(where: special.contains) else { return append(cell) }
    append("\"")
    for byte in cell.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    append("\"")
  }
}
