internal import RustleCore

/// A sound device that can be captured from or played to by its name.
///
/// Devices are ALSA's: hardware, PulseAudio and PipeWire. The library is loaded at its first use: a program that opens no device
/// does not need it.
public struct AudioDevice: Sendable, Hashable {
  /// The name, for a capture or a playback.
  public let name: String
  /// A description in words.
  public let description: String
  /// Whether it can be captured from.
  public let captures: Bool
  /// Whether it can be played to.
  public let plays: Bool

  /// The name of the system's default device.
  public static let defaultName = "default"

  /// The built-in device: as a source it swells from -60 dBFS to full scale and back in 20 s, as a sink it consumes sound at its
  /// rate, inaudibly.
  public static let demo = Self(
    name: "demo", description: "A built-in source that swells, and a sink that nobody hears", captures: true,
    plays: true)

  /// The devices that the system's configuration names; ``demo`` is not among them. A machine without sound hardware has no
  /// devices, or devices that cannot be opened.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/noSoundLibrary`` or ``AudioError/Code/deviceLost``.
  public static func all() throws(AudioError) -> [Self] {
    try AudioError.rethrowing(NativeSoundDevice.all).map {
      Self(name: $0.name, description: $0.description, captures: $0.captures, plays: $0.plays)
    }
  }
}
