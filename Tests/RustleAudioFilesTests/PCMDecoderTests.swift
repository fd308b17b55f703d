import Foundation
import RustleAudioFiles
import TestSupport
import Testing

@Suite struct PCMDecoderTests {
  static func decode(_ bytes: [UInt8], _ encoding: PCMEncoding) -> [Float] {
    var decoder = PCMDecoder(encoding: encoding, channels: 1)
    var samples: [Float] = [9]
    decoder.decode(bytes, into: &samples)
    return samples
  }

  /// The bytes of a pattern in the order of the encoding.
  static func bytes(of pattern: UInt64, _ encoding: PCMEncoding) -> [UInt8] {
    let lowestFirst = (0..<encoding.bytes).map { UInt8(truncatingIfNeeded: pattern >> UInt64(8 * $0)) }
    return encoding.rawValue.hasSuffix("be") ? lowestFirst.reversed() : lowestFirst
  }

  @Test func eachEncodingHasItsSize() {
    #expect(PCMEncoding.allCases.map(\.bytes) == [1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 8, 8])
    #expect(PCMEncoding(rawValue: "s24be") == .s24be)
  }

  @Test func everyByteIsDecoded() {
    let all = (0...255).map { UInt8($0) }
    #expect(Self.decode(all, .u8) == all.map { (Float($0) - 128) / 128 })
    #expect(Self.decode(all, .s8) == all.map { Float(Int8(bitPattern: $0)) / 128 })
  }

  @Test(arguments: [PCMEncoding.s16le, .s16be]) func everyIntegerOf16BitsIsDecoded(encoding: PCMEncoding) {
    let all = (Int16.min...Int16.max).map { $0 }
    let bytes = all.flatMap { Self.bytes(of: UInt64(UInt16(bitPattern: $0)), encoding) }
    #expect(Self.decode(bytes, encoding) == all.map { Float($0) / 32_768 })
  }

  /// Each of the three bytes takes all its values, and the edges of the range are there.
  @Test(arguments: [PCMEncoding.s24le, .s24be]) func integersOf24BitsAreDecoded(encoding: PCMEncoding) {
    var numbers = [-8_388_608, -8_388_607, -65_537, -65_536, -256, -1, 0, 1, 255, 256, 65_535, 65_536, 8_388_607]
    numbers += stride(from: -8_388_608, through: 8_388_607, by: 257)
    let bytes = numbers.flatMap { Self.bytes(of: UInt64(UInt32(truncatingIfNeeded: $0) & 0xFF_FFFF), encoding) }
    #expect(Self.decode(bytes, encoding) == numbers.map { Float($0) / 8_388_608 })
  }

  @Test(arguments: [PCMEncoding.s32le, .s32be]) func integersOf32BitsAreRoundedToFloats(encoding: PCMEncoding) {
    var numbers = [Int32.min, Int32.min + 1, -16_777_217, -1, 0, 1, 16_777_217, Int32.max - 1, Int32.max]
    numbers += stride(from: Int32.min, through: Int32.max, by: 16_777_213)
    let bytes = numbers.flatMap { Self.bytes(of: UInt64(UInt32(bitPattern: $0)), encoding) }
    #expect(Self.decode(bytes, encoding) == numbers.map { Float($0) / 2_147_483_648 })
  }

  @Test(arguments: [PCMEncoding.f32le, .f32be, .f64le, .f64be])
  func floatsArePassedOnWithThoseThatAreNoNumbers(encoding: PCMEncoding) {
    let numbers: [Float] = [0, -0.0, 1, -1, 2.5, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, 0.1]
    let bytes = numbers.flatMap { number in
      Self.bytes(of: encoding.bytes == 4 ? UInt64(number.bitPattern) : Double(number).bitPattern, encoding)
    }
    let decoded = Self.decode(bytes, encoding)
    #expect(decoded.map(\.bitPattern) == numbers.map(\.bitPattern))
  }

  @Test func aDoubleIsRoundedToTheNearestFloat() {
    #expect(Self.decode(Self.bytes(of: (0.1).bitPattern, .f64be), .f64be) == [0.1])
    #expect(Self.decode(Self.bytes(of: (1e300).bitPattern, .f64le), .f64le) == [.infinity])
  }

  @Test(arguments: PCMEncoding.allCases, [1, 3]) func piecesOfAnyLengthJoin(encoding: PCMEncoding, channels: Int) {
    let bytes = (0..<encoding.bytes * channels * 5).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    let whole = Self.decode(bytes, encoding)
    for piece in 1...bytes.count {
      var decoder = PCMDecoder(encoding: encoding, channels: channels)
      var joined: [Float] = []
      var samples: [Float] = []
      for first in stride(from: 0, to: bytes.count, by: piece) {
        decoder.decode(bytes[first..<min(first + piece, bytes.count)], into: &samples)
        #expect(samples.count.isMultiple(of: channels))
        #expect(decoder.pendingBytes == min(first + piece, bytes.count) % decoder.frameBytes)
        joined += samples
      }
      #expect(joined.map(\.bitPattern) == whole.map(\.bitPattern), "pieces of \(piece)")
    }
  }

  /// The same bytes in a WAV file, `RIFX` where the highest byte comes first. WAV has no signed bytes.
  @Test(arguments: PCMEncoding.allCases.filter { $0 != .s8 }) func itAgreesWithTheLibrary(encoding: PCMEncoding) throws
  {
    var bytes: [UInt8] = []
    for index in 0..<2_000 {
      // Floats stay within the range that is sound; integers take any bits.
      let float = Float(index - 1_000) / 997
      switch encoding {
      case .f32le, .f32be: bytes += Self.bytes(of: UInt64(float.bitPattern), encoding)
      case .f64le, .f64be: bytes += Self.bytes(of: (Double(float) * 1.000_000_01).bitPattern, encoding)
      default: bytes += Self.bytes(of: UInt64(index) &* 0x9E37_79B9_7F4A_7C15 >> 13, encoding)
      }
    }
    let folder = try ScratchFolder()
    var reader = try AudioFileReader(path: try folder.write(Self.wave(bytes, encoding), as: "x.wav"))
    var expected: [Float] = []
    #expect(try reader.read(into: &expected, maximumFrameCount: 3_000) == 2_000)
    #expect(Self.decode(bytes, encoding) == expected)
  }

  static func wave(_ bytes: [UInt8], _ encoding: PCMEncoding) -> Data {
    let isBigEndian = encoding.rawValue.hasSuffix("be")
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let lowestFirst = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBigEndian ? lowestFirst.reversed() : lowestFirst
    }
    let size = encoding.bytes
    var file = Array((isBigEndian ? "RIFX" : "RIFF").utf8) + number(36 + bytes.count, 4) + Array("WAVEfmt ".utf8)
    file += number(16, 4) + number(encoding.rawValue.hasPrefix("f") ? 3 : 1, 2) + number(1, 2) + number(8_000, 4)
    file += number(8_000 * size, 4) + number(size, 2) + number(8 * size, 2)
    return Data(file + Array("data".utf8) + number(bytes.count, 4) + bytes)
  }
}
