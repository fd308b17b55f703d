import Foundation

/// Writes WAV files byte by byte, so that the reader is tested against the format and not against its own library.
enum WaveFile {
  /// A RIFF/WAVE file of 32-bit floats: `fmt ` tag 3 (IEEE float), then `data`.
  static func floats(_ interleaved: [Float], channels: Int, sampleRate: Int) -> Data {
    var body = Data()
    for sample in interleaved { body.appendLittleEndian(sample.bitPattern) }
    return file(tag: 3, bits: 32, channels: channels, sampleRate: sampleRate, body: body)
  }

  /// A RIFF/WAVE file of 16-bit integers: `fmt ` tag 1 (PCM), then `data`.
  static func integers(_ interleaved: [Int16], channels: Int, sampleRate: Int) -> Data {
    var body = Data()
    for sample in interleaved { body.appendLittleEndian(UInt16(bitPattern: sample)) }
    return file(tag: 1, bits: 16, channels: channels, sampleRate: sampleRate, body: body)
  }

  private static func file(tag: UInt16, bits: Int, channels: Int, sampleRate: Int, body: Data) -> Data {
    let frameBytes = channels * bits / 8
    var data = Data("RIFF".utf8)
    data.appendLittleEndian(UInt32(36 + body.count))
    data.append(Data("WAVEfmt ".utf8))
    data.appendLittleEndian(UInt32(16))
    data.appendLittleEndian(tag)
    data.appendLittleEndian(UInt16(channels))
    data.appendLittleEndian(UInt32(sampleRate))
    data.appendLittleEndian(UInt32(sampleRate * frameBytes))
    data.appendLittleEndian(UInt16(frameBytes))
    data.appendLittleEndian(UInt16(bits))
    data.append(Data("data".utf8))
    data.appendLittleEndian(UInt32(body.count))
    return data + body
  }
}

extension Data {
  mutating func appendLittleEndian<Integer: FixedWidthInteger>(_ value: Integer) {
    for shift in stride(from: 0, to: Integer.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> Integer(shift)))
    }
  }
}

/// A folder that goes away with the value that owns it.
struct ScratchFolder: ~Copyable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Writes a file into the folder and returns its path.
  func write(_ data: Data, as name: String) throws -> String {
    let file = url.appending(path: name)
    try data.write(to: file)
    return file.path
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
