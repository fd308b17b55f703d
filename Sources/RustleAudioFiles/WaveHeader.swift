internal import Foundation
internal import RustleAudio

/// The bytes before the samples of a WAV file, always as many for one format, whatever the length.
///
/// Behind `RIFF`, its size and `WAVE` there is room for the 64-bit sizes: a `JUNK` chunk that becomes `ds64` when the file
/// outgrows 32 bits and turns into RF64 (EBU Tech 3306, "MBWF / RF64", section 3). Then `fmt `, for floats `fact`, and `data`.
/// All of it stays under one sector of a disk, so that a change of the sizes is never seen in part.
struct WaveHeader {
  /// Numbers: Microsoft, mmreg.h.
  private static let integerTag: UInt16 = 1
  private static let floatTag: UInt16 = 3
  private static let extensibleTag: UInt16 = 0xFFFE
  /// The bytes of `ds64` without a table: three 64-bit sizes and the table's length.
  private static let largeSizes = 28

  let sampleRate: UInt32
  let layout: ChannelLayout
  let encoding: AudioFileWriter.Encoding
  /// The largest RIFF size; beyond it the file is RF64. 0xFFFFFFFF itself means that the size stands elsewhere.
  let largestRIFF: UInt64

  /// The bytes of a frame.
  var frameBytes: Int { layout.count * encoding.bits / 8 }
  /// The bytes of the header.
  var count: Int { bytes(frames: 0, isPadded: false).count }

  /// Mono and stereo are written in the plain form that every reader knows; the form with places needs a newer one.
  private var isExtensible: Bool { layout != .mono && layout != .stereo }

  /// Returns the header of a file of this many frames.
  ///
  /// - Parameters:
  ///   - frames: frames behind the header.
  ///   - isPadded: whether a byte follows them that makes their number of bytes even.
  func bytes(frames: UInt64, isPadded: Bool) -> Data {
    let dataBytes = frames * UInt64(frameBytes)
    let description = descriptionChunks(frames: frames)
    let riff = UInt64(4 + 8 + Self.largeSizes + description.count + 8) + dataBytes + (isPadded ? 1 : 0)
    let isLarge = riff > largestRIFF
    var header = Data((isLarge ? "RF64" : "RIFF").utf8)
    header.append(number: isLarge ? UInt32.max : UInt32(riff))
    header.append(contentsOf: "WAVE".utf8)
    header.append(contentsOf: (isLarge ? "ds64" : "JUNK").utf8)
    header.append(number: UInt32(Self.largeSizes))
    for size in [riff, dataBytes, frames] { header.append(number: isLarge ? size : 0) }
    header.append(number: UInt32(0))
    header.append(description)
    header.append(contentsOf: "data".utf8)
    header.append(number: isLarge ? UInt32.max : UInt32(dataBytes))
    return header
  }

  /// The bytes before the samples of a stream, of unknown length: the sizes are the largest number, as FFmpeg writes them into a
  /// pipe.
  var bytesOfStream: Data {
    let description = descriptionChunks(frames: UInt64(UInt32.max))
    var header = Data("RIFF".utf8)
    header.append(number: UInt32.max)
    header.append(contentsOf: "WAVE".utf8)
    header.append(description)
    header.append(contentsOf: "data".utf8)
    header.append(number: UInt32.max)
    return header
  }

  private func descriptionChunks(frames: UInt64) -> Data {
    let tag = encoding == .float32 ? Self.floatTag : Self.integerTag
    var format = Data()
    format.append(number: isExtensible ? Self.extensibleTag : tag)
    format.append(number: UInt16(layout.count))
    format.append(number: sampleRate)
    format.append(number: UInt32(clamping: UInt64(sampleRate) * UInt64(frameBytes)))
    format.append(number: UInt16(frameBytes))
    format.append(number: UInt16(encoding.bits))
    if isExtensible {
      format.append(number: UInt16(22))
      format.append(number: UInt16(encoding.bits))
      format.append(number: ChannelPositions(layout).rawValue)
      format.append(number: tag)
      // The rest of KSDATAFORMAT_SUBTYPE_PCM and its sisters: 0000-0010-8000-00AA00389B71.
      format.append(contentsOf: [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71])
    } else if encoding == .float32 {
      format.append(number: UInt16(0))
    }
    var chunks = Data("fmt ".utf8)
    chunks.append(number: UInt32(format.count))
    chunks.append(format)
    if encoding == .float32 {
      chunks.append(contentsOf: "fact".utf8)
      chunks.append(number: UInt32(4))
      chunks.append(number: UInt32(clamping: frames))
    }
    return chunks
  }
}

extension Data {
  /// Adds an integer, its lowest byte first.
  fileprivate mutating func append<Integer: FixedWidthInteger>(number: Integer) {
    for shift in stride(from: 0, to: Integer.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> Integer(shift)))
    }
  }
}
