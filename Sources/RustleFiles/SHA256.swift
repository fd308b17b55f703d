/// The hash function SHA-256 (FIPS 180-4, section 6.2) of bytes that come in pieces.
///
/// Foundation has none on Linux, and a library for it alone would be one more that every installed command needs.
package struct SHA256: Sendable {
  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2).
  private static let constants = primes.map { fraction(of: $0, root: 3) }
  private static let primes = (2...311).filter { number in !(2..<number).contains { number.isMultiple(of: $0) } }

  /// Those of the square roots of the first eight (section 5.3.3).
  private var state = primes.prefix(8).map { fraction(of: $0, root: 2) }
  private var block: [UInt8] = []
  private var schedule = [UInt32](repeating: 0, count: 64)
  private var count: UInt64 = 0

  /// Creates the hash of no bytes.
  package init() { block.reserveCapacity(64) }

  /// The first 32 bits of the fractional part of a number's root, by halving the interval in integers.
  private static func fraction(of number: Int, root: Int) -> UInt32 {
    // The root times 2^32 has at most 37 bits: its square fits into 128.
    var (low, high): (UInt128, UInt128) = (0, 1 << 37)
    while high - low > 1 {
      let middle = (low + high) / 2
      let isBelow =
        root == 2 ? middle * middle <= UInt128(number) << 64 : middle * middle * middle <= UInt128(number) << 96
      if isBelow { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
  }

  package mutating func update(_ bytes: [UInt8]) {
    count += UInt64(bytes.count)
    var position = 0
    if !block.isEmpty {
      position = min(64 - block.count, bytes.count)
      block += bytes[..<position]
      guard block.count == 64 else { return }
      let full = block
      Self.compress(full.span, from: 0, &schedule, &state)
      block.removeAll(keepingCapacity: true)
    }
    let span = bytes.span
    while position + 64 <= bytes.count {
      Self.compress(span, from: position, &schedule, &state)
      position += 64
    }
    block += bytes[position...]
  }

  /// The hash in hexadecimal digits. The value is not to be used after it.
  package consuming func finish() -> String {
    let bits = count * 8
    let padding = [0x80] + [UInt8](repeating: 0, count: (119 - Int(count % 64)) % 64)
    update(padding + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
    return state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  private static func compress(
    _ bytes: Span<UInt8>, from start: Int, _ schedule: inout [UInt32], _ state: inout [UInt32]
  ) {
    func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }
    let constants = constants.span
    var words = schedule.mutableSpan
    for index in 0..<16 {
      let at = start &+ 4 &* index
      words[index] =
        UInt32(bytes[at]) &<< 24 | UInt32(bytes[at &+ 1]) &<< 16 | UInt32(bytes[at &+ 2]) &<< 8 | UInt32(bytes[at &+ 3])
    }
    for index in 16..<64 {
      let (early, late) = (words[index &- 15], words[index &- 2])
      let first = rotated(early, 7) ^ rotated(early, 18) ^ early &>> 3
      let second = rotated(late, 17) ^ rotated(late, 19) ^ late &>> 10
      words[index] = words[index &- 16] &+ first &+ words[index &- 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let first = h &+ mixed &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
      let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }
}

extension SHA256 {
  /// The authentication code of a message by a key (HMAC, RFC 2104) in hexadecimal digits.
  package static func tag(of message: [UInt8], key: [UInt8]) -> String {
    let key = key.count > 64 ? hash(of: key) : key
    let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
    var outer = Self()
    outer.update(padded.map { $0 ^ 0x5c })
    outer.update(hash(of: padded.map { $0 ^ 0x36 } + message))
    return outer.finish()
  }

  /// The hash as bytes.
  private static func hash(of bytes: [UInt8]) -> [UInt8] {
    var hash = Self()
    hash.update(bytes)
    let digits = Array(hash.finish().utf8)
    let value = { (digit: UInt8) in digit <= UInt8(ascii: "9") ? digit - 48 : digit - 87 }
    return stride(from: 0, to: digits.count, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
  }
}
