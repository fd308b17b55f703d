import RustleMarket

/// Text that is assembled as bytes, without a string for each record.
struct ByteText: Sendable {
  /// UTF-8.
  private(set) var bytes: [UInt8] = []

  /// The text as a string.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Removes the text and keeps its capacity.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ utf8: [UInt8]) { bytes.append(contentsOf: utf8) }

  /// Appends a byte of UTF-8.
  mutating func append(byte: UInt8) { bytes.append(byte) }

  mutating func append(_ number: UInt64) { append(digits: number, fraction: 0) }

  mutating func append(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    append(digits: number.magnitude, fraction: 0)
  }

  /// Appends every digit, trailing zeros included.
  mutating func append(_ number: ExactDecimal) {
    if number.units < 0 { bytes.append(UInt8(ascii: "-")) }
    append(digits: number.units.magnitude, fraction: number.scale)
  }

  /// Appends a number's digits, `fraction` of them after a point and at least one before it.
  private mutating func append(digits number: UInt64, fraction: Int) {
    var count = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    count = max(count, fraction + 1)
    let length = fraction == 0 ? count : count + 1
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "."), count: length))
    rest = number
    var place = start + length - 1
    for index in 0..<count {
      if index == fraction && fraction > 0 { place -= 1 }
      bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      place -= 1
    }
  }
}
