internal import Foundation

/// A smoother of a tuner's readings: the note does not flicker, and the needle does not jump.
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
/// It has no clock: the same frames at the same times produce the same needle. For each frame with enough confidence 1. the shown
/// note stays until another is nearer by a margin for several consecutive frames; meanwhile the needle does not move, so that a
/// single outlier, an octave off, has no effect; a tone that settles nearer to another note, by however little, is that note after
/// ``settlingTime``: a pluck begins sharp; 2. the cents from that note go through a median, which removes the remaining
/// outliers, 3. and through a first-order low-pass, by the elapsed time.
///
/// A new note begins with a new needle. After the tone has ended the last reading is held for a time.
public struct NeedleSmoother: Sendable {
  /// The shown value.
  public struct Needle: Sendable, Hashable {
    /// Note, cents and frequency, all smoothed: the frequency is that of the needle.
    public let reading: TuningReading
    /// Whether the tone has ended or become too uncertain: its last reading, repeated until ``NeedleOptions/holdTime`` is over.
    public let isHeld: Bool
    /// The time since the beginning of the shown note, in seconds.
    public let age: Double

    package init(reading: TuningReading, isHeld: Bool, age: Double) {
      self.reading = reading
      self.isHeld = isHeld
      self.age = age
    }
  }

  /// The longest gap in seconds between two tones that are smoothed together, unless the last reading is held for longer.
  public static let maximumGap = 1.0
  /// Seconds for which a tone is nearer to another note without interruption, by less than the margin, before that one is shown:
  /// longer than half a period of a vibrato.
  public static let settlingTime = 0.25

  /// The target frequencies.
  public let tuning: Tuning
  /// The instrument, whose strings or notes are the targets.
  public let instrument: Instrument
  /// The smoothing.
  public let options: NeedleOptions

  private var shown: TuningReading?
  private var begin = 0.0
  /// The time of the last frame that counted, and of the last frame.
  private var lastTone = 0.0
  private var lastTime = -Double.infinity
  /// When the needle was last moved.
  private var lastMove = 0.0
  /// The cents of the last frames on the note shown.
  private var recent: [Double] = []
  private var needle = 0.0
  /// Consecutive frames in which another note was nearer.
  private var doubts = 0
  /// The time from which on another note has been nearer in every frame, by however little; nil: the shown one is.
  private var otherSince: Double?

  /// Creates a smoother without a needle.
  ///
  /// - Parameters:
  ///   - tuning: the target frequencies.
  ///   - instrument: the instrument, whose strings or notes are the targets.
  ///   - options: the smoothing.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for options out of range.
  public init(
    tuning: Tuning, instrument: Instrument = .chromatic, options: NeedleOptions = NeedleOptions()
  ) throws(AudioError) {
    try options.check()
    self.tuning = tuning
    self.instrument = instrument
    self.options = options
  }

  /// Updates the needle with one frame.
  ///
  /// - Parameters:
  ///   - frequency: as measured, in Hz; nil when there is no tone.
  ///   - confidence: 0 to 1.
  ///   - time: of the frame, in seconds, from any beginning. A time before the previous frame's starts afresh; with one that is
  ///     not finite there is no needle.
  /// - Returns: the needle; nil at the beginning and after the hold time.
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
    let isOther = fresh.step != kept.step || fresh.stringIndex != kept.stringIndex
    if isOther, abs(kept.cents) - abs(fresh.cents) > options.noteMargin {
      doubts += 1
      guard doubts >= options.noteFrames else { return shown.map { needle($0, isHeld: false, at: time) } }
      return begin(with: fresh, at: time)
    }
    doubts = 0
    let since = isOther ? otherSince ?? time : nil
    if let since, time - since >= Self.settlingTime { return begin(with: fresh, at: time) }
    otherSince = since
    return move(to: kept, at: time)
  }

  /// Discards all frames.
  public mutating func reset() { reset(at: -.infinity) }

  private mutating func reset(at time: Double) {
    shown = nil
    recent = []
    doubts = 0
    otherSince = nil
    lastTime = time
  }

  private mutating func begin(with reading: TuningReading, at time: Double) -> Needle {
    recent = [reading.cents]
    needle = reading.cents
    doubts = 0
    otherSince = nil
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
    // The exact step response of a first-order low-pass, whatever the distance of the frames.
    let share = options.timeConstant > 0 ? 1 - exp(-(time - lastMove) / options.timeConstant) : 1
    needle += share * (median - needle)
    lastMove = time
    let moved = reading.moved(to: needle)
    shown = moved
    return needle(moved, isHeld: false, at: time)
  }

  private mutating func hold(at time: Double) -> Needle? {
    doubts = 0
    otherSince = nil
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
      step: step, stringIndex: stringIndex, offset: offset)
  }
}
