internal import RustleCore

/// A sound device that can be captured from or played to by its name.
///
/// Devices are ALSA's, which reaches hardware, PulseAudio and PipeWire alike. The library is looked for when it is first
/// needed: a program that opens no device needs none.
public struct AudioDevice: Sendable, Hashable {
  /// Its name, to be given to a capture or a playback.
  public let name: String
  /// What it is, in words.
  public let description: String
  /// Whether it can be captured from.
  public let captures: Bool
  /// Whether it can be played to.
  public let plays: Bool

  /// The name of the system's device of choice.
  public static let defaultName = "default"

  /// The device that is always there: as a source it swells from -60 dBFS to full scale and back in 20 s, as a sink it takes
  /// sound at its rate and makes none.
  public static let demo = Self(
    name: "demo", description: "A built-in source that swells, and a sink that nobody hears", captures: true,
    plays: true)

  /// The devices that the system's configuration names; ``demo`` is not among them. A machine without sound hardware has
  /// none, or some that cannot be opened.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/noSoundLibrary`` or ``AudioError/Code/deviceLost``.
  public static func all() throws(AudioError) -> [Self] {
    try AudioError.rethrowing(NativeSoundDevice.all).map {
      Self(name: $0.name, description: $0.description, captures: $0.captures, plays: $0.plays)
    }
  }
}
