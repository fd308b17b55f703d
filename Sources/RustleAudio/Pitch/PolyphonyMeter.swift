/// Whether several notes sound at once, for measurements that expect one: with ``PitchConfiguration/expectsOneNote`` a chord is taken
/// for the note of which its notes are partials, at a confidence near 1.
///
/// ```swift
/// var polyphony = try PolyphonyMeter(sampleRate: 48_000)
/// try polyphony.process(samples.span)
/// print(polyphony.isPresent, polyphony.isPresentNow)
/// ```
///
/// Ten analysis frames a second look for notes from 25 to 4500 Hz: about 10 % of the work of a ``Tuner``, 3 % of that of a
/// ``VoiceProcessor``. Octaves and twelfths are one note, and dense chords are missed where they have no common root in the range.
/// Notes that ring on into the next one are several.
public struct PolyphonyMeter: ~Copyable, Sendable {
  /// The analysis frames so far with a pitch, or with several notes.
  public var tonalFrames: Int { verdict.count.tonal }
  /// Those with several notes (``PitchFrame/isPolyphonic``).
  public var polyphonicFrames: Int { verdict.count.polyphonic }
  /// Whether ``isPresentNow`` has been true since the beginning of the sound.
  public private(set) var hasBeenPresent = false
  /// The verdicts after each frame of the last call, oldest first.
  private(set) var verdicts: [PolyphonyVerdict] = []

  private var tracker: PitchTracker
  private var frames: [PitchFrame] = []
  private(set) var verdict = PolyphonyVerdict()
  /// The ends of the last second's frames, and the frames before each.
  private var recent: [(end: Int64, before: PolyphonyCount)] = []
  private var isOver = false

  /// Creates a measurement without sound.
  ///
  /// - Parameter sampleRate: in Hz, within ``PitchConfiguration/sampleRateRange``.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(sampleRate: Double) throws(AudioError) {
    let hop = sampleRate.isFinite ? Int(min(max(sampleRate / 10, 1), 1_048_576)) : 1
    tracker = try PitchTracker(PitchConfiguration(sampleRate: sampleRate, hop: hop))
  }

  /// Whether more than half of the tonal frames of the whole sound have several notes, and before its end at least three. Of single
  /// notes and voices at most a few have.
  public var isPresent: Bool { verdict.count.isPresent || isOver && 2 * polyphonicFrames > tonalFrames }
  /// Whether more than half of the tonal frames of the last second have several notes, and at least three.
  public var isPresentNow: Bool { verdict.isPresentNow }

  /// Processes the sound's next samples, any number.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func process(_ samples: Span<Float>) throws(AudioError) {
    if isOver { restart() }
    try tracker.process(samples, into: &frames)
    count()
  }

  /// Ends the sound, whose last frames count too; the next sample is the first of another, of which the numbers are then.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func finish() throws(AudioError) {
    try tracker.finish(into: &frames)
    count()
    isOver = true
  }

  /// Goes on behind a gap in the sound.
  mutating func skip() {
    tracker.reset()
    verdict.isPresentNow = false
    recent = []
  }

  /// Begins another sound.
  mutating func restart() {
    skip()
    (verdict, hasBeenPresent, isOver) = (PolyphonyVerdict(), false, false)
  }

  private mutating func count() {
    let second = Int64(tracker.configuration.sampleRate)
    verdicts.removeAll(keepingCapacity: true)
    for frame in frames {
      verdict.end = frame.sample + Int64(tracker.frameLength / 2)
      recent.append((verdict.end, verdict.count))
      if frame.isPolyphonic || frame.isVoiced { verdict.count.add(frame.isPolyphonic) }
      recent.removeAll { $0.end <= verdict.end - second }
      verdict.isPresentNow = verdict.count.since(recent.first?.before ?? verdict.count).isPresent
      hasBeenPresent = hasBeenPresent || verdict.isPresentNow
      verdicts.append(verdict)
    }
    frames.removeAll(keepingCapacity: true)
  }

  /// The notice for people where several notes were found.
  package static let notice = "several notes sound at once: the pitch is that of one of them, or of a common root"
}

/// A number of tonal analysis frames, and of those with several notes.
package struct PolyphonyCount: Sendable, Equatable {
  package private(set) var tonal = 0
  package private(set) var polyphonic = 0

  package init() {}

  package mutating func add(_ isPolyphonic: Bool) {
    tonal += 1
    if isPolyphonic { polyphonic += 1 }
  }

  /// Whether more than half of the frames have several notes, and at least three.
  var isPresent: Bool { polyphonic >= 3 && 2 * polyphonic > tonal }

  /// The frames since another count of the same sound.
  func since(_ other: Self) -> Self {
    var count = self
    count.tonal -= other.tonal
    count.polyphonic -= other.polyphonic
    return count
  }
}

/// What a ``PolyphonyMeter`` has found at the end of one of its frames.
package struct PolyphonyVerdict: Sendable, Equatable {
  /// The end of the frame, in samples since the meter's first, or that behind a gap.
  var end: Int64 = 0
  /// ``PolyphonyMeter/isPresentNow``
  package var isPresentNow = false
  /// The frames so far.
  package var count = PolyphonyCount()

  package init() {}
}

/// The verdicts of a ``PolyphonyMeter`` at the frames of another analysis of the same sound: they do not depend on the lengths of the
/// pieces in which it arrives.
package struct PolyphonyFollower: Sendable {
  private var verdict = PolyphonyVerdict()
  private var pending: [PolyphonyVerdict] = []

  package init() {}

  /// Follows the meter from now on.
  init(from meter: borrowing PolyphonyMeter) { verdict = meter.verdict }

  /// Takes the verdicts of the meter's last call.
  ///
  /// - Parameter origin: the position of the meter's first sample.
  package mutating func take(from meter: borrowing PolyphonyMeter, origin: Int64 = 0) {
    pending += meter.verdicts.map { verdict in
      var moved = verdict
      moved.end += origin
      return moved
    }
  }

  /// Returns the newest verdict of the sound before a position.
  package mutating func advance(to position: Int64) -> PolyphonyVerdict {
    let count = pending.prefix { $0.end <= position }.count
    if count > 0 { verdict = pending[count - 1] }
    pending.removeFirst(count)
    return verdict
  }
}
