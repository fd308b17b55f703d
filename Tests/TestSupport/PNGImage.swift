public import Foundation

/// The pixels of a PNG file with eight bits of red, green and blue each, which is what the plots write.
public struct PNGImage {
  struct Malformed: Error {
    let what: String
  }

  /// Pixels across.
  public let width: Int
  /// Pixels down.
  public let height: Int
  private let rows: [[UInt8]]

  /// Reads and decodes a file.
  public init(contentsOf url: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: url))
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    guard bytes.starts(with: signature) else { throw Malformed(what: "signature") }
    func number(at index: Int) -> Int { bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) } }
    var position = 8
    var compressed: [UInt8] = []
    var size = (width: 0, height: 0)
    while position + 8 <= bytes.count {
      let length = number(at: position)
      let body = position + 8
      switch String(decoding: bytes[position + 4..<body], as: UTF8.self) {
      case "IHDR":
        size = (number(at: body), number(at: body + 4))
        guard bytes[body + 8] == 8, bytes[body + 9] == 2 else { throw Malformed(what: "not 8-bit RGB") }
      case "IDAT": compressed += bytes[body..<body + length]
      default: break
      }
      position = body + length + 4
    }
    (width, height) = size
    // Two bytes of zlib header before the deflate stream.
    rows = try Self.unfilter(Inflate.decompress(compressed.dropFirst(2)), width: size.width, height: size.height)
  }

  /// The colour of one pixel as 0xRRGGBB.
  public func pixel(_ x: Int, _ y: Int) -> UInt32 {
    rows[y][x * 3..<x * 3 + 3].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// How many pixels of a rectangle satisfy a condition.
  public func count(x: Range<Int>, y: Range<Int>, where matches: (UInt32) -> Bool) -> Int {
    y.reduce(0) { total, row in total + x.count { matches(pixel($0, row)) } }
  }

  /// Undoes the filters of section 9 of the PNG specification.
  private static func unfilter(_ data: [UInt8], width: Int, height: Int) throws -> [[UInt8]] {
    let stride = width * 3
    guard data.count == height * (stride + 1) else { throw Malformed(what: "\(data.count) bytes of pixels") }
    var rows: [[UInt8]] = []
    var above = [UInt8](repeating: 0, count: stride)
    for row in 0..<height {
      let filter = data[row * (stride + 1)]
      var line = Array(data[row * (stride + 1) + 1..<(row + 1) * (stride + 1)])
      for index in 0..<stride {
        let left = index >= 3 ? Int(line[index - 3]) : 0
        let up = Int(above[index])
        let corner = index >= 3 ? Int(above[index - 3]) : 0
        let prediction =
          switch filter {
          case 1: left
          case 2: up
          case 3: (left + up) / 2
          case 4: paeth(left, up, corner)
          default: 0
          }
        line[index] &+= UInt8(truncatingIfNeeded: prediction)
      }
      rows.append(line)
      above = line
    }
    return rows
  }

  private static func paeth(_ left: Int, _ up: Int, _ corner: Int) -> Int {
    let estimate = left + up - corner
    let (a, b, c) = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
    return a <= b && a <= c ? left : b <= c ? up : corner
  }
}
