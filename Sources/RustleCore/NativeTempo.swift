#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#else
internal import Musl
#endif

/// The present host time in microseconds, as the native side reads it.
package func hostMicroseconds() -> Int64 {
  #if canImport(Darwin)
  Int64(clock_gettime_nsec_np(CLOCK_UPTIME_RAW) / 1_000)
  #else
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC_RAW, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  #endif
}

/// A native clock of beats that several owners share, and its calls. Any thread may make them.
package final class TempoHandle: Sendable {
  private let native: NativeTempo

  /// - Parameter session: the clock whose session this one follows.
  package init(
    _ configuration: NativeTempoConfiguration, session: TempoHandle? = nil, runtime: NativeRuntime? = nil
  ) throws(NativeError) {
    var configuration = configuration
    configuration.followed = session?.raw ?? 0
    native = try NativeTempo(configuration, runtime: runtime)
    extendLifetime(session)
  }

  var raw: UInt64 { native.handle.raw }

  /// Starts a session of reports.
  package func start<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativeTempoReport, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(NativeError) -> EngineStream<Value> {
    try native.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
  }

  /// Returns the beat at a host time in microseconds; nil: now.
  package func beat(at time: Int64?, _ reading: NativeBeatReading) throws(NativeError) -> NativeBeat {
    // A negative time is the present one; none of this machine is before its start.
    try NativeCalls.tempoBeatsAt(raw, atUs: time.map { max(0, $0) } ?? -1, reading: reading)
  }

  /// Makes a change; returns its host time in microseconds.
  @discardableResult
  package func change(
    _ kind: NativeTempoInput, _ value: Double = 0, at time: Int64? = nil, confidence: Double = 0, phaseError: Double = 0
  ) throws(NativeError) -> NativeTempoChanged {
    try NativeCalls.tempoChange(
      raw,
      change: NativeTempoChange(
        atUs: time.map { max(0, $0) } ?? -1, value: value, confidence: confidence, phaseErrorMilliseconds: phaseError,
        kind: kind))
  }

  /// Returns tempo and phase of the taps.
  package func taps() throws(NativeError) -> NativeTapEstimate { try NativeCalls.tempoTaps(raw) }

  /// Returns the counts of the session.
  package func counts() throws(NativeError) -> NativeTempoCounts { try NativeCalls.tempoCounts(raw) }

  /// Leaves the session, cancels every session of reports; later starts are refused.
  package func shutDown() { native.shutDown() }
}
