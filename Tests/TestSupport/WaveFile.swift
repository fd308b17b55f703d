public import Foundation

/// Writes WAV files byte by byte, so that the reader is tested against the format and not against its own library.
public enum WaveFile {
  /// A RIFF/WAVE file of 32-bit floats: `fmt ` tag 3 (IEEE float), then `data`.
  public static func floats(_ interleaved: [Float], channels: Int, sampleRate: Int) -> Data {
    var body = Data()
    for sample in interleaved { body.appendLittleEndian(sample.bitPattern) }
    return file(tag: 3, bits: 32, channels: channels, sampleRate: sampleRate, body: body)
  }

  /// A RIFF/WAVE file of 16-bit integers: `fmt ` tag 1 (PCM), then `data`.
  public static func integers(_ interleaved: [Int16], channels: Int, sampleRate: Int) -> Data {
    var body = Data()
    for sample in interleaved { body.appendLittleEndian(UInt16(bitPattern: sample)) }
    return file(tag: 1, bits: 16, channels: channels, sampleRate: sampleRate, body: body)
  }

  /// One channel of a sine, as 32-bit floats.
  public static func sine(_ hertz: Double, amplitude: Double, seconds: Double, sampleRate: Int) -> Data {
    let samples = (0..<Int(seconds * Double(sampleRate))).map { index in
      Float(amplitude * sin(2 * .pi * hertz * Double(index) / Double(sampleRate)))
    }
    return floats(samples, channels: 1, sampleRate: sampleRate)
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
