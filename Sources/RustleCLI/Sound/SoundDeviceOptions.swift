internal import ArgumentParser
import Foundation
import RustleAudio

/// The options of every command that works with a sound device, and of raw samples, which have a rate and channels too.
struct SoundDeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The sound device, as 'rustle devices' names it; 'default' is the system's choice.", valueName: "name"))
  var device: String?

  @Flag(help: "Short for --device demo, which is built in and needs no hardware.")
  var demo = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Frames a second of a device or of raw samples, 1 to 768000. (default of a device: 48000)", valueName: "hz"),
    transform: Parse.integer("a sample rate in Hz", in: 1...768_000))
  var rate: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Channels of a device or of raw samples, 1 to 32. (default of a device: 2)", valueName: "count"),
    transform: Parse.integer("a number of channels", in: 1...AudioFormat.mostChannels))
  var channels: Int?

  static let defaultRate = 48_000
  static let defaultChannels = 2

  func validate() throws {
    if let device, demo { throw ValidationError("expected --device or --demo, got --device \(device) and --demo") }
    if device == "" { throw ValidationError("--device: expected the name of a device, got ''") }
  }

  /// The device that was asked for; nil for none.
  var name: String? { demo ? AudioDevice.demo.name : device }

  /// The configuration of a device.
  ///
  /// - Parameters:
  ///   - name: the device.
  ///   - seconds: how much sound there is to be; nil: until it is ended.
  func configuration(of name: String, seconds: Double? = nil) throws -> DeviceConfiguration {
    let format = try AudioFormat(
      sampleRate: Double(rate ?? Self.defaultRate), channels: channels ?? Self.defaultChannels)
    return DeviceConfiguration(device: name, format: format, frameLimit: seconds.map { SoundInput.frames($0, format) })
  }
}
