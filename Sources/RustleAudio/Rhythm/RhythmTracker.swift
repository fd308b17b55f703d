internal import RustleCore

/// Follows the beats of music in one channel's signal that arrives in pieces of any length.
///
/// ```swift
/// var tracker = try RhythmTracker(sampleRate: 48_000)
/// var frames: [RhythmFrame] = []
/// try tracker.process(samples.span, into: &frames)
/// if let beat = frames.last?.beat { print(beat.tempo, beat.confidence) }
/// ```
///
/// A frame every 10 ms has the tempo, the position between two beats, and the time of the next one; beats are expected ahead. The first
/// tempo is there after about 2 s. A rhythm has several levels: which of them is the beat, and which its double or half, is a choice.
/// The lengths of the pieces do not change the result. Memory does not grow with the signal.
public struct RhythmTracker: ~Copyable, Sendable {
  /// The default range of tempos in beats per minute: a slower or faster rhythm is reported at its double or half.
  public static let defaultTempoRange = 55.0...200.0

  /// The sample rate in Hz.
  public let sampleRate: Double
  /// Samples from frame to frame.
  public let hop: Int
  /// Samples from a frame's time to the last one that it needs: about 23 ms.
  public let latency: Int
  private var native: NativeRhythm

  /// Creates a tracker that has received no samples.
  ///
  /// - Parameters:
  ///   - sampleRate: in Hz, 8000 to 768,000.
  ///   - tempoRange: in beats per minute, within 30 to 300; the last at least 1.5 times the first.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(sampleRate: Double, tempoRange: ClosedRange<Double> = defaultTempoRange) throws(AudioError) {
    native = try Self.native(sampleRate, tempoRange, isWhole: false)
    self.sampleRate = sampleRate
    (hop, latency) = (native.description.hop, native.description.latency)
  }

  /// Processes the signal's next samples, any number, and appends the frames that they complete to `frames`.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func process(_ samples: Span<Float>, into frames: inout [RhythmFrame]) throws(AudioError) {
    let sampleRate = sampleRate
    try AudioError.rethrowing { () throws(NativeError) in
      try native.process(samples) { frames.append(RhythmFrame($0, sampleRate: sampleRate)) }
    }
  }

  /// Discards the signal; the next sample is the first of another signal.
  public mutating func reset() { native.reset() }

  fileprivate static func native(
    _ sampleRate: Double, _ tempoRange: ClosedRange<Double>, isWhole: Bool
  ) throws(AudioError) -> NativeRhythm {
    let configuration = NativeRhythmConfiguration(
      sampleRate: sampleRate, slowest: tempoRange.lowerBound, fastest: tempoRange.upperBound, isWhole: isWhole)
    do { return try NativeRhythm(configuration) } catch { throw AudioError(error) }
  }
}

/// Finds the beats of a whole signal that arrives in pieces, whose later part decides where the earlier beats are.
///
/// ```swift
/// var analyzer = try RhythmAnalyzer(sampleRate: 48_000)
/// try analyzer.process(samples.span)
/// let rhythm = try analyzer.finish()
/// print(rhythm.tempo ?? 0, rhythm.beats.count)
/// ```
///
/// It holds 2.4 kB for each second of the signal.
public struct RhythmAnalyzer: ~Copyable, Sendable {
  /// The sample rate in Hz.
  public let sampleRate: Double
  private var native: NativeRhythm

  /// Creates an analyzer that has received no samples.
  ///
  /// - Parameters: as those of ``RhythmTracker/init(sampleRate:tempoRange:)``.
  /// - Throws: as ``RhythmTracker/init(sampleRate:tempoRange:)``.
  public init(
    sampleRate: Double, tempoRange: ClosedRange<Double> = RhythmTracker.defaultTempoRange
  ) throws(AudioError) {
    native = try RhythmTracker.native(sampleRate, tempoRange, isWhole: true)
    self.sampleRate = sampleRate
  }

  /// Takes the signal's next samples, any number.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native`` when there is no memory for them.
  public mutating func process(_ samples: Span<Float>) throws(AudioError) {
    try AudioError.rethrowing { () throws(NativeError) in try native.process(samples) { _ in } }
  }

  /// Ends the signal and returns its rhythm; the next sample is the first of another signal.
  ///
  /// - Throws: as ``process(_:)``.
  public mutating func finish() throws(AudioError) -> Rhythm {
    var found: [NativeRhythmFrame] = []
    try AudioError.rethrowing { () throws(NativeError) in try native.finish { found.append($0) } }
    return Rhythm(found, sampleRate: sampleRate)
  }
}

/// The rhythm of a signal.
public struct Rhythm: Sendable, Hashable {
  /// The tempo in beats per minute, from the median interval of the beats; nil where there are fewer than two.
  public let tempo: Double?
  /// The times of the beats since the signal's beginning, ascending.
  public let beats: [Duration]
  /// How regular the rhythm is at its tempo, 0 to 1: some hundredths for noise.
  public let confidence: Double

  init(_ frames: [NativeRhythmFrame], sampleRate: Double) {
    tempo = frames.first.flatMap { $0.tempo > 0 ? $0.tempo : nil }
    beats = frames.map { .seconds($0.sample / sampleRate) }
    confidence = frames.first?.confidence ?? 0
  }
}

/// The rhythm of a signal at one time.
public struct RhythmFrame: Sendable, Hashable {
  /// Tempo and phase.
  public struct Beat: Sendable, Hashable {
    /// The tempo in beats per minute.
    public let tempo: Double
    /// The position between two beats, 0 to less than 1.
    public let phase: Double
    /// The time of the next beat since the signal's beginning.
    public let next: Duration
    /// The standard error of the beats' times, from how far onsets were from where they were expected.
    public let phaseError: Duration
    /// How regular the rhythm is at its tempo, 0 to 1: some hundredths for noise.
    public let confidence: Double
    /// Whether this is the last frame before the next beat, so that each beat is reported once.
    public let isLastBefore: Bool
  }

  /// The time since the signal's beginning.
  public let time: Duration
  /// Tempo and phase; nil before there is a tempo.
  public let beat: Beat?
  /// How much of the spectrum rises: 0 for silence and steady sounds, about 3 for a drum.
  public let strength: Double
  /// The strength of an onset at the frame before; nil: there is none.
  public let onset: Double?
  /// The root mean squares of 30 to 200 Hz, 200 to 2500 Hz and above; a sine of full scale has 0.707.
  public let levels: [Double]

  init(_ frame: NativeRhythmFrame, sampleRate: Double) {
    func seconds(_ samples: Double) -> Duration { .seconds(samples / sampleRate) }
    time = seconds(frame.sample)
    beat =
      frame.tempo > 0
      ? Beat(
        tempo: frame.tempo, phase: frame.phase, next: seconds(frame.nextBeat), phaseError: seconds(frame.phaseError),
        confidence: frame.confidence, isLastBefore: frame.isBeat) : nil
    strength = frame.strength
    onset = frame.onset > 0 ? frame.onset : nil
    levels = [frame.low, frame.middle, frame.high]
  }
}
