internal import RustleCore

/// The pitch of one channel's signal that arrives in pieces of any length.
///
/// The frames' middles are ``PitchConfiguration/hop`` samples apart; one is that of the signal's first ``frameLength`` samples. Frames
/// before it and after the last one's have the longest frame that the signal holds. The call with a frame's last sample reports
/// it, ``finish(into:)`` those of the end. The lengths of the pieces do not change the result, which is that of
/// ``contour(of:configuration:decoding:)`` without decoding. Memory does not grow with the signal.
///
/// A single pitch of a whole sound is ``detectPitch(in:sampleRate:range:)``; notes and cents of live sound are a ``Tuner``'s.
///
/// ```swift
/// var tracker = try PitchTracker(PitchConfiguration(sampleRate: 48_000, range: 60...1_000))
/// var frames: [PitchFrame] = []
/// try tracker.process(samples.span, into: &frames)
/// try tracker.finish(into: &frames)
/// for frame in frames where frame.isVoiced { print(frame.time, frame.frequency ?? 0, frame.confidence) }
/// ```
public struct PitchTracker: ~Copyable, Sendable {
  /// The parameters as given; ``frameLength`` and ``range`` are those in use.
  public let configuration: PitchConfiguration
  /// The samples of the longest frame.
  public let frameLength: Int
  /// The samples of the shortest frame: a shorter signal has none.
  public let shortestFrameLength: Int
  /// The range of pitch in Hz: the configuration's, as far as the frame length and the sample rate allow.
  public let range: ClosedRange<Double>
  private var native: NativePitch

  /// Creates a tracker that has received no samples.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for a sample rate, pitch range, frame length or hop size that is not allowed.
  public init(_ configuration: PitchConfiguration) throws(AudioError) {
    let described = try configuration.native()
    native = try AudioError.rethrowing { () throws(NativeError) in try NativePitch(described) }
    self.configuration = configuration
    let found = native.description
    frameLength = found.frameLength
    shortestFrameLength = found.shortestFrameLength
    range = found.lowest...max(found.lowest, found.highest)
  }

  /// Processes the signal's next samples, any number, and appends the frames that they complete to `frames`.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func process(_ samples: Span<Float>, into frames: inout [PitchFrame]) throws(AudioError) {
    let sampleRate = configuration.sampleRate
    try AudioError.rethrowing { () throws(NativeError) in
      try native.process(samples) { frames.append(PitchFrame($0, sampleRate: sampleRate)) }
    }
  }

  /// Ends the signal: appends the frames of its end to `frames`. The next sample is the first of another.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func finish(into frames: inout [PitchFrame]) throws(AudioError) {
    let sampleRate = configuration.sampleRate
    try AudioError.rethrowing { () throws(NativeError) in
      try native.finish { frames.append(PitchFrame($0, sampleRate: sampleRate)) }
    }
  }

  /// Discards the signal; the next sample is the first of another.
  public mutating func reset() { native.reset() }

  /// Returns the frames of a whole signal, those of its end included; none of one shorter than ``shortestFrameLength``.
  ///
  /// - Throws: As the initialiser.
  public static func contour(
    of samples: Span<Float>, configuration: PitchConfiguration, decoding: PitchDecoding = .frame
  ) throws(AudioError) -> [PitchFrame] {
    let described = try configuration.native()
    do {
      let frames = try NativePitch.contour(of: samples, described, decoding: decoding.native)
      return frames.map { PitchFrame($0, sampleRate: configuration.sampleRate) }
    } catch {
      throw AudioError(error)
    }
  }
}
