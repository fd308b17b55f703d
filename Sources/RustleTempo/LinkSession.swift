public import RustleCore

/// A member of tempo sessions that are compatible with Ableton Link: programs on a network share tempo and phase, starts and stops.
///
/// ```swift
/// let session = try LinkSession()
/// try session.enable()
/// print(session.beats().tempo, session.beats().peerCount)
/// try session.setTempo(128)
/// await session.close()
/// ```
///
/// Enabling alone changes nothing for others: this program takes the session's tempo and phase. Beats are read, and changes made, from any
/// thread. Closing or dropping it says to the others that it leaves.
public actor LinkSession: NativeStreamEngine {
  /// How a member takes part.
  public struct Configuration: Sendable, Hashable {
    /// The tempo in beats per minute while there are no peers, 20 to 999.
    public var tempo = 120.0
    /// The beats of a bar, more than 0 to 1,000,000. Bars are this program's own: the others share beats and their phase.
    public var quantum = 4.0
    /// Whether starts and stops are shared.
    public var sharesStartStop = false
    /// The network interfaces by name or address, which may be down; nil: all, with the loopback, by which programs of one machine hear
    /// each other; empty: the loopback.
    public var interfaces: [String]?
    /// The port of the session's programs, 1 to 65535; 20808 is that of other programs. Those of different ports do not meet.
    public var port = 20_808
    /// Reports of the state a second, 0.001 to 10,000,000.
    public var reportRate = 1.0
    /// The number of reports after which a stream ends, those of changes among them; nil: no limit.
    public var reportLimit: Int?

    /// 120 beats per minute on all interfaces.
    public init() {}

    func native(_ reading: NativeBeatReading) throws(TempoError) -> NativeTempoConfiguration {
      NativeTempoConfiguration(
        interfaces: try nativeInterfaces(interfaces, port: port), beatsAMinute: tempo, quantum: quantum,
        reportsPerSecond: reportRate, reportLimit: reportLimit.map { UInt64(clamping: $0) } ?? 0, followed: 0,
        reading: reading, followsStartStop: sharesStartStop, port: port)
    }
  }

  /// How it takes part.
  public nonisolated let configuration: Configuration
  /// The native side.
  package nonisolated let native: TempoHandle
  /// The sessions of reports.
  package let streams = EngineStreams()

  /// Creates a member, which takes part in nothing yet.
  ///
  /// - Throws: ``TempoError`` with ``TempoError/Code/validation``.
  public init(_ configuration: Configuration = Configuration()) throws(TempoError) {
    try self.init(configuration, runtime: nil)
  }

  /// Creates a member on the caller's runtime.
  package init(_ configuration: Configuration, runtime: NativeRuntime?) throws(TempoError) {
    self.configuration = configuration
    let native = try configuration.native(.session)
    self.native = try TempoError.rethrowing { () throws(NativeError) in try TempoHandle(native, runtime: runtime) }
  }

  /// Takes part: opens the interfaces. Has no effect while it does.
  ///
  /// - Throws: ``TempoError`` with ``TempoError/Code/unknownInterface``, ``TempoError/Code/network`` or ``TempoError/Code/shutDown``.
  public nonisolated func enable() throws(TempoError) { try change(.enabled, 1) }

  /// Leaves: the message to the others is sent when this returns. The beats go on.
  ///
  /// - Throws: ``TempoError`` with ``TempoError/Code/native`` in a fork.
  public nonisolated func disable() throws(TempoError) { try change(.enabled, 0) }

  /// Whether it takes part.
  public nonisolated var isEnabled: Bool { beats().isEnabled }
  /// The other members of the session.
  public nonisolated var peerCount: Int { beats().peerCount }
  /// The tempo in beats per minute.
  public nonisolated var tempo: Double { beats().tempo }

  /// The beat at a host time, a little in the past or in the future; nil: now. It takes no lock and allocates no memory.
  public nonisolated func beats(at time: HostTime? = nil) -> BeatState {
    let read = NativeError.logging { () throws(NativeError) in
      BeatState(try native.beat(at: time?.microseconds, .session))
    }
    return read ?? BeatState(refused: time ?? .now)
  }

  /// Sets the session's tempo for all, with the beat at a host time unchanged.
  ///
  /// - Parameters:
  ///   - tempo: in beats per minute, 20 to 999.
  ///   - time: nil: now.
  /// - Throws: ``TempoError`` with ``TempoError/Code/validation``.
  public nonisolated func setTempo(_ tempo: Double, at time: HostTime? = nil) throws(TempoError) {
    try change(.tempo, tempo, at: time)
  }

  /// Starts or stops at a host time; for all, if starts and stops are shared. ``BeatState/isPlaying`` says so at once.
  ///
  /// - Throws: as ``disable()``.
  public nonisolated func setPlaying(_ isPlaying: Bool, at time: HostTime? = nil) throws(TempoError) {
    try change(.playing, isPlaying ? 1 : 0, at: time)
  }

  /// Shares starts and stops from now on, or does not.
  ///
  /// - Throws: as ``disable()``.
  public nonisolated func setSharesStartStop(_ shares: Bool) throws(TempoError) {
    try change(.followsStartStop, shares ? 1 : 0)
  }

  /// Sets the beats of a bar, more than 0 to 1,000,000.
  ///
  /// - Throws: as ``setTempo(_:at:)``.
  public nonisolated func setQuantum(_ quantum: Double) throws(TempoError) { try change(.quantum, quantum) }

  /// Counts a beat, -9e12 to 9e12, at a host time; with peers at the next one at which its phase in the quantum is the session's.
  ///
  /// - Returns: the time at which the beat is.
  /// - Throws: as ``setTempo(_:at:)``.
  @discardableResult
  public nonisolated func requestBeat(_ beat: Double, at time: HostTime? = nil) throws(TempoError) -> HostTime {
    try change(.requestBeat, beat, at: time)
  }

  /// Counts a beat at a host time, and moves the phase of everybody in the session.
  ///
  /// - Throws: as ``setTempo(_:at:)``.
  public nonisolated func forceBeat(_ beat: Double, at time: HostTime? = nil) throws(TempoError) {
    try change(.forceBeat, beat, at: time)
  }

  /// Starts a stream of the state at the configured rate, the present one at once, and of each change.
  ///
  /// - Parameter buffering: how the reports travel; by default the newest 64 wait.
  /// - Throws: ``TempoError`` with ``TempoError/Code/validation`` or ``TempoError/Code/shutDown``.
  public func reports(
    buffering: StreamBuffering = .batched(capacity: 64, overflow: .dropOldest)
  ) throws(TempoError) -> EngineStream<TempoReport> {
    try reports(buffering: buffering, reader: ElementReader { TempoReport($0) }, sequenceNumber: \.sequence)
  }

  /// As ``reports(buffering:)``, for values of the caller's type.
  package func reports<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativeTempoReport, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(TempoError) -> EngineStream<Value> {
    try started(orThrow: TempoError.self) { () throws(NativeError) in
      try native.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
    }
  }

  /// The counts so far.
  public nonisolated var counts: LinkCounts {
    LinkCounts(NativeError.logging { () throws(NativeError) in try native.counts() })
  }

  /// Leaves, ends every stream and refuses new ones. Nothing calls back after it.
  public func close() async { await shutDown() }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  package func refuseStreams() { native.shutDown() }

  @discardableResult
  private nonisolated func change(
    _ kind: NativeTempoInput, _ value: Double, at time: HostTime? = nil
  ) throws(TempoError) -> HostTime {
    HostTime(microseconds: try native.changing(kind, value, at: time).atUs)
  }
}

