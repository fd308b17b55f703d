public import Foundation
internal import RustleCore

/// A simulated camera that looks at fixtures, with what makes venues hard, drawn from a seed.
public actor SimulatedCamera {
  /// How hard a scene is.
  public enum Scene: String, Sendable, Hashable, CaseIterable {
    /// A dark room, a good camera.
    case dark
    /// Ambient light, noise and haze.
    case club
    /// People, mirrors, windows, flicker, dead fixtures and a shutter that rolls.
    case hard
  }

  /// The width in pixels.
  public nonisolated let width: Int
  /// The height in pixels.
  public nonisolated let height: Int
  /// The number of fixtures.
  public nonisolated let fixtureCount: Int
  /// The frames of the schedule; nil with a rig.
  public nonisolated let frameCount: Int?
  /// The time between frames.
  public nonisolated let interval: Duration

  private let native: NativeCamera

  /// Creates a camera whose fixtures a schedule lights, or the levels of a rig.
  ///
  /// - Parameters:
  ///   - drops: the probability that a frame is dropped, 0 to 0.5; nil: the scene's.
  ///   - autoExposure: how much of a wrong exposure is put right from frame to frame, 0 to 1; nil: the scene's.
  ///   - delay: the time from a change to the frame that shows it, 0 to 15 frames; nil: the scene's.
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation`` or ``LightingError/Code/malformedInput``.
  public init(
    _ scene: Scene, seed: UInt64 = 1, width: Int = 640, height: Int = 480, count: Int = 100, rig: Data? = nil,
    settings: MappingSettings = MappingSettings(), drops: Double? = nil, autoExposure: Double? = nil,
    delay: Double? = nil
  ) throws(LightingError) {
    let kind: NativeScene =
      switch scene {
      case .dark: .dark
      case .club: .club
      case .hard: .hard
      }
    let rigText = try MappingSettings.text(of: rig, "rig")
    (self.width, self.height) = (width, height)
    native = try LightingError.rethrowing { () throws(NativeError) in
      try NativeCamera(
        NativeCameraConfiguration(
          rig: rigText, seed: seed, drops: drops ?? -1, autoExposure: autoExposure ?? -1, delay: delay ?? -1,
          count: count, hold: settings.hold, width: width, height: height, method: settings.method.native, scene: kind))
    }
    fixtureCount = native.description.fixtures
    frameCount = rig == nil ? Int(clamping: native.description.frames) : nil
    interval = .nanoseconds(Int64(clamping: native.description.interval))
  }

  /// Films the next frame: bytes of gray, row by row; nil for one that is dropped. With a rig its exposure begins at a time since any
  /// beginning, otherwise frames follow each other.
  public func frame(at time: Duration = .zero) throws(LightingError) -> Data? {
    try LightingError.rethrowing { () throws(NativeError) in
      try native.frame(at: UInt64(clamping: time.nanoseconds), pixels: width * height).map { Data($0) }
    }
  }

  /// Sets the levels of a universe of the rig from a time on.
  public func light(_ universe: DMXUniverse, _ levels: [UInt8], at time: Duration) throws(LightingError) {
    let number = universe.number + (universe.protocol == .artNet ? Int(nativeShowArtNet) : 0)
    try LightingError.rethrowing { () throws(NativeError) in
      try native.light(universe: number, slots: levels.span, time: UInt64(clamping: time.nanoseconds))
    }
  }

  /// Where the fixtures are, as JSON for ``FixtureMap/verdict(by:)``.
  public func truth() throws(LightingError) -> Data {
    try LightingError.rethrowing { () throws(NativeError) in Data(try native.truth()) }
  }
}

extension Duration {
  /// The whole nanoseconds.
  var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
