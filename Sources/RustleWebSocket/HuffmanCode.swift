#if WebSocket
/// A prefix code of deflate (RFC 1951, section 3.2.2).
struct HuffmanCode: Sendable {
  /// A code of up to so many bits is found in one step.
  private static let fastBits = 9
  /// The longest code.
  static let maximumLength = 15

  /// The symbol and the length of the code, `symbol << 4 | length`, by the next bits; 0: a longer or no code.
  private var fast = [UInt16](repeating: 0, count: 1 << Self.fastBits)
  /// The number of codes of each length.
  private var counts = [Int](repeating: 0, count: Self.maximumLength + 1)
  /// The symbols in the order of their codes.
  private var symbols: [UInt16] = []

  /// Creates the code of symbols with these lengths, 0 for one that does not occur.
  ///
  /// - Returns: nil when the lengths make no code. An incomplete one is accepted as zlib does, where its longest code has one bit.
  init?(lengths: ArraySlice<UInt8>) {
    for length in lengths { counts[Int(length)] += 1 }
    counts[0] = 0
    var left = 1
    var firsts = [Int](repeating: 0, count: Self.maximumLength + 2)
    var offsets = firsts
    for length in 1...Self.maximumLength {
      left = left << 1 - counts[length]
      if left < 0 { return nil }
      firsts[length + 1] = (firsts[length] + counts[length]) << 1
      offsets[length + 1] = offsets[length] + counts[length]
    }
    if left > 0, offsets[Self.maximumLength + 1] > counts[1] { return nil }
    symbols = [UInt16](repeating: 0, count: offsets[Self.maximumLength + 1])
    for symbol in 0..<lengths.count {
      let length = Int(lengths[lengths.startIndex + symbol])
      if length == 0 { continue }
      symbols[offsets[length]] = UInt16(symbol)
      offsets[length] += 1
      if length <= Self.fastBits { add(symbol, firsts[length], length) }
      firsts[length] += 1
    }
  }

  private mutating func add(_ symbol: Int, _ code: Int, _ length: Int) {
    // The first bit of a code is the lowest of the stream.
    var reversed = 0
    for bit in 0..<length { reversed |= (code >> bit & 1) << (length - 1 - bit) }
    while reversed < fast.count {
      fast[reversed] = UInt16(symbol << 4 | length)
      reversed += 1 << length
    }
  }

  /// The symbol of the code that these bits begin with, and its length; nil: there is none.
  func symbol(_ bits: UInt64) -> (symbol: Int, length: Int)? {
    let entry = fast[Int(bits & UInt64(fast.count - 1))]
    if entry != 0 { return (Int(entry >> 4), Int(entry & 15)) }
    var (code, first, index) = (0, 0, 0)
    for length in 1...Self.maximumLength {
      code |= Int(bits >> UInt64(length - 1) & 1)
      let count = counts[length]
      if code - first < count { return (Int(symbols[index + code - first]), length) }
      (index, first, code) = (index + count, (first + count) << 1, code << 1)
    }
    return nil
  }

  /// The code of literals and lengths, and that of distances, of a block that brings none (section 3.2.6).
  static let fixed = (
    literals: HuffmanCode(lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }[...]),
    distances: HuffmanCode(lengths: [UInt8](repeating: 5, count: 32)[...])
  )
}
#endif
