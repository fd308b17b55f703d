internal import Foundation

/// A FLAC file that opens at every moment.
///
/// The encoder writes one coded frame when it has a block of samples and one more, and holds back what is less. Behind each call the
/// header gets the length of the coded frames: some readers refuse a file of unknown length. Until the file is closed it
/// says that there is no checksum of the whole, which the format allows (RFC 9639, section 8.2).
final class FLACOutput: EncodedOutput {
  /// libFLAC's block sizes: 4096 frames at level 5, the default, and 1152 at level 2
  /// (FLAC__stream_encoder_set_compression_level).
  private static let usual = (level: 5, block: 4_096)
  private static let short = (level: 2, block: 1_152)
  /// Where a short block is more than half a second, the format is refused.
  static let lowestRate = 2 * short.block

  private let file: OutputFile
  private let sink: EncodedBytes
  private let native: SoundFileEncoder
  private let synchronizes: Bool
  private let interval: Int
  private let channels: Int
  private var encoder: SampleEncoder
  private var integers: [Int32] = []
  private let block: Int
  /// The header's byte with a part of the encoding in its upper four bits and the highest bits of the length in its lower four.
  private let lengthByte: UInt8
  private var written = 0
  private var promised = 0
  private var unsynchronized = 0
  private var isClosed = false

  init(
    file: OutputFile, sampleRate: Int, channels: Int, encoding: AudioFileWriter.Encoding, dither: Bool,
    synchronizes: Bool
  ) throws(AudioFileError) {
    self.file = file
    self.synchronizes = synchronizes
    self.channels = channels
    interval = max(1, sampleRate / 2)
    encoder = SampleEncoder(bits: encoding.bits, dither: dither)
    let (level, block) = sampleRate >= 2 * Self.usual.block ? Self.usual : Self.short
    sink = EncodedBytes(file: file)
    native = try SoundFileEncoder(
      flacOf: encoding.bits, sampleRate: sampleRate, channels: channels, level: level, to: sink)
    self.block = block
    let header = try sink.flushHeader()
    lengthByte = header.count > Self.lengthOffset ? header[header.startIndex + Self.lengthOffset] & 0xF0 : 0
  }

  deinit { try? close() }

  var clippedSamples: Int { encoder.clippedSamples }
  var undefinedSamples: Int { encoder.undefinedSamples }

  func write(_ samples: ArraySlice<Float>, peak: Float?) throws(AudioFileError) {
    guard !isClosed else { return }
    encoder.encode(samples.span, peak: peak, shift: Int32(32 - encoder.bits), into: &integers)
    do throws(AudioFileError) {
      try native.write(integers)
      written += samples.count / channels
      unsynchronized += samples.count / channels
      try promise()
      if synchronizes, unsynchronized >= interval {
        try file.synchronize()
        unsynchronized = 0
      }
    } catch {
      try? close()
      throw error
    }
  }

  /// The byte of the file at which the 36 bits of the length begin, with its lower half (RFC 9639, section 8.2).
  private static let lengthOffset = 21

  /// Writes the length of the coded frames into the header, behind which they stand already.
  private func promise() throws(AudioFileError) {
    let coded = max(0, written - 1) / block * block
    guard coded > promised, coded < 1 << 36 else { return }
    let bytes = [lengthByte | UInt8(coded >> 32)] + (0..<4).map { UInt8(truncatingIfNeeded: coded >> (24 - 8 * $0)) }
    try file.replace(at: UInt64(Self.lengthOffset), with: Data(bytes))
    promised = coded
  }

  func close() throws(AudioFileError) {
    guard !isClosed else { return }
    isClosed = true
    try native.close()
    if synchronizes { try file.synchronize() }
    try file.close()
  }
}
