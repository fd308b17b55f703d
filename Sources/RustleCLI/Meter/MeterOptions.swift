internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

enum BandChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
  case octave, third
}

struct MeterOptions: ParsableArguments {
  @Option(help: "Frequency weighting of the levels: A, C, or Z for none.")
  var weighting = FrequencyWeighting.a

  @Option(help: "Time weighting of the levels: F (125 ms) or S (1 s).")
  var time = TimeWeighting.fast

  @Option(
    "Measure this channel, counted from 1, instead of the mean power of all. Loudness always measures all.",
    value: "number", parse: Parse.integer("a channel number", in: 1...1_024))
  var channel: Int?

  @Option(
    "Calibration offset from dBFS to dB re 20 \u{B5}Pa, -300 to 300. Without it, levels are in dBFS.",
    value: "db",
    parse: Parse.number("decibels", in: -300...300))
  var calibration: Double?

  @Option(
    parsing: .next,
    "Correct for the microphone's response in this calibration file: a frequency in Hz and a deviation in dB per line.",
    value: "file", completion: .file())
  var response: String?

  @Option(help: "Measure bands too: octave, or third for one-third octaves.")
  var bands: BandChoice?

  @Flag(name: .customLong("no-loudness"), help: "Measure neither loudness (LUFS) nor the true peak.")
  var isWithoutLoudness = false

  /// The configuration for a format, without the response.
  func configuration(for format: AudioFormat) throws -> SoundLevelMeterConfiguration {
    try CommandFailure.check(channel: channel, of: format)
    return SoundLevelMeterConfiguration(
      frequencyWeighting: weighting, timeWeighting: time, channel: channel.map { .channel($0 - 1) } ?? .all,
      calibration: Calibration(offset: calibration), measuresLoudness: !isWithoutLoudness,
      bands: bands.map { $0 == .octave ? .octave : .thirdOctave })
  }

  /// The meter for a sound.
  func meter(for input: OpenedInput) throws -> SoundLevelMeter {
    var configuration = try configuration(for: input.format)
    let meter = try input.fitting { try SoundLevelMeter(format: input.format, configuration: configuration) }
    guard let response else { return meter }
    configuration.calibration.response = try Self.response(response)
    // Without the response there was a meter: the file is at fault.
    return try CommandFailure.naming(response) {
      try SoundLevelMeter(format: input.format, configuration: configuration)
    }
  }

  /// Reads a calibration file: text in UTF-8 or a single-byte encoding; its numbers are ASCII in both.
  static func response(_ path: String) throws -> MicrophoneResponse {
    let text = try TextFile.read(path, option: "--response")
    return try CommandFailure.naming(path) { try MicrophoneResponse(calibrationFile: text) }
  }
}
