internal import RustleCore

/// The pitch of one channel's signal that comes in pieces of any length.
///
/// The first frame begins with the signal, each one ``PitchConfiguration/hop`` samples after the one before; it is found by the
/// call that brings its last sample. However the signal is cut, the numbers are the same, and the same as
/// ``contour(of:configuration:decoding:)`` has without decoding. The memory does not grow with the signal.
///
/// ```swift
/// var tracker = try PitchTracker(PitchConfiguration(sampleRate: 48_000, range: 60...1_000))
/// var frames: [PitchFrame] = []
/// try tracker.process(samples.span, into: &frames)
/// for frame in frames where frame.isVoiced { print(frame.time, frame.frequency ?? 0, frame.confidence) }
/// ```
public struct PitchTracker: ~Copyable, Sendable {
  /// What it was made of.
  public let configuration: PitchConfiguration
  /// The samples of a frame.
  public let window: Int
  /// The frequencies that are looked for, in Hz: those of the configuration, as far as the window and the sample rate hold them.
  public let range: ClosedRange<Double>
  private var native: NativePitch

  /// A tracker at the beginning of a signal.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for a sample rate, a range, a window or a hop that is out of
  ///   bounds.
  public init(_ configuration: PitchConfiguration) throws(AudioError) {
    let described = try configuration.native()
    native = try AudioError.rethrowing { () throws(NativeError) in try NativePitch(described) }
    self.configuration = configuration
    window = native.window
    range = native.range
  }

  /// Takes in the signal's next samples, any number, and appends the frames that they complete to `frames`.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func process(_ samples: Span<Float>, into frames: inout [PitchFrame]) throws(AudioError) {
    let sampleRate = configuration.sampleRate
    try AudioError.rethrowing { () throws(NativeError) in
      try native.process(samples) { frames.append(PitchFrame($0, sampleRate: sampleRate)) }
    }
  }

  /// Forgets the signal; the next sample is the first of another.
  public mutating func reset() { native.reset() }

  /// The frames of a whole signal: 1 + (L - N) / hop of L samples and a window of N, rounded down; none of a shorter one.
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
