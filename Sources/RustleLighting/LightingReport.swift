internal import RustleCore

/// The state of a show at a frame, and what happened there.
public struct LightingReport: Sendable, Hashable {
  /// The kinds of reports.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The state at a time of the reports' rate.
    case state
    /// A cue started, by hand or because it followed.
    case cueStarted = "cue_started"
    /// A scene started that is none of a cue.
    case sceneStarted = "scene_started"
    /// The scene is all that is on.
    case fadeEnded = "fade_ended"
    /// There is no cue after, or before, the one that is on.
    case cuesEnded = "cues_ended"
    /// Fades and waits stopped or went on.
    case paused
    /// Light went off or came back.
    case blackout
  }

  /// The report's number in its session, from 0.
  public let sequence: UInt64
  /// What the report is for.
  public let kind: Kind
  /// The time of the frame since the show's start.
  public let time: Duration
  /// The beats at the frame.
  public let beats: Double
  /// The tempo in beats per minute.
  public let tempo: Double
  /// Frames so far.
  public let frames: UInt64
  /// Frames that were skipped because the sender was late.
  public let skippedFrames: UInt64
  /// The cue by its place, if one is on.
  public let cue: Int?
  /// The scene by its place, if one is on.
  public let scene: Int?
  /// What all light is multiplied with, 0 to 1.
  public let master: Double
  /// Whether what was there before the scene is still seen.
  public let isFading: Bool
  /// Whether fades and waits stand still.
  public let isPaused: Bool
  /// Whether the light is off.
  public let isBlackout: Bool
  /// Senders that take frames.
  public let outputs: Int

  init(_ report: NativeShowReport) {
    sequence = report.sequence
    kind =
      switch report.kind {
      case .cueStarted: .cueStarted
      case .sceneStarted: .sceneStarted
      case .fadeEnded: .fadeEnded
      case .cuesEnded: .cuesEnded
      case .paused: .paused
      case .blackout: .blackout
      default: .state
      }
    time = .nanoseconds(Int64(clamping: report.timeNanoseconds))
    (beats, tempo) = (report.beats, report.beatsAMinute)
    (frames, skippedFrames) = (report.frames, report.skipped)
    cue = report.cue == nativeShowNone ? nil : report.cue
    scene = report.scene == nativeShowNone ? nil : report.scene
    master = Double(report.master)
    (isFading, isPaused, isBlackout) = (report.isFading, report.isPaused, report.isBlackout)
    outputs = report.outputs
  }
}
