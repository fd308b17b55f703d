/// A tuner for sound that arrives in buffers: the sounding note, and its deviation.
///
/// ```swift
/// let tuner = try Tuner(format: capture.configuration.format)
/// for try await update in try await tuner.updates(of: capture) {
///   print(update.words(), update.frame.confidence)  // A4, 12.3 cents flat 0.98
/// }
/// ```
///
/// It expects one note: for two strings that sound together it may show a third note, their common root.
/// ``TunerUpdate/isPolyphonic`` reports it, ``PlayedNote/isPolyphonic`` of a note, and ``isPolyphonic`` of the whole sound.
///
/// Any task may change the settings while another one delivers buffers; they hold from the next buffer on. It measures one input
/// at a time: a buffer out of order restarts the measurement, and so do dropped frames. Memory is of a fixed size, however long
/// the sound.
public actor Tuner {
  /// The rate and the channels of the sound.
  public nonisolated let format: AudioFormat
  /// The settings.
  public private(set) var configuration: TunerConfiguration
  /// Whether the channels of the sound so far cancel each other, so that their mean has no note.
  public private(set) var cancellation = ChannelCancellation()
  /// Whether most of the sound so far is of several notes: ``PolyphonyMeter/isPresent``. It stays behind the end of the sound, until
  /// another begins.
  public var isPolyphonic: Bool { chords.isPresent }
  /// The last learned reference, with its uncertainty; nil: none.
  public private(set) var learned: ReferenceLearner.Estimate?

  private nonisolated let broadcast = Broadcast<TunerUpdate>()
  private var tracker: PitchTracker
  private var chords: PolyphonyMeter
  /// The recording's frame at which that began, and its verdicts.
  private var chordOrigin: Int64 = 0
  private var polyphony = PolyphonyFollower()
  private var smoother: NeedleSmoother
  private var learner: ReferenceLearner?
  private var collector = InharmonicityCollector()
  /// The recording's frame at which the tracker began, and the next expected one; nil before the first.
  private var origin: Int64 = 0
  private var next: Int64?
  private var droppedFrames: Int64 = 0
  private var overruns = 0
  /// The sound so far, as long as it is too short for an analysis frame.
  private var beginning: [Float] = []

  /// - Parameters:
  ///   - format: of a rate that ``PitchTracker`` accepts, and any channels.
  ///   - configuration: the first settings.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``, or ``AudioError/Code/native``.
  public init(format: AudioFormat, configuration: TunerConfiguration = TunerConfiguration()) throws(AudioError) {
    try configuration.channel.check(channels: format.channels)
    self.format = format
    self.configuration = configuration
    smoother = try NeedleSmoother(
      tuning: configuration.tuning, instrument: configuration.instrument, options: configuration.needle)
    tracker = try PitchTracker(configuration.pitch(sampleRate: format.sampleRate))
    chords = try PolyphonyMeter(sampleRate: format.sampleRate)
  }

  /// The range of pitch in Hz: ``Instrument/pitchRange``, as far as the frame length and the rate allow.
  public var range: ClosedRange<Double> { tracker.range }
  /// The samples of an analysis frame.
  public var frameLength: Int { tracker.frameLength }

  // MARK: settings

  /// Sets the target frequencies. Restarts the needle, and the learning of a reference.
  public func set(tuning: Tuning) {
    guard tuning != configuration.tuning else { return }
    configuration.tuning = tuning
    // The options were checked, and so was the goal.
    if let fresh = try? NeedleSmoother(
      tuning: tuning, instrument: configuration.instrument, options: configuration.needle)
    {
      smoother = fresh
    }
    learner = learner.flatMap { try? ReferenceLearner(tuning: tuning, note: $0.note, goal: $0.goal) }
  }

  /// Changes the current target frequencies, so that a reference learned in the meantime stays; otherwise as ``set(tuning:)``.
  ///
  /// - Parameter change: changes the tuning; if it throws, the tuning stays.
  /// - Returns: the new tuning.
  /// - Throws: the error of `change`.
  @discardableResult
  public func update(_ change: @Sendable (inout Tuning) throws(AudioError) -> Void) throws(AudioError) -> Tuning {
    var tuning = configuration.tuning
    try change(&tuning)
    set(tuning: tuning)
    return tuning
  }

  /// Sets the instrument. Restarts the needle, and if the range of pitch changes, the measurement.
  ///
  /// - Throws: ``AudioError`` when no tracker fits, for example for strings beyond the rate; nothing is changed then.
  public func set(instrument: Instrument) throws(AudioError) {
    guard instrument != configuration.instrument else { return }
    var changed = configuration
    changed.instrument = instrument
    let fresh = try NeedleSmoother(tuning: changed.tuning, instrument: instrument, options: changed.needle)
    if instrument.pitchRange != configuration.instrument.pitchRange {
      tracker = try PitchTracker(changed.pitch(sampleRate: format.sampleRate))
      origin = next ?? 0
      beginning = []
    }
    smoother = fresh
    configuration = changed
  }

  /// Sets the smoothing, and restarts the needle.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func set(needle: NeedleOptions) throws(AudioError) {
    guard needle != configuration.needle else { return }
    smoother = try NeedleSmoother(
      tuning: configuration.tuning, instrument: configuration.instrument, options: needle)
    configuration.needle = needle
  }

  /// Sets the reference pitch, the frequency of A4 in Hz, within ``Tuning/referenceRange``.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func set(reference: Double) throws(AudioError) {
    try update { tuning throws(AudioError) in tuning = try tuning.with(reference: reference) }
  }

  /// Sets the parts per million by which the sound card's clock is fast, within ``Tuning/clockCorrectionRange``.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func set(clockCorrection: Double) throws(AudioError) {
    try update { tuning throws(AudioError) in tuning = try tuning.with(clockCorrection: clockCorrection) }
  }

  // MARK: learning

  /// Learns the reference from the note played from now on. When the goal is reached, the tuning has the reference, ``learned``
  /// reports it, and learning ends.
  ///
  /// - Parameters:
  ///   - note: the played note as written; nil: the nearest to the sound.
  ///   - goal: the condition that ends learning; nil: the default one with the overlap of the tracker's frames.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for a goal out of range.
  public func learnReference(note: Note? = nil, goal: ReferenceLearner.Goal? = nil) throws(AudioError) {
    let usual = ReferenceLearner.Goal(overlap: max(1, tracker.frameLength / configuration.hop))
    learner = try ReferenceLearner(tuning: configuration.tuning, note: note, goal: goal ?? usual)
  }

  /// Ends the learning of a reference without a result.
  public func stopLearning() { learner = nil }

  /// Whether a reference is being learned.
  public var isLearning: Bool { learner != nil }

  /// The estimate so far of the reference that is being learned; nil before the third reading and when none is learned.
  public var learning: ReferenceLearner.Estimate? { learner?.result }

  /// B of the notes played so far, each the median of its frames (``InharmonicityCollector``).
  public var inharmonicities: [StretchCurve.Point] { collector.points }

  /// Sets the stretch of the tuning from B of the notes played so far.
  ///
  /// - Parameter octave: which partials are to agree.
  /// - Returns: the tuning's new curve; nil when no note lasted long enough: nothing is changed then.
  /// - Throws: ``AudioError`` as ``StretchCurve/init(points:octave:)``.
  @discardableResult
  public func stretchAsMeasured(octave: StretchCurve.Octave = .fourToTwo) throws(AudioError) -> StretchCurve? {
    guard let curve = try collector.curve(octave: octave) else { return nil }
    set(tuning: configuration.tuning.with(stretch: curve))
    return curve
  }

  /// Discards B of the notes played so far.
  public func forgetInharmonicities() { collector.reset() }

  // MARK: sound

  /// Processes a buffer.
  /// - Returns: an update for each analysis frame that it completes; a short one completes none.
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``; the buffer does not count then.
  @discardableResult
  public func process(_ buffer: PCMBuffer) throws(AudioError) -> [TunerUpdate] {
    try buffer.expect(format)
    droppedFrames += buffer.droppedFrames
    if buffer.droppedFrames > 0 || buffer.position != next {
      // A frame across the gap would hold a tone that nobody played.
      tracker.reset()
      if buffer.droppedFrames > 0, next != nil { chords.skip() } else { chords.restart() }
      polyphony = PolyphonyFollower(from: chords)
      (origin, chordOrigin) = (buffer.position, buffer.position)
      beginning = []
    }
    next = buffer.position + Int64(buffer.frameCount)
    overruns = buffer.overruns
    var frames: [PitchFrame] = []
    let samples = buffer.mono(channel: configuration.channel)
    cancellation.add(buffer, configuration.channel, mono: samples)
    try tracker.process(samples.span, into: &frames)
    try chords.process(samples.span)
    polyphony.take(from: chords, origin: chordOrigin)
    let length = Int(buffer.position - origin) + buffer.frameCount
    beginning = length < tracker.frameLength ? beginning + samples : []
    return shown(frames)
  }

  /// Ends the sound: the next buffer is of another. Where it was shorter than an analysis frame, it is measured in the longest
  /// frames that it holds, which raises the lower end of the range.
  /// - Returns: an update for each of these frames; none of longer sound.
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  @discardableResult
  public func finish() throws(AudioError) -> [TunerUpdate] {
    let samples = beginning
    tracker.reset()
    try chords.finish()
    polyphony.take(from: chords, origin: chordOrigin)
    (beginning, next) = ([], nil)
    guard let short = try configuration.pitch(sampleRate: format.sampleRate, samples: samples.count) else { return [] }
    return shown(try PitchTracker.contour(of: samples.span, configuration: short))
  }

  /// Returns the updates of frames, and passes them to the other consumers.
  private func shown(_ frames: [PitchFrame]) -> [TunerUpdate] {
    frames.map { frame in
      let update = update(frame.moved(by: origin, sampleRate: format.sampleRate), overruns: overruns)
      broadcast.show(update)
      return update
    }
  }

  /// The updates from now on, each consumer's newest unseen one: a consumer that is too slow does not receive older ones. The
  /// stream ends with the tuner.
  public nonisolated func updates() -> AsyncStream<TunerUpdate> { broadcast.stream() }

  /// Opens an input and returns the updates: of every frame, or the newest after each `interval` of sound, and at the end the
  /// last one if it was not returned. A cancelled task gets that one, and then nil.
  ///
  /// - Parameters:
  ///   - input: sound of this tuner's format; another format is an error.
  ///   - interval: of sound; 0 or less: every frame.
  /// - Throws: what the input throws when it cannot be opened.
  public nonisolated func updates<Input: AudioInput>(
    of input: Input, every interval: Duration = .zero
  ) async throws -> TunerUpdates<Input.Buffers> {
    TunerUpdates(tuner: self, buffers: try await input.buffers(), interval: max(0, interval / .seconds(1)))
  }

  private func update(_ frame: PitchFrame, overruns: Int) -> TunerUpdate {
    let tuning = configuration.tuning
    let verdict = polyphony.advance(to: frame.sample + Int64(tracker.frameLength / 2))
    let isVoiced = frame.isVoiced(from: configuration.needle.minimumConfidence)
    let frequency = isVoiced ? frame.frequency : nil
    let reading = frequency.flatMap { tuning.reading(of: $0, on: configuration.instrument) }
    let needle = smoother.update(frequency: frame.frequency, confidence: frame.confidence, time: frame.time)
    // The other methods report no inharmonicity.
    if let reading, abs(reading.cents) <= 50, configuration.method == .harmonic {
      let sounding = reading.note.transposed(by: -tuning.transposition)
      collector.add(note: sounding, inharmonicity: frame.inharmonicity, confidence: frame.confidence)
    }
    let update = TunerUpdate(
      time: frame.time, frame: frame, reading: reading, needle: needle, tuning: tuning, isLearning: isLearning,
      droppedFrames: droppedFrames, overruns: overruns, polyphony: verdict)
    if let frequency { learn(frequency, frame) }
    return update
  }

  private func learn(_ frequency: Double, _ frame: PitchFrame) {
    let deviation = frame.deviation > 0 ? frame.deviation : nil
    learner?.add(frequency: frequency, confidence: frame.confidence, deviation: deviation)
    guard let result = learner?.result, result.isEnough,
      let tuning = try? configuration.tuning.with(reference: result.reference)
    else {
      return
    }
    learner = nil
    learned = result
    set(tuning: tuning)
  }
}

extension PitchFrame {
  /// A tracker's frame with the time of the recording, at whose other frame the tracker began.
  fileprivate func moved(by origin: Int64, sampleRate: Double) -> Self {
    var frame = self
    frame.sample += origin
    frame.time = Double(frame.sample) / sampleRate
    return frame
  }
}
