internal import RustleCore

/// Tempo and phase from the times at which a person taps, by least squares over the last 16 taps.
///
/// ```swift
/// var taps = try TapTempo()
/// for microseconds in [0, 500_000, 1_000_000, 1_500_000] as [Int64] {
///   try taps.tap(at: HostTime(microseconds: 1_000_000 + microseconds))
/// }
/// print(taps.estimate?.tempo ?? 0)  // 120.0
/// ```
///
/// A missed tap is a gap and not a tempo, and of a doubled one only the first counts. Two taps give a first tempo; a tap after 3 s and 2.5
/// periods begins anew.
public struct TapTempo: ~Copyable, Sendable {
  /// The effect of a tap.
  public enum Outcome: Sendable, Hashable {
    /// It is the first of an estimate.
    case first
    /// It counts.
    ///
    /// - Parameter missed: the beats since the tap before that were not tapped.
    case counted(missed: Int)
    /// It falls on the beat of another tap, and does not count.
    case doubled
    /// It is not later than the tap before, and does not count.
    case outOfOrder
  }

  /// Tempo and phase of the taps.
  public struct Estimate: Sendable, Hashable {
    /// The tempo in beats per minute.
    public let tempo: Double
    /// The standard error of the tempo.
    public let tempoError: Double
    /// The standard error of the phase at the last tap.
    public let phaseError: Duration
    /// The taps since the last reset.
    public let tapCount: Int
    /// The time of the last tap.
    public let lastTap: HostTime
    /// What would take the tempo to between 60 and 180 beats per minute: 0.5 or 2; nil: it is there. It is never applied by itself.
    public let suggestedFactor: Double?
    /// The time of beat 0 in microseconds, which may be before the zero of host times.
    private let downbeat: Int64

    /// The count of beats at a host time. Beat 0 is a downbeat.
    public func beats(at time: HostTime) -> Double { Double(time.microseconds - downbeat) * tempo / 60e6 }

    init?(_ taps: NativeTapEstimate) {
      guard taps.beatsAMinute > 0 else { return nil }
      (tempo, tempoError, tapCount) = (taps.beatsAMinute, taps.tempoError, taps.taps)
      phaseError = .microseconds(Int64((taps.phaseErrorMilliseconds * 1_000).rounded()))
      lastTap = HostTime(microseconds: taps.lastUs)
      suggestedFactor = taps.suggestion == 1 ? nil : taps.suggestion
      downbeat = taps.downbeatUs
    }
  }

  private let native: TempoHandle

  /// Creates an estimate without taps.
  ///
  /// - Throws: ``TempoError`` with ``TempoError/Code/native``.
  public init() throws(TempoError) {
    var configuration = LinkSession.Configuration()
    configuration.interfaces = []
    let described = try configuration.native(.exact)
    native = try TempoError.rethrowing { () throws(NativeError) in try TempoHandle(described) }
  }

  /// Records a tap; nil: at the present time.
  ///
  /// - Throws: ``TempoError`` with ``TempoError/Code/native`` in a fork.
  @discardableResult
  public mutating func tap(at time: HostTime? = nil) throws(TempoError) -> Outcome {
    try native.tapping(at: time)
  }

  /// Tempo and phase; nil before the second tap.
  public var estimate: Estimate? {
    NativeError.logging { () throws(NativeError) in try native.taps() }.flatMap { Estimate($0) }
  }

  /// Halves the tempo until the next reset.
  ///
  /// - Throws: as ``tap(at:)``; with ``TempoError/Code/validation`` without two taps, and below 20 beats per minute.
  public mutating func halve() throws(TempoError) { try native.changing(.halve) }

  /// Doubles the tempo until the next reset.
  ///
  /// - Throws: as ``halve()``, above 999 beats per minute.
  public mutating func double() throws(TempoError) { try native.changing(.double) }

  /// Makes the beats later, or earlier if negative, by at most 10 s until the next reset.
  ///
  /// - Throws: as ``tap(at:)``; with ``TempoError/Code/validation``.
  public mutating func nudge(by duration: Duration) throws(TempoError) {
    try native.changing(.nudge, duration / .milliseconds(1))
  }

  /// Makes the beat nearest to a host time a downbeat, beat 0. Without a call the first tap is one.
  ///
  /// - Throws: as ``tap(at:)``; with ``TempoError/Code/validation`` without two taps.
  public mutating func setDownbeat(at time: HostTime) throws(TempoError) { try native.changing(.downbeat, at: time) }

  /// Forgets all taps.
  ///
  /// - Throws: as ``tap(at:)``.
  public mutating func reset() throws(TempoError) { try native.changing(.forgetTaps) }
}
