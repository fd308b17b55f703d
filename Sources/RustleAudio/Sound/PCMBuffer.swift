/// Successive frames of sound with their position in time.
///
/// The samples carry their format: a consumer of one rate or layout checks it with ``expect(_:)``.
public struct PCMBuffer: Sendable {
  /// The rate and the channels of the samples.
  public let format: AudioFormat
  /// Whole frames, their channels interleaved. Full scale is ±1.
  public let samples: [Float]
  /// The number of the first frame in its recording, counted from 0, dropped frames included.
  public let position: Int64
  /// The frames dropped just before this buffer; 0 from a file.
  public let droppedFrames: Int64
  /// The device's overruns since the recording began; 0 from a file.
  public let overruns: Int
  /// The number of a block in its stream, from 0, by which gaps are found; 0 in buffers of another origin. It does not describe
  /// the sound, and equal buffers may differ in it.
  package let number: UInt64
  /// The largest magnitude of the samples, where it is known: NaN where a sample is, and else infinite where one is. It does not
  /// add to what the samples say.
  package private(set) var peak: Float?

  /// - Parameters:
  ///   - format: the rate and the channels.
  ///   - samples: whole frames, interleaved.
  ///   - position: the number of the first frame, 0 or more.
  ///   - droppedFrames: the frames dropped just before, 0 or more.
  ///   - overruns: the device's overruns so far, 0 or more.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``: `samples` are no whole frames.
  public init(
    format: AudioFormat, samples: [Float], position: Int64, droppedFrames: Int64 = 0, overruns: Int = 0
  ) throws(AudioError) {
    guard samples.count.isMultiple(of: format.channels) else {
      throw .validation(
        "samples", expected: "whole frames of \(format.channels)", got: "\(samples.count) samples")
    }
    self.init(
      format: format, wholeFrames: samples, position: position, droppedFrames: droppedFrames, overruns: overruns)
  }

  /// A buffer of samples that are known to be whole frames; a block has a number in its stream.
  package init(
    format: AudioFormat, wholeFrames samples: [Float], position: Int64, droppedFrames: Int64 = 0, overruns: Int = 0,
    number: UInt64 = 0
  ) {
    assert(samples.count.isMultiple(of: format.channels), "samples: expected whole frames")
    self.format = format
    self.samples = samples
    self.position = position
    self.droppedFrames = droppedFrames
    self.overruns = overruns
    self.number = number
  }

  /// The buffer with the largest magnitude of its samples, for those that need it again.
  package func knowing(peak: Float) -> Self {
    var buffer = self
    buffer.peak = peak
    return buffer
  }

  /// The number of frames.
  public var frameCount: Int { samples.count / format.channels }
  /// The time of the first frame in its recording.
  public var time: Duration { .seconds(Double(position) / format.sampleRate) }
  /// The duration: the number of frames over the sample rate.
  public var duration: Duration { .seconds(Double(frameCount) / format.sampleRate) }

  /// The frames of a range, which may be empty. Frames dropped before this buffer count before its first frame.
  ///
  /// - Precondition: the range is within `0 ..< frameCount`.
  public func frames(_ range: Range<Int>) -> Self {
    if range == 0..<frameCount { return self }
    return Self(
      format: format,
      wholeFrames: Array(samples[range.lowerBound * format.channels..<range.upperBound * format.channels]),
      position: position + Int64(range.lowerBound), droppedFrames: range.lowerBound == 0 ? droppedFrames : 0,
      overruns: overruns)
  }

  /// Refuses a buffer of another format.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``.
  public func expect(_ expected: AudioFormat) throws(AudioError) {
    if format != expected { throw .formatMismatch(expected: expected, got: format) }
  }
}

extension PCMBuffer: Hashable {
  /// Returns whether format, samples, position and dropped frames are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.format == right.format && left.position == right.position && left.droppedFrames == right.droppedFrames
      && left.overruns == right.overruns && left.samples == right.samples
  }

  /// Feeds what is compared into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(format)
    hasher.combine(position)
    hasher.combine(droppedFrames)
    hasher.combine(overruns)
    hasher.combine(samples)
  }
}
