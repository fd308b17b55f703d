internal import Foundation
internal import RustleCore

/// A source of beats.
public enum TempoSource: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
  /// A session with peers on the network.
  case link
  /// A person who taps.
  case tap
  /// MIDI clock.
  case midi
  /// Beats that are heard in audio.
  case audio
  /// The tempo that the user sets: always there.
  case manual
}

/// The beat at a host time, and the state of the clock or session then.
public struct BeatState: Sendable, Hashable, BitwiseCopyable {
  /// The host time.
  public let hostTime: HostTime
  /// The count of beats.
  public let beats: Double
  /// The tempo in beats per minute.
  public let tempo: Double
  /// The position between two beats, 0 to less than 1.
  public let beatPhase: Double
  /// The position in the bar as a share of it, 0 to less than 1.
  public let barPhase: Double
  /// The beats of a bar.
  public let quantum: Double
  /// The source.
  public let source: TempoSource
  /// The other members of the session.
  public let peerCount: Int
  /// The id of the session: eight printable ASCII characters; bytes that are not printable, which others may choose, are `\xNN`.
  public var sessionID: String { session.map { identityText($0) } ?? "" }
  /// Whether the source plays: its last start or stop is a start, also one whose time is to come.
  public let isPlaying: Bool
  /// Whether this program takes part in sessions.
  public let isEnabled: Bool
  /// The source's confidence, 0 to 1.
  public let confidence: Double
  /// The standard error of the phase, as the source reports it.
  public let phaseError: Duration
  /// The count whose phase in any quantum the members share.
  private let sharedBeats: Double
  private let session: UInt64?

  /// The position in a bar of `quantum` beats, 0 to less than it, as the members of a session share it; 0 for a quantum that is not
  /// above 0.
  public func phase(quantum: Double) -> Double {
    guard quantum > 0 else { return 0 }
    let phase = sharedBeats.truncatingRemainder(dividingBy: quantum)
    return phase < 0 ? phase + quantum : phase
  }

  /// The host time of a beat of the same count, if the tempo stays; the first or the last host time for a beat beyond them, and this
  /// state's own for a number that is none.
  public func time(ofBeat beat: Double) -> HostTime {
    let microseconds = (beat - beats) * 60e6 / tempo
    guard !microseconds.isNaN else { return hostTime }
    guard let distance = Int64(exactly: microseconds.rounded()) else {
      return HostTime(microseconds: microseconds < 0 ? 0 : .max)
    }
    return hostTime + .microseconds(distance)
  }

  init(_ beat: NativeBeat) {
    hostTime = HostTime(microseconds: beat.hostUs)
    (beats, tempo, quantum) = (beat.beats, beat.beatsAMinute, beat.quantum)
    (beatPhase, barPhase) = (beat.beatPhase, beat.barPhase)
    source =
      switch beat.source {
      case .link: .link
      case .tap: .tap
      case .midi: .midi
      case .audio: .audio
      case .manual, nil: .manual
      }
    peerCount = beat.peers
    (sharedBeats, session) = (beat.sharedBeats, beat.session)
    (isPlaying, isEnabled, confidence) = (beat.isPlaying, beat.isEnabled, beat.confidence)
    phaseError = .microseconds(Int64((beat.phaseErrorMilliseconds * 1_000).rounded()))
  }

  /// What is read of a clock whose native side refuses a reading, which it does in a fork alone.
  init(refused time: HostTime) {
    (hostTime, beats, tempo, beatPhase, barPhase, quantum) = (time, 0, 120, 0, 0, 4)
    (source, peerCount, sharedBeats, session, isPlaying, isEnabled) = (.manual, 0, 0, nil, false, false)
    (confidence, phaseError) = (0, .zero)
  }
}

/// The id of a member or a session, its first byte highest.
func identityText(_ id: UInt64) -> String {
  stride(from: 56, through: 0, by: -8).map { shift in
    let byte = UInt8(truncatingIfNeeded: id >> UInt64(shift))
    return (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\\")
      ? String(UnicodeScalar(byte)) : String(format: "\\x%02x", byte)
  }.joined()
}

/// The state of a clock or a session, and what happened.
public struct TempoReport: Sendable, Hashable {
  /// The kinds of reports.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The state at a time of the reports' rate.
    case state
    /// The clock follows another source. A ``LinkSession`` does not report it, nor the next two.
    case sourceChanged = "source_changed"
    /// The clock has another tempo.
    case tempoChanged = "tempo_changed"
    /// The clock's phase moved.
    case phaseShifted = "phase_shifted"
    /// The session has another tempo.
    case sessionTempoChanged = "session_tempo_changed"
    /// The session's phase moved.
    case sessionPhaseShifted = "session_phase_shifted"
    /// The number of peers is another.
    case peersChanged = "peers_changed"
    /// The session is another.
    case sessionJoined = "session_joined"
    /// The session started or stopped.
    case playingChanged = "playing_changed"
    /// This program takes part in sessions, or left.
    case enabledChanged = "enabled_changed"
    /// The quantum is another.
    case quantumChanged = "quantum_changed"
  }

  /// The report's number in its stream, from 0.
  public let sequence: UInt64
  /// What the report is for.
  public let kind: Kind
  /// The state after it.
  public let state: BeatState
  /// How far the phase moved in beats, forwards if positive; otherwise 0.
  public let shift: Double
  /// Whether a peer, or the source, made the change; otherwise this program. A change of source is this program's.
  public let isByPeer: Bool

  init(_ report: NativeTempoReport) {
    sequence = report.sequence
    kind =
      switch report.kind {
      case .sourceChanged: .sourceChanged
      case .tempoChanged: .tempoChanged
      case .phaseShifted: .phaseShifted
      case .sessionTempoChanged: .sessionTempoChanged
      case .sessionPhaseShifted: .sessionPhaseShifted
      case .peersChanged: .peersChanged
      case .sessionJoined: .sessionJoined
      case .playingChanged: .playingChanged
      case .enabledChanged: .enabledChanged
      case .quantumChanged: .quantumChanged
      case .state, nil: .state
      }
    (state, shift, isByPeer) = (BeatState(report.beat), report.shift, report.isByPeer)
  }
}
