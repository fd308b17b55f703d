/// One played note, from its first to its last frame.
public struct PlayedNote: Equatable, Sendable {
  /// The note, as the player reads it: `A4`.
  public let name: String
  /// The number of the string, from 1; nil without strings.
  public let stringNumber: Int?
  /// The time of the note's first frame, in seconds.
  public let begin: Double
  /// The time of the note's last frame, in seconds.
  public let end: Double
  /// The target, in Hz.
  public let target: Double
  /// The cents above the target: the median of its frames.
  public let cents: Double
  /// The median of the distances from ``cents``, in cents: half of the frames are within it.
  public let spread: Double
  /// The number of the note's frames.
  public let frames: Int
  /// Whether several notes sound at once in most of it, for at least 0.3 s: as ``PolyphonyMeter/isPresentNow``, of the note's time.
  /// The only note of a sound may be shorter.
  public let isPolyphonic: Bool

  /// The frequency, in Hz.
  public var frequency: Double { target * Tuning.ratio(cents: cents) }

  /// Returns whether the note is flat, in tune or sharp.
  ///
  /// - Parameter tolerance: the largest deviation that is in tune, in cents, 0 or more.
  public func direction(tolerance: Double = TuningReading.defaultTolerance) -> TuningReading.Direction {
    TuningReading.Direction(cents: cents, tolerance: tolerance)
  }
}

/// A division of a ``Tuner``'s updates into notes: a note ends with another target, and with a pause.
///
/// ```swift
/// var notes = PlayedNotes()
/// for try await update in try await tuner.updates(of: input) {
///   if let note = notes.add(update) { print(note.name, note.cents) }
/// }
/// if let last = notes.finish() { print(last.name, last.cents) }
/// ```
///
/// A note takes 64 KiB at most: of more than ``maximumValueCount`` frames every second one counts for the median, then every
/// fourth, and so on.
public struct PlayedNotes: Sendable {
  /// The time without a tone that ends a note, in seconds: a shorter one is unsteadiness of the note.
  public static let maximumPause = 0.25
  /// The fewest frames of a note: fewer are noises with a pitch.
  public static let minimumFrameCount = 5
  /// The most values kept of a note.
  public static let maximumValueCount = 8_192

  /// The notes that have ended, in order.
  public private(set) var notes: [PlayedNote] = []
  private var current: Run?

  /// The frames of a note so far.
  private struct Run {
    private(set) var reading: TuningReading
    let tuning: Tuning
    let begin: Double
    var end: Double
    /// The frames of the sound with several notes, before the note and at its end.
    let countBefore: PolyphonyCount
    var count: PolyphonyCount
    var cents: [Double] = []
    var frames = 0
    var stride = 1

    mutating func add(_ value: Double) {
      if frames % stride == 0 { cents.append(value) }
      frames += 1
      guard cents.count > PlayedNotes.maximumValueCount else { return }
      cents = cents.indices.filter { $0.isMultiple(of: 2) }.map { cents[$0] }
      stride *= 2
    }

    /// Returns the same frames as a note of another target, if their median is nearer to that one: the needle was at a neighbour
    /// of the note until it had settled.
    func settled(on reading: TuningReading) -> Self? {
      let shift = Tuning.cents(self.reading.target / reading.target)
      guard let median = cents.median, abs(median + shift) < abs(median) else { return nil }
      var run = self
      (run.reading, run.cents) = (reading, cents.map { $0 + shift })
      return run
    }
  }

  /// Creates a division without notes.
  public init() {}

  /// Adds a tuner's next update; pass all of them.
  /// - Returns: the note that this update ends; nil for none.
  public mutating func add(_ update: TunerUpdate) -> PlayedNote? {
    guard let needle = update.needle else {
      // One frame without a tone is not an end, even without a hold time.
      guard let run = current, (run.end...run.end + Self.maximumPause).contains(update.time) else { return finish() }
      return nil
    }
    var ended: PlayedNote?
    if let run = current {
      // A target is the same when its frequency is: a changed tuning begins another note.
      let isSame = run.reading.target == needle.reading.target && run.reading.stringIndex == needle.reading.stringIndex
      let isApart = update.time - run.end > Self.maximumPause || update.time < run.end
      let isTuningSame = run.tuning == update.tuning
      if !isSame, !isApart, isTuningSame, !needle.isHeld, let settled = run.settled(on: needle.reading) {
        current = settled
      } else if !isSame || isApart {
        ended = finish()
      }
    }
    guard !needle.isHeld, let reading = update.reading else { return ended }
    let count = update.polyphony.count
    var run =
      current
      ?? Run(
        reading: needle.reading, tuning: update.tuning, begin: update.time, end: update.time, countBefore: count,
        count: count)
    (run.end, run.count) = (update.time, count)
    // Relative to the shown target: an outlier belongs to this note.
    run.add(Tuning.cents(reading.frequency / needle.reading.target))
    current = run
    return ended
  }

  /// Ends the current note.
  ///
  /// - Parameter isPolyphonic: of a sound that is over, ``Tuner/isPolyphonic``, which takes fewer frames than a note does: the verdict
  ///   on the sound is also that on its only note.
  /// - Returns: the note, if it is long enough.
  public mutating func finish(isPolyphonic: Bool = false) -> PlayedNote? {
    guard let run = current else { return nil }
    current = nil
    guard run.frames >= Self.minimumFrameCount else { return nil }
    let cents = run.cents.median ?? 0
    let note = PlayedNote(
      name: run.reading.noteText, stringNumber: run.reading.stringIndex.map { $0 + 1 }, begin: run.begin, end: run.end,
      target: run.reading.target, cents: cents, spread: run.cents.map { abs($0 - cents) }.median ?? 0,
      frames: run.frames,
      isPolyphonic: run.count.since(run.countBefore).isPresent
        || isPolyphonic && notes.isEmpty && !run.countBefore.isPresent)
    notes.append(note)
    return note
  }

  /// The median of the notes' cents, weighted by their frames; nil without notes.
  public var medianCents: Double? {
    let sorted = notes.sorted { $0.cents < $1.cents }
    let half = 0.5 * Double(sorted.reduce(0) { $0 + $1.frames })
    var below = 0.0
    for note in sorted {
      below += Double(note.frames)
      if below >= half { return note.cents }
    }
    return nil
  }
}
