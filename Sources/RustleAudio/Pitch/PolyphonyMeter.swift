/// Whether several notes sound at once in most of a sound, for measurements that expect one: with
/// ``PitchConfiguration/expectsOneNote`` a chord is taken for the note of which its notes are partials, at a confidence near 1.
///
/// ```swift
/// var polyphony = try PolyphonyMeter(sampleRate: 48_000)
/// try polyphony.process(samples.span)
/// print(polyphony.isPresent)
/// ```
///
/// Ten analysis frames a second look for notes from 25 to 4500 Hz: a few per cent of the work of a ``Tuner`` or a ``VoiceProcessor``.
/// Octaves and twelfths are one note, and dense chords are missed where they have no common root in the range.
public struct PolyphonyMeter: ~Copyable, Sendable {
  /// The analysis frames so far with a pitch, or with several notes.
  public private(set) var tonalFrames = 0
  /// Those with several notes (``PitchFrame/isPolyphonic``).
  public private(set) var polyphonicFrames = 0
  private var tracker: PitchTracker
  private var frames: [PitchFrame] = []

  /// Creates a measurement without sound.
  ///
  /// - Parameter sampleRate: in Hz, within ``PitchConfiguration/sampleRateRange``.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(sampleRate: Double) throws(AudioError) {
    let hop = sampleRate.isFinite ? Int(min(max(sampleRate / 10, 1), 1_048_576)) : 1
    tracker = try PitchTracker(PitchConfiguration(sampleRate: sampleRate, hop: hop))
  }

  /// Whether more than half of at least three tonal frames have several notes. Of single notes and voices at most a few have.
  public var isPresent: Bool { tonalFrames >= 3 && 2 * polyphonicFrames > tonalFrames }

  /// Processes the sound's next samples, any number.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func process(_ samples: Span<Float>) throws(AudioError) {
    try tracker.process(samples, into: &frames)
    count()
  }

  /// Ends the sound, whose last frames count too; the next sample is the first of another, and the numbers go on.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func finish() throws(AudioError) {
    try tracker.finish(into: &frames)
    count()
  }

  /// Goes on behind a gap in the sound.
  mutating func skip() { tracker.reset() }

  private mutating func count() {
    for frame in frames where frame.isPolyphonic || frame.isVoiced {
      tonalFrames += 1
      if frame.isPolyphonic { polyphonicFrames += 1 }
    }
    frames.removeAll(keepingCapacity: true)
  }

  /// The notice for people where ``isPresent``.
  package static let notice = "several notes sound at once: the pitch is that of one of them, or of a common root"
}
