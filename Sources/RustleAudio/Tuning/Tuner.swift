/// A tuner: which note sounds, and by how much it is off, of sound that comes in buffers.
///
/// ```swift
/// let tuner = try Tuner(format: capture.configuration.format)
/// for try await update in try await tuner.updates(of: capture) {
///   print(update.words(), update.frame.confidence)  // A4, 12.3 cents flat 0.98
/// }
/// ```
///
/// It hears one tone: of two strings that sound together it may show a third note, whatever the confidence.
///
/// Any task may change what it is set to while another one feeds it; what is set holds from the next buffer on. It takes one
/// input at a time: a buffer that does not follow the one before begins the measurement anew, and so does a loss. Memory is of a
/// fixed size, however long the sound.
public actor Tuner {
  /// The rate and the channels that it takes.
  public nonisolated let format: AudioFormat
  /// What it is set to.
  public private(set) var configuration: TunerConfiguration
  /// The last reference that was learned, with its uncertainty; nil: none.
  public private(set) var learned: ReferenceLearner.Result?

  private nonisolated let broadcast = Broadcast<TunerUpdate>()
  private var tracker: PitchTracker
  private var smoother: NeedleSmoother
  private var learner: ReferenceLearner?
  private var collector = InharmonicityCollector()
  /// The frame of the recording at which the tracker began, and the one that it expects next; nil before the first.
  private var origin: Int64 = 0
  private var next: Int64?
  private var droppedFrames: Int64 = 0

  /// - Parameters:
  ///   - format: of a rate that ``PitchTracker`` takes, and any channels.
  ///   - configuration: what it is set to first.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``, or ``AudioError/Code/native``.
  public init(format: AudioFormat, configuration: TunerConfiguration = TunerConfiguration()) throws(AudioError) {
    if case .channel(let channel) = configuration.channel, !(0..<format.channels).contains(channel) {
      throw .validation("channel", expected: "one below \(format.channels)", got: "\(channel)")
    }
    self.format = format
    self.configuration = configuration
    smoother = try NeedleSmoother(
      tuning: configuration.tuning, instrument: configuration.instrument, options: configuration.needle)
    tracker = try PitchTracker(configuration.pitch(sampleRate: format.sampleRate))
  }

  /// The frequencies that are looked for, in Hz: those of ``Instrument/pitchRange`` that the window and the rate allow.
  public var range: ClosedRange<Double> { tracker.range }
  /// The samples that a frame is measured from.
  public var window: Int { tracker.window }

  // MARK: settings

  /// Sets what frequencies are compared with. The needle begins anew, and so does a reference that is being learned.
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

  /// Changes what frequencies are compared with, from what that is by then: what was learned in the meantime stays. As
  /// ``set(tuning:)`` otherwise.
  ///
  /// - Parameter change: what is to be changed of it; when it throws nothing is.
  /// - Returns: what holds now.
  /// - Throws: what `change` throws.
  @discardableResult
  public func update(_ change: @Sendable (inout Tuning) throws(AudioError) -> Void) throws(AudioError) -> Tuning {
    var tuning = configuration.tuning
    try change(&tuning)
    set(tuning: tuning)
    return tuning
  }

  /// Sets what is tuned. The needle begins anew, and where other frequencies are to be looked for the measurement does.
  ///
  /// - Throws: ``AudioError`` when the tracker cannot be made, for example of strings that are beyond the rate; nothing is
  ///   changed then.
  public func set(instrument: Instrument) throws(AudioError) {
    guard instrument != configuration.instrument else { return }
    var changed = configuration
    changed.instrument = instrument
    let fresh = try NeedleSmoother(tuning: changed.tuning, instrument: instrument, options: changed.needle)
    if instrument.pitchRange != configuration.instrument.pitchRange {
      tracker = try PitchTracker(changed.pitch(sampleRate: format.sampleRate))
      origin = next ?? 0
    }
    smoother = fresh
    configuration = changed
  }

  /// Sets how the needle is steadied; it begins anew.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func set(needle: NeedleOptions) throws(AudioError) {
    guard needle != configuration.needle else { return }
    smoother = try NeedleSmoother(
      tuning: configuration.tuning, instrument: configuration.instrument, options: needle)
    configuration.needle = needle
  }

  /// Sets what A4 sounds at, in Hz within ``Tuning/referenceRange``.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func set(reference: Double) throws(AudioError) {
    try update { tuning throws(AudioError) in tuning = try tuning.with(reference: reference) }
  }

  /// Sets by how many parts per million the sound card's clock is fast, within ``Tuning/clockCorrectionRange``.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func set(clockCorrection: Double) throws(AudioError) {
    try update { tuning throws(AudioError) in tuning = try tuning.with(clockCorrection: clockCorrection) }
  }

  // MARK: what is learned

  /// Learns the reference from the note that is played from now on. When the goal is reached the tuning has it, ``learned`` tells
  /// of it, and learning is over.
  ///
  /// - Parameters:
  ///   - note: the written note that is played; nil: whichever is nearest to what sounds.
  ///   - goal: when there is enough; nil: the usual one, for frames that overlap as the tracker's do.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for a goal out of range.
  public func learnReference(note: Note? = nil, goal: ReferenceLearner.Goal? = nil) throws(AudioError) {
    let usual = ReferenceLearner.Goal(overlap: max(1, tracker.window / configuration.hop))
    learner = try ReferenceLearner(tuning: configuration.tuning, note: note, goal: goal ?? usual)
  }

  /// Ends the learning of a reference without a result.
  public func stopLearning() { learner = nil }

  /// Whether a reference is being learned.
  public var isLearning: Bool { learner != nil }

  /// What is known so far of the reference that is being learned; nil before the third reading and when none is.
  public var learning: ReferenceLearner.Result? { learner?.result }

  /// B of the notes that were played so far, each the median of its frames (``InharmonicityCollector``).
  public var inharmonicities: [StretchCurve.Point] { collector.points }

  /// Makes the stretch of the tuning from B of the notes that were played so far.
  ///
  /// - Parameter octave: which partials are to agree.
  /// - Returns: the curve that the tuning has now; nil when no note was heard for long enough: nothing is changed then.
  /// - Throws: ``AudioError`` as ``StretchCurve/init(points:octave:)``.
  @discardableResult
  public func stretchAsMeasured(octave: StretchCurve.Octave = .fourToTwo) throws(AudioError) -> StretchCurve? {
    guard let curve = try collector.curve(octave: octave) else { return nil }
    set(tuning: configuration.tuning.with(stretch: curve))
    return curve
  }

  /// Forgets B of the notes that were played.
  public func forgetInharmonicities() { collector.reset() }

  // MARK: sound

  /// Takes a buffer.
  ///
  /// - Returns: an update for each frame that it completes; none of a short one.
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``; the buffer does not count then.
  @discardableResult
  public func process(_ buffer: PCMBuffer) throws(AudioError) -> [TunerUpdate] {
    try buffer.expect(format)
    droppedFrames += buffer.droppedFrames
    if buffer.droppedFrames > 0 || buffer.position != next {
      // A window across the hole would hold a tone that nobody played.
      tracker.reset()
      origin = buffer.position
    }
    next = buffer.position + Int64(buffer.frameCount)
    var frames: [PitchFrame] = []
    let samples = buffer.mono(channel: configuration.channel.index)
    try tracker.process(samples.span, into: &frames)
    return frames.map { frame in
      let update = update(frame.moved(by: origin, sampleRate: format.sampleRate), overruns: buffer.overruns)
      broadcast.show(update)
      return update
    }
  }

  /// What it shows from now on, the newest of what a listener has not seen: a view that is slow leaves out what is past. It
  /// ends with the tuner.
  public nonisolated func updates() -> AsyncStream<TunerUpdate> { broadcast.stream() }

  /// Listens to an input, and gives what the tuner shows: of every frame, or the newest after each `interval` of sound, and at
  /// the end the last one when it has not been given. A task that is cancelled is given that one, and then nil.
  ///
  /// - Parameters:
  ///   - input: of this tuner's format; another one is an error.
  ///   - interval: of sound; 0 or less: every frame.
  /// - Throws: what the input throws when it cannot be opened.
  public nonisolated func updates<Input: AudioInput>(
    of input: Input, every interval: Duration = .zero
  ) async throws -> TunerUpdates<Input.Buffers> {
    TunerUpdates(tuner: self, buffers: try await input.buffers(), interval: max(0, interval / .seconds(1)))
  }

  private func update(_ frame: PitchFrame, overruns: Int) -> TunerUpdate {
    let tuning = configuration.tuning
    let isVoiced = frame.isVoiced(from: configuration.needle.minimumConfidence)
    let frequency = isVoiced ? frame.frequency : nil
    let reading = frequency.flatMap { tuning.reading(of: $0, on: configuration.instrument) }
    let needle = smoother.update(frequency: frame.frequency, confidence: frame.confidence, time: frame.time)
    // The other methods tell no inharmonicity.
    if let reading, abs(reading.cents) <= 50, configuration.method == .harmonic {
      let sounding = reading.note.transposed(by: -tuning.transposition)
      collector.add(note: sounding, inharmonicity: frame.inharmonicity, confidence: frame.confidence)
    }
    let update = TunerUpdate(
      time: frame.time, frame: frame, reading: reading, needle: needle, tuning: tuning, isLearning: isLearning,
      droppedFrames: droppedFrames, overruns: overruns)
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
  /// The frame of a tracker that began at another frame of the recording.
  fileprivate func moved(by origin: Int64, sampleRate: Double) -> Self {
    var frame = self
    frame.sample += origin
    frame.time = Double(frame.sample) / sampleRate
    return frame
  }
}
