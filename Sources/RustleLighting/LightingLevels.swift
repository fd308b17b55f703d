internal import RustleCore

/// The levels of a universe in a frame of a show.
public struct LightingLevels: Sendable, Hashable {
  /// The number in the stream, from 0.
  public let sequence: UInt64
  /// The number of the frame in the show, from 1; one that an input renders anew has its number again.
  public let frame: UInt64
  /// The time of the frame since the show's start.
  public let time: Duration
  /// The beats at the frame.
  public let beats: Double
  /// The universe.
  public let universe: DMXUniverse
  /// The levels of all 512 slots.
  public let levels: [UInt8]

  init(_ native: NativeShowLevels) {
    universe = DMXUniverse(received: native.universe, of: native.kind)
    (sequence, frame, beats) = (native.sequence, native.frame, native.beats)
    time = .nanoseconds(Int64(clamping: native.timeNanoseconds))
    levels = native.levels
  }
}
