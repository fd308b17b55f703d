#if WebSocket
/// Decompresses the messages of a connection (RFC 7692, section 7.2.2; deflate: RFC 1951), each as a whole.
///
/// In Swift, and not zlib: it reads what a stranger sent, without a pointer, and needs no system library.
struct Inflater: Sendable {
  enum Failure: Error {
    case malformed
    /// The message has more bytes than its limit.
    case tooLong
  }

  /// The farthest distance of a copy.
  private static let window = 32_768
  /// What the sender removed from the end of a message.
  private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]

  private let keepsContext: Bool
  /// The bytes of this message from `start` on, after those of earlier ones.
  private var output: [UInt8] = []
  private var start = 0
  private var limit = 0
  private var input: [UInt8] = []
  private var next = 0
  private var bits: UInt64 = 0
  private var bitCount = 0

  /// - Parameter keepsContext: whether a message refers to earlier ones.
  init(keepsContext: Bool = true) { self.keepsContext = keepsContext }

  /// Returns the bytes of the message that was compressed to `bytes`.
  ///
  /// - Parameter limit: the maximum size of the message in bytes.
  mutating func message(_ bytes: [UInt8], limit: Int) throws(Failure) -> ArraySlice<UInt8> {
    if !keepsContext {
      output.removeAll(keepingCapacity: true)
    } else if output.count > 4 * Self.window {
      // A long message is not kept.
      output = Array(output.suffix(Self.window))
    }
    (input, self.limit, start) = (bytes + Self.tail, limit, output.count)
    (next, bits, bitCount) = (0, 0, 0)
    while bitCount > 0 || next < input.count { try block() }
    return output[start...]
  }

  // MARK: Bits

  private mutating func refill() {
    while bitCount <= 56, next < input.count {
      bits |= UInt64(input[next]) << UInt64(bitCount)
      (next, bitCount) = (next + 1, bitCount + 8)
    }
  }

  private mutating func skip(_ count: Int) throws(Failure) {
    if count > bitCount { throw .malformed }
    bits >>= UInt64(count)
    bitCount -= count
  }

  /// The next bits, at most 16, the first of which is the lowest.
  private mutating func take(_ count: Int) throws(Failure) -> Int {
    if bitCount < count { refill() }
    let value = Int(bits & (1 << UInt64(count) - 1))
    try skip(count)
    return value
  }

  private mutating func symbol(_ code: HuffmanCode) throws(Failure) -> Int {
    if bitCount < HuffmanCode.maximumLength { refill() }
    guard let (symbol, length) = code.symbol(bits) else { throw .malformed }
    try skip(length)
    return symbol
  }

  // MARK: Blocks (RFC 1951, section 3.2.3)

  private mutating func block() throws(Failure) {
    let isLast = try take(1) == 1
    switch try take(2) {
    case 0: try stored()
    case 1:
      guard let literals = HuffmanCode.fixed.literals, let distances = HuffmanCode.fixed.distances else {
        throw .malformed
      }
      try compressed(literals, distances)
    case 2: try dynamic()
    default: throw .malformed
    }
    // The message goes on at the next byte (RFC 7692, section 7.2.3.4).
    if isLast { try skip(bitCount % 8) }
  }

  private mutating func stored() throws(Failure) {
    try skip(bitCount % 8)
    let (count, check) = (try take(16), try take(16))
    guard count == check ^ 0xFFFF else { throw .malformed }
    // The bytes that were read ahead.
    next -= bitCount / 8
    (bits, bitCount) = (0, 0)
    guard count <= input.count - next else { throw .malformed }
    try checkRoom(count)
    output += input[next..<next + count]
    next += count
  }

  private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// A block that brings its codes (section 3.2.7).
  private mutating func dynamic() throws(Failure) {
    let (literals, distances) = (try take(5) + 257, try take(5) + 1)
    guard literals <= 286, distances <= 30 else { throw .malformed }
    var codeLengths = [UInt8](repeating: 0, count: 19)
    for place in Self.lengthOrder.prefix(try take(4) + 4) { codeLengths[place] = UInt8(try take(3)) }
    guard let lengthCode = HuffmanCode(lengths: codeLengths[...]) else { throw .malformed }
    var lengths: [UInt8] = []
    while lengths.count < literals + distances {
      let (length, count): (UInt8, Int)
      switch try symbol(lengthCode) {
      case 16:
        guard let last = lengths.last else { throw .malformed }
        (length, count) = (last, 3 + (try take(2)))
      case 17: (length, count) = (0, 3 + (try take(3)))
      case 18: (length, count) = (0, 11 + (try take(7)))
      case let symbol: (length, count) = (UInt8(symbol), 1)
      }
      for _ in 0..<count { lengths.append(length) }
    }
    // A block ends with 256.
    guard lengths.count == literals + distances, lengths[256] > 0,
      let literalCode = HuffmanCode(lengths: lengths[..<literals]),
      let distanceCode = HuffmanCode(lengths: lengths[literals...])
    else { throw .malformed }
    try compressed(literalCode, distanceCode)
  }

  /// The lengths of 257 to 285, and their additional bits (section 3.2.5).
  private static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]

  private mutating func compressed(_ literals: HuffmanCode, _ distances: HuffmanCode) throws(Failure) {
    while true {
      let code = try symbol(literals)
      if code == 256 { return }
      guard code > 256 else {
        try checkRoom(1)
        output.append(UInt8(code))
        continue
      }
      guard code - 257 < Self.lengthBases.count else { throw .malformed }
      let length = Self.lengthBases[code - 257] + (try take(Self.lengthBits[code - 257]))
      let distance = try distance(distances)
      guard distance <= output.count else { throw .malformed }
      try checkRoom(length)
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  private mutating func distance(_ code: HuffmanCode) throws(Failure) -> Int {
    let symbol = try symbol(code)
    guard symbol < 30 else { throw .malformed }
    if symbol < 2 { return symbol + 1 }
    let extra = symbol / 2 - 1
    return (2 + symbol % 2) << extra + 1 + (try take(extra))
  }

  private func checkRoom(_ count: Int) throws(Failure) {
    if output.count - start + count > limit { throw .tooLong }
  }
}
#endif
