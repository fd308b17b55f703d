internal import ArgumentParser
import Foundation
import RustleAudio

/// The bands by the names that people use.
enum BandChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
  case octave, third
}

/// What is measured, and against what.
struct MeterOptions: ParsableArguments {
  @Option(help: "The weighting of the levels: A as the ear hears, C for loud sounds, Z for none.")
  var weighting = FrequencyWeighting.a

  @Option(help: "How fast the level follows the sound: F in 125 ms, S in 1 s.")
  var time = TimeWeighting.fast

  @Option(
    help: "Measure this channel, counted from 1, instead of the mean power of all. Loudness is always of all.",
    value: "number",
    parse: Parse.integer("a channel number", in: 1...1_024))
  var channel: Int?

  @Option(
    help:
      "What is added to a level relative to full scale for dB re 20 \u{B5}Pa, -300 to 300. Without it levels are in dBFS.",
    value: "db",
    parse: Parse.number("decibels", in: -300...300))
  var calibration: Double?

  @Option(
    help: ArgumentHelp(
      "Undo the microphone's response in this calibration file: a frequency in Hz and a deviation in dB on each line.",
      valueName: "file"), completion: .file())
  var response: String?

  @Option(help: "Also measure bands of this width.")
  var bands: BandChoice?

  @Flag(name: .customLong("no-loudness"), help: "Do not measure loudness (LUFS) and the true peak.")
  var isWithoutLoudness = false

  /// The configuration for a format.
  ///
  /// - Throws: `CommandFailure` for a channel that is not there, and for a response that cannot be used.
  func configuration(for format: AudioFormat) throws -> SoundLevelMeterConfiguration {
    try CommandFailure.check(channel: channel, of: format)
    return SoundLevelMeterConfiguration(
      frequencyWeighting: weighting, timeWeighting: time,
      channel: channel.map { .channel($0 - 1) } ?? .all,
      calibration: Calibration(offset: calibration, response: try response.map(Self.response)),
      measuresLoudness: !isWithoutLoudness, bands: bands.map { $0 == .octave ? .octave : .thirdOctave })
  }

  /// The meter for a format.
  func meter(for format: AudioFormat) throws -> SoundLevelMeter {
    let configuration = try configuration(for: format)
    do {
      return try SoundLevelMeter(format: format, configuration: configuration)
    } catch {
      var other = configuration
      other.calibration.response = nil
      // What works without the response is refused because of the file.
      guard let response, error.code == .validation, (try? SoundLevelMeter(format: format, configuration: other)) != nil
      else {
        throw error
      }
      throw CommandFailure(.badData, "\(response): \(error.message)", advice: error.advice)
    }
  }

  /// Reads a calibration file. What is in it is text, of UTF-8 or of a single-byte set: its numbers are ASCII in both.
  static func response(_ path: String) throws -> MicrophoneResponse {
    let text = try TextFile.read(path, option: "--response")
    do {
      return try MicrophoneResponse(calibrationFile: text)
    } catch {
      throw CommandFailure(.badData, "\(path): \(error.message)", advice: error.advice)
    }
  }
}
