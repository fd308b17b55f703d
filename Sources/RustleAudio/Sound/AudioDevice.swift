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

  /// The built-in device: it captures a tone that rises from -60 dBFS to full scale and falls back in 20 s, and discards what it
  /// plays, at its sample rate.
  public static let demo = Self(
    name: "demo", description: "A built-in tone whose level rises and falls, and an output that discards",
    captures: true,
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

/// The devices that a user may choose from.
package struct DeviceList: Sendable {
  /// The built-in device, then the system's.
  package let devices: [AudioDevice]
  /// The reason that the system has no devices; nil when it has some.
  package let note: String?

  /// - Parameter listing: returns the system's devices, usually `AudioDevice.all`.
  package init(_ listing: () throws(AudioError) -> [AudioDevice]) {
    do throws(AudioError) {
      let found = try listing()
      devices = [.demo] + found
      note = found.isEmpty ? "this machine has no sound devices; only the built-in one is listed" : nil
    } catch {
      devices = [.demo]
      note = "the devices of this machine cannot be listed: \(error.message). \(error.advice)"
    }
  }
}