/// The counts of a member of sessions.
public struct LinkCounts: Sendable, Hashable {
  /// Messages of other members.
  public let messages: UInt64
  /// Datagrams that are no messages.
  public let malformed: UInt64
  /// Messages of members or sessions for which there was no room.
  public let excess: UInt64
  /// Pings that were not answered because there were too many.
  public let refusedPings: UInt64
  /// Measurements of a session's time that failed.
  public let failedMeasurements: UInt64
  /// Datagrams that were sent.
  public let sent: UInt64
  /// Datagrams that the system did not send.
  public let refused: UInt64
  /// Errors of sockets, and interfaces that could not be opened.
  public let socketErrors: UInt64

  init(_ counts: NativeTempoCounts?) {
    (messages, malformed, excess) = (counts?.messages ?? 0, counts?.malformed ?? 0, counts?.excess ?? 0)
    (refusedPings, failedMeasurements) = (counts?.refusedPings ?? 0, counts?.failedMeasurements ?? 0)
    (sent, refused, socketErrors) = (counts?.sent ?? 0, counts?.refused ?? 0, counts?.socketErrors ?? 0)
  }
}

extension TempoHandle {
  /// Makes a change; returns what it did.
  @discardableResult
  func changing(
    _ kind: NativeTempoInput, _ value: Double = 0, at time: HostTime? = nil, confidence: Double = 0,
    phaseError: Double = 0
  ) throws(TempoError) -> NativeTempoChanged {
    try TempoError.rethrowing { () throws(NativeError) in
      try change(kind, value, at: time?.microseconds, confidence: confidence, phaseError: phaseError)
    }
  }

  /// Takes a tap; returns its effect.
  func tapping(at time: HostTime?) throws(TempoError) -> TapTempo.Outcome {
    let tap = try changing(.tap, at: time)
    return switch tap.tap {
    case .counted: .counted(missed: tap.missed)
    case .doubled: .doubled
    case .outOfOrder: .outOfOrder
    case .first, .none?, nil: .first
    }
  }
}
