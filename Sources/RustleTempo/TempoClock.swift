public import RustleCore

/// One clock of beats from several sources: a session with peers, taps, MIDI clock, beats heard in audio, and a tempo of the user's.
///
/// ```swift
/// let session = try LinkSession()
/// let clock = try TempoClock(following: session)
/// try session.enable()
/// try clock.setTempo(96)
/// let state = clock.beats()
/// print(state.source, state.tempo, state.barPhase)
/// await clock.shutDown()
/// await session.close()
/// ```
///
/// It follows the best source that is there: by default the session while it has peers, taps for 30 s, MIDI clock, audio with enough
/// confidence, and otherwise the user's tempo. A better source is followed at once; one that has gone is followed on for 5 s. The count of
/// beats goes on over every change. Any thread may read beats and make changes.
public actor TempoClock: NativeStreamEngine {
  /// How a clock is read, and its session.
  public struct Configuration: Sendable, Hashable {
    /// The tempo and the quantum at the start, and the rate of reports; the rest counts for a ``LinkSession`` alone.
    public var session = LinkSession.Configuration()
    /// Which beats are reported.
    public var reading = Reading.smooth

    /// The smooth beats of 120 beats per minute, a report a second.
    public init() {}
  }

  /// The readings of a clock.
  public enum Reading: Sendable, Hashable, CaseIterable {
    /// Beats that walk to a change by at most 1 ms in 22.7 ms: for lights.
    case smooth
    /// Beats that may jump when the source does, or another one takes over: for sequencers.
    case exact

    var native: NativeBeatReading { self == .smooth ? .smooth : .exact }
  }

  /// How it is read.
  public nonisolated let configuration: Configuration
  /// The native side.
  package nonisolated let native: TempoHandle
  /// The sessions of reports.
  package let streams = EngineStreams()

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - configuration: how it is read.
  ///   - session: the session that it follows while that has peers; nil: none.
  /// - Throws: ``TempoError`` with ``TempoError/Code/validation``.
  public init(
    _ configuration: Configuration = Configuration(), following session: LinkSession? = nil
  ) throws(TempoError) {
    try self.init(configuration, following: session, runtime: nil)
  }

  /// Creates a clock on the caller's runtime.
  package init(
    _ configuration: Configuration, following session: LinkSession? = nil, runtime: NativeRuntime?
  ) throws(TempoError) {
    self.configuration = configuration
    let native = try configuration.session.native(configuration.reading.native)
    self.native = try TempoError.rethrowing { () throws(NativeError) in
      try TempoHandle(native, session: session?.native, runtime: runtime)
    }
  }

  /// The beat at a host time, a little in the past or in the future; nil: now. It takes no lock.
  ///
  /// - Parameters:
  ///   - time: the host time.
  ///   - reading: nil: that of the configuration.
  public nonisolated func beats(at time: HostTime? = nil, reading: Reading? = nil) -> BeatState {
    let reading = (reading ?? configuration.reading).native
    let read = NativeError.logging { () throws(NativeError) in
      BeatState(try native.beat(at: time?.microseconds, reading))
    }
    return read ?? BeatState(refused: time ?? .now)
  }

  /// Sets the user's tempo in beats per minute, 20 to 999, and that of the session.
  ///
  /// - Throws: ``TempoError`` with ``TempoError/Code/validation``.
  public nonisolated func setTempo(_ tempo: Double) throws(TempoError) { try native.changing(.tempo, tempo) }

  /// Sets the beats of a bar, above 0 and at most 1,000,000.
  ///
  /// - Throws: as ``setTempo(_:)``.
  public nonisolated func setQuantum(_ quantum: Double) throws(TempoError) { try native.changing(.quantum, quantum) }

  /// Records a tap; nil: at the present time. See ``TapTempo``.
  ///
  /// - Throws: ``TempoError`` with ``TempoError/Code/native`` in a fork.
  @discardableResult
  public nonisolated func tap(at time: HostTime? = nil) throws(TempoError) -> TapTempo.Outcome {
    try native.tapping(at: time)
  }

  /// Tempo and phase of the taps; nil before the second one.
  public nonisolated var taps: TapTempo.Estimate? {
    NativeError.logging { () throws(NativeError) in try native.taps() }.flatMap { TapTempo.Estimate($0) }
  }

  /// Halves the taps' tempo.
  ///
  /// - Throws: as ``tap(at:)``; with ``TempoError/Code/validation`` without two taps, and below 20 beats per minute.
  public nonisolated func halveTaps() throws(TempoError) { try native.changing(.halve) }

  /// Doubles the taps' tempo.
  ///
  /// - Throws: as ``halveTaps()``, above 999 beats per minute.
  public nonisolated func doubleTaps() throws(TempoError) { try native.changing(.double) }

  /// Makes the taps' beats later, or earlier if negative, by at most 10 s.
  ///
  /// - Throws: as ``setTempo(_:)``.
  public nonisolated func nudgeTaps(by duration: Duration) throws(TempoError) {
    try native.changing(.nudge, duration / .milliseconds(1))
  }

  /// Makes the taps' beat nearest to a host time a downbeat.
  ///
  /// - Throws: as ``tap(at:)``; with ``TempoError/Code/validation`` without two taps.
  public nonisolated func setDownbeat(at time: HostTime? = nil) throws(TempoError) {
    try native.changing(.downbeat, at: time)
  }

  /// Holds the taps, so that they do not age, or lets them.
  ///
  /// - Throws: as ``tap(at:)``.
  public nonisolated func holdTaps(_ isHeld: Bool) throws(TempoError) {
    try native.changing(.holdsTaps, isHeld ? 1 : 0)
  }

  /// Forgets the taps.
  ///
  /// - Throws: as ``tap(at:)``.
  public nonisolated func forgetTaps() throws(TempoError) { try native.changing(.forgetTaps) }

  /// Takes the bytes of a MIDI stream that came at a host time: timing clock, start, continue, stop and song position are read.
  ///
  /// - Throws: as ``tap(at:)``.
  public nonisolated func receiveMIDI(_ bytes: [UInt8], at time: HostTime = .now) throws(TempoError) {
    for byte in bytes { try native.changing(.midiByte, Double(byte), at: time) }
  }

  /// Takes a beat that was heard in audio.
  ///
  /// - Parameters:
  ///   - time: the beat's time.
  ///   - tempo: in beats per minute, 20 to 999.
  ///   - confidence: 0 to 1.
  ///   - phaseError: the standard error of the time.
  /// - Throws: as ``setTempo(_:)``.
  public nonisolated func hearBeat(
    at time: HostTime, tempo: Double, confidence: Double, phaseError: Duration = .zero
  ) throws(TempoError) {
    try native.changing(
      .heard, tempo, at: time, confidence: confidence, phaseError: phaseError / .milliseconds(1))
  }

  /// Sets the confidence from which audio is followed, 0 to 1; 0.3 at first.
  ///
  /// - Throws: as ``setTempo(_:)``.
  public nonisolated func setAudioConfidence(_ confidence: Double) throws(TempoError) {
    try native.changing(.audioConfidence, confidence)
  }

  /// Makes a source the first choice, before the others in the order that they have.
  ///
  /// - Throws: as ``tap(at:)``.
  public nonisolated func prefer(_ source: TempoSource) throws(TempoError) {
    let native: NativeTempoSource =
      switch source {
      case .link: .link
      case .tap: .tap
      case .midi: .midi
      case .audio: .audio
      case .manual: .manual
      }
    try self.native.changing(.prefer, Double(native.rawValue))
  }

  /// Moves the smooth beats to the exact ones at once.
  ///
  /// - Throws: as ``tap(at:)``.
  public nonisolated func jump() throws(TempoError) { try native.changing(.jump) }

  /// Starts a stream of the state at the configured rate, the present one at once, and of each change.
  ///
  /// - Parameter buffering: how the reports travel; by default the newest 64 wait.
  /// - Throws: ``TempoError`` with ``TempoError/Code/validation`` or ``TempoError/Code/shutDown``.
  public func reports(
    buffering: StreamBuffering = .batched(capacity: 64, overflow: .dropOldest)
  ) throws(TempoError) -> EngineStream<TempoReport> {
    try started(orThrow: TempoError.self) { () throws(NativeError) in
      try native.start(buffering: buffering, reader: ElementReader { TempoReport($0) }, sequenceNumber: \.sequence)
    }
  }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  package func refuseStreams() { native.shutDown() }
}
