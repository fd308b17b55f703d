/// A small, slow decompressor for tests (RFC 1951), so that a PNG file is checked without the library that wrote it.
struct Inflate {
  struct Malformed: Error {}

  private var input: ArraySlice<UInt8>
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var output: [UInt8] = []

  /// Decompresses a raw deflate stream.
  static func decompress(_ input: ArraySlice<UInt8>) throws -> [UInt8] {
    var state = Inflate(input: input)
    while try !state.block() {}
    return state.output
  }

  private init(input: ArraySlice<UInt8>) { self.input = input }

  private mutating func take(_ count: Int) throws -> Int {
    while bitCount < count {
      guard let byte = input.popFirst() else { throw Malformed() }
      bits |= UInt32(byte) << UInt32(bitCount)
      bitCount += 8
    }
    let value = Int(bits & ((1 << UInt32(count)) - 1))
    bits >>= UInt32(count)
    bitCount -= count
    return value
  }

  /// Codes by length and then by value; section 3.2.2.
  private struct Huffman {
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    init(lengths: [Int]) {
      for length in 1..<16 {
        for (symbol, itsLength) in lengths.enumerated() where itsLength == length {
          counts[length] += 1
          symbols.append(symbol)
        }
      }
    }
  }

  private mutating func symbol(_ code: Huffman) throws -> Int {
    var value = 0
    var first = 0
    var index = 0
    for length in 1..<16 {
      value |= try take(1)
      let count = code.counts[length]
      if value - first < count { return code.symbols[index + value - first] }
      index += count
      first = (first + count) << 1
      value <<= 1
    }
    throw Malformed()
  }

  /// Reads one block; true when it was the last.
  private mutating func block() throws -> Bool {
    let isLast = try take(1) == 1
    switch try take(2) {
    case 0: try stored()
    case 1:
      let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
      try compressed(Huffman(lengths: lengths), Huffman(lengths: [Int](repeating: 5, count: 30)))
    case 2: try dynamic()
    default: throw Malformed()
    }
    return isLast
  }

  private mutating func stored() throws {
    (bits, bitCount) = (0, 0)
    let count = try take(16)
    _ = try take(16)
    for _ in 0..<count { output.append(UInt8(try take(8))) }
  }

  private mutating func dynamic() throws {
    let literals = try take(5) + 257
    let distances = try take(5) + 1
    let codes = try take(4) + 4
    var codeLengths = [Int](repeating: 0, count: 19)
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    for place in order.prefix(codes) { codeLengths[place] = try take(3) }
    let lengthCode = Huffman(lengths: codeLengths)
    var lengths: [Int] = []
    while lengths.count < literals + distances {
      switch try symbol(lengthCode) {
      case 16: lengths += [Int](repeating: lengths.last ?? 0, count: 3 + (try take(2)))
      case 17: lengths += [Int](repeating: 0, count: 3 + (try take(3)))
      case 18: lengths += [Int](repeating: 0, count: 11 + (try take(7)))
      case let length: lengths.append(length)
      }
    }
    try compressed(Huffman(lengths: Array(lengths[..<literals])), Huffman(lengths: Array(lengths[literals...])))
  }

  private mutating func compressed(_ literals: Huffman, _ distances: Huffman) throws {
    let lengthBase = [
      3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
    ]
    let lengthExtra = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
    while true {
      let code = try symbol(literals)
      if code == 256 { return }
      if code < 256 {
        output.append(UInt8(code))
        continue
      }
      let length = lengthBase[code - 257] + (try take(lengthExtra[code - 257]))
      let distanceCode = try symbol(distances)
      let extra = max(0, distanceCode / 2 - 1)
      let base = distanceCode < 2 ? distanceCode + 1 : (2 + distanceCode % 2) << extra + 1
      let distance = base + (try take(extra))
      guard distance <= output.count else { throw Malformed() }
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }
}
