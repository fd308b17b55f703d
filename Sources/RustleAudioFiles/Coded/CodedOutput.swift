/// A file of a lossy codec of libsndfile: Vorbis or Opus in pages of Ogg, or frames of MP3.
final class CodedOutput: EncodedOutput {
  private let file: OutputFile
  private let encoder: SoundFileEncoder
  private let synchronizes: Bool
  private var samples = DefinedSamples()
  private var isClosed = false

  init(
    file: OutputFile, container: AudioFileWriter.Container, sampleRate: Int, channels: Int, quality: Double,
    synchronizes: Bool
  ) throws(AudioFileError) {
    self.file = file
    self.synchronizes = synchronizes
    let sink = EncodedBytes(file: file)
    encoder = try SoundFileEncoder(
      of: container, quality: quality, sampleRate: sampleRate, channels: channels, to: sink)
    try sink.flushHeader()
  }

  deinit { try? close() }

  let clippedSamples = 0
  var undefinedSamples: Int { samples.undefinedSamples }

  func write(_ samples: ArraySlice<Float>, peak: Float?) throws(AudioFileError) {
    guard !isClosed else { return }
    do throws(AudioFileError) {
      try encoder.write(self.samples.of(samples, peak: peak))
    } catch {
      try? close()
      throw error
    }
  }

  func close() throws(AudioFileError) {
    guard !isClosed else { return }
    isClosed = true
    try encoder.close()
    if synchronizes { try file.synchronize() }
    try file.close()
  }
}

/// Samples for an encoder of floats, which takes no infinity and nothing that is not a number.
struct DefinedSamples {
  /// Samples that were not a number and became 0.
  private(set) var undefinedSamples = 0

  /// The samples, those that are not finite replaced: infinities by ±1, others by 0.
  mutating func of(_ samples: ArraySlice<Float>, peak: Float?) -> ArraySlice<Float> {
    // NaN is no less than anything.
    guard !(peak ?? samples.span.peak < .infinity) else { return samples }
    return samples.map { sample in
      if sample.isNaN { undefinedSamples += 1 }
      return sample.isNaN ? 0 : sample.isFinite ? sample : sample.sign == .minus ? -1 : 1
    }[...]
  }
}
