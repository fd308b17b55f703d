internal import Foundation

/// A WAV file whose header is right at every moment.
///
/// Samples go to the end of the file first; then the header, in one write, promises them. A reader of the file of a process
/// that was killed finds the frames that were promised, which lag behind by less than `interval` and one call's.
final class WaveOutput: EncodedOutput {
  private let file: OutputFile
  private let header: WaveHeader
  private let start: UInt64
  /// The number of frames after which the header is updated.
  private let interval: UInt64
  /// Whether the samples are on the medium before the header promises them.
  private let synchronizes: Bool
  private var encoder: SampleBytes
  private var promised: UInt64 = 0
  private var isPadded = false
  private var isClosed = false

  init(file: OutputFile, header: WaveHeader, dither: Bool, synchronizes: Bool) throws(AudioFileError) {
    self.file = file
    self.header = header
    self.synchronizes = synchronizes
    start = UInt64(header.count)
    interval = max(1, UInt64(header.sampleRate) / 2)
    encoder = SampleBytes(encoding: header.encoding, dither: dither)
    try file.append(header.bytes(frames: 0, isPadded: false))
  }

  deinit { try? close() }

  var clippedSamples: Int { encoder.clippedSamples }
  var undefinedSamples: Int { encoder.undefinedSamples }

  /// Whole frames in the file.
  private var frames: UInt64 { (file.length - start) / UInt64(header.frameBytes) }

  func write(_ samples: ArraySlice<Float>, peak: Float?) throws(AudioFileError) {
    guard !isClosed else { return }
    let bytes = encoder.encode(samples, peak: peak)
    do throws(AudioFileError) {
      try file.append(bytes)
      if frames - promised >= interval { try promise() }
    } catch {
      // What came through before the disk was full is kept. The header is rewritten in place, which needs no room.
      file.settle(unit: UInt64(header.frameBytes), from: start)
      try? finish()
      throw error
    }
  }

  func close() throws(AudioFileError) {
    guard !isClosed else { return }
    try finish()
  }

  private func finish() throws(AudioFileError) {
    isClosed = true
    // The header itself was not written.
    guard file.length >= start else { return try file.close() }
    // Chunks begin at even places (RIFF, Multimedia Programming Interface 1.0, chapter 2).
    let needsPad = !(file.length - start).isMultiple(of: 2)
    let end = frames
    var failure: AudioFileError?
    if needsPad {
      do throws(AudioFileError) {
        try file.append(Data([0]))
        isPadded = true
      } catch {
        // Readers do without it.
        failure = error
      }
    }
    try promise(end)
    if synchronizes { try file.synchronize() }
    try file.close()
    if let failure { throw failure }
  }

  private func promise(_ end: UInt64? = nil) throws(AudioFileError) {
    let end = end ?? frames
    if synchronizes { try file.synchronize() }
    try file.replace(at: 0, with: header.bytes(frames: end, isPadded: isPadded))
    promised = end
  }
}
