internal import Foundation

/// Steadies the readings of a tuner: a note that does not flicker, a needle that does not jump.
///
/// ```swift
/// var smoother = try NeedleSmoother(tuning: .standard)
/// for frame in frames {
///   if let needle = smoother.update(frequency: frame.frequency, confidence: frame.confidence, time: frame.time) {
///     show(needle.reading, isHeld: needle.isHeld)
///   }
/// }
/// ```
///
/// A value without a clock: the same frames at the same times give the same needle. Of each frame that says something
/// 1. the note shown stays until another is nearer by a margin for some frames in a row; frames within the wait do not move the
///    needle, so that a single stray one, an octave off, leaves no trace;
/// 2. the cents from that note go through a median, which takes out what is left of the outliers,
/// 3. and through a low-pass of the first order, by the time that went by.
///
/// A new note begins with a needle of its own. After the tone ended the last reading is held for a time.
public struct NeedleSmoother: Sendable {
  /// What is shown.
  public struct Needle: Sendable, Hashable {
    /// Note, cents and frequency, all of them smoothed: the frequency is where the needle stands.
    public let reading: TuningReading
    /// Whether the tone is over, or too uncertain, and this is the last reading.
    public let isHeld: Bool
    /// The time since the note shown began, in seconds.
    public let age: Double
  }

  /// Seconds without any frame after which the next one begins anew, unless the last reading is held for longer.
  public static let maximumGap = 1.0

  /// What frequencies are compared with.
  public let tuning: Tuning
  /// Its strings are the targets, or every note.
  public let instrument: Instrument
  /// How it steadies.
  public let options: NeedleOptions

  private var shown: TuningReading?
  private var begin = 0.0
  /// The time of the last frame that said something, and of the last one at all.
  private var lastTone = 0.0
  private var lastTime = -Double.infinity
  /// When the needle was last moved.
  private var lastMove = 0.0
  /// The cents of the last frames on the note shown.
  private var recent: [Double] = []
  private var needle = 0.0
  /// Frames in a row in which another note was nearer.
  private var doubts = 0

  /// A smoother that shows nothing yet.
  ///
  /// - Parameters:
  ///   - tuning: what frequencies are compared with.
  ///   - instrument: its strings are the targets, or every note.
  ///   - options: how it steadies.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for options out of range.
  public init(
    tuning: Tuning, instrument: Instrument = .chromatic, options: NeedleOptions = NeedleOptions()
  ) throws(AudioError) {
    try options.check()
    self.tuning = tuning
    self.instrument = instrument
    self.options = options
  }

  /// Takes one frame.
  ///
  /// - Parameters:
  ///   - frequency: as measured, in Hz; nil when there is no tone.
  ///   - confidence: 0 to 1.
  ///   - time: of the frame, in seconds, from any beginning. One before the last begins anew; with one that is not finite
  ///     nothing is shown.
  /// - Returns: what is to be shown; nil when there is nothing, at the beginning or when a tone ended long ago.
  public mutating func update(frequency: Double?, confidence: Double, time: Double) -> Needle? {
    guard time.isFinite else {
      reset()
      return nil
    }
    if time < lastTime { reset() }
    lastTime = time
    let isSure = confidence >= options.minimumConfidence
    guard isSure, let frequency, let fresh = tuning.reading(of: frequency, on: instrument) else {
      return hold(at: time)
    }
    if time - lastTone > max(options.holdTime, Self.maximumGap) { reset(at: time) }
    lastTone = time
    guard let former = shown, let kept = tuning.reading(of: frequency, keeping: former, on: instrument) else {
      return begin(with: fresh, at: time)
    }
    let isOther = fresh.step != kept.step || fresh.string != kept.string
    if isOther, abs(kept.cents) - abs(fresh.cents) > options.noteMargin {
      doubts += 1
      guard doubts >= options.noteFrames else { return shown.map { needle($0, isHeld: false, at: time) } }
      return begin(with: fresh, at: time)
    }
    doubts = 0
    return move(to: kept, at: time)
  }

  /// Forgets everything.
  public mutating func reset() { reset(at: -.infinity) }

  private mutating func reset(at time: Double) {
    shown = nil
    recent = []
    doubts = 0
    lastTime = time
  }

  private mutating func begin(with reading: TuningReading, at time: Double) -> Needle {
    recent = [reading.cents]
    needle = reading.cents
    doubts = 0
    begin = time
    lastMove = time
    shown = reading
    return needle(reading, isHeld: false, at: time)
  }

  private mutating func move(to reading: TuningReading, at time: Double) -> Needle {
    recent.append(reading.cents)
    if recent.count > options.medianFrames { recent.removeFirst() }
    let sorted = recent.sorted()
    let middle = sorted.count / 2
    let median = sorted.count % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle])
    // The exact step answer of a low-pass of the first order, whatever the distance of the frames.
    let share = options.timeConstant > 0 ? 1 - exp(-(time - lastMove) / options.timeConstant) : 1
    needle += share * (median - needle)
    lastMove = time
    let moved = reading.moved(to: needle)
    shown = moved
    return needle(moved, isHeld: false, at: time)
  }

  private mutating func hold(at time: Double) -> Needle? {
    doubts = 0
    guard let shown, options.holdTime > 0, time - lastTone <= options.holdTime else {
      reset(at: time)
      return nil
    }
    return needle(shown, isHeld: true, at: time)
  }

  private func needle(_ reading: TuningReading, isHeld: Bool, at time: Double) -> Needle {
    Needle(reading: reading, isHeld: isHeld, age: time - begin)
  }
}

extension TuningReading {
  /// The reading of a tone that is `cents` above the same target.
  func moved(to cents: Double) -> Self {
    Self(
      frequency: target * Tuning.ratio(cents: cents), target: target, cents: cents, note: note, spelling: spelling,
      step: step, string: string, offset: offset)
  }
}
