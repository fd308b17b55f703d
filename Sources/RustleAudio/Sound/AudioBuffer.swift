/// A piece of sound with its place in time.
///
/// The format travels with the samples: whoever works at one rate or layout compares it and refuses another, by
/// ``expect(_:)``.
public struct AudioBuffer: Sendable, Hashable {
  /// The rate and the channels of the samples.
  public let format: AudioFormat
  /// Whole frames, their channels interleaved. Full scale is ±1.
  public let samples: [Float]
  /// The number of the first frame in its recording, counted from 0. Frames that were lost are counted.
  public let position: Int64
  /// The frames that were lost just before this buffer; 0 from a file.
  public let lostFrames: Int64
  /// How often the device ran over since the recording began; 0 from a file.
  public let overruns: Int

  /// - Parameters:
  ///   - format: the rate and the channels.
  ///   - samples: whole frames, interleaved.
  ///   - position: the number of the first frame, 0 or more.
  ///   - lostFrames: the frames lost just before, 0 or more.
  ///   - overruns: how often the device ran over so far, 0 or more.
  /// - Precondition: `samples` are whole frames.
  public init(format: AudioFormat, samples: [Float], position: Int64, lostFrames: Int64 = 0, overruns: Int = 0) {
    precondition(
      samples.count.isMultiple(of: format.channels),
      "samples: expected whole frames of \(format.channels), got \(samples.count) samples")
    self.format = format
    self.samples = samples
    self.position = position
    self.lostFrames = lostFrames
    self.overruns = overruns
  }

  /// The number of frames.
  public var frameCount: Int { samples.count / format.channels }
  /// The time of the first frame in its recording.
  public var time: Duration { .seconds(Double(position) / format.sampleRate) }
  /// The time from the first frame to the one after the last.
  public var duration: Duration { .seconds(Double(frameCount) / format.sampleRate) }

  /// Refuses the buffer when its format is another one.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``.
  public func expect(_ expected: AudioFormat) throws(AudioError) {
    if format != expected { throw .formatMismatch(expected: expected, got: format) }
  }
}
