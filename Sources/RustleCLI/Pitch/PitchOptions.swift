internal import ArgumentParser
import Foundation
import RustleAudio

/// A method by its name. A type that is public cannot have the parser's protocol itself.
struct PitchMethodChoice: ExpressibleByArgument, Sendable {
  let method: PitchMethod

  static var allValueStrings: [String] { PitchMethod.allCases.map(\.rawValue) }
  static let harmonic = Self(method: .harmonic)

  init(method: PitchMethod) { self.method = method }

  init?(argument: String) {
    guard let method = PitchMethod(rawValue: argument) else { return nil }
    self.method = method
  }

  var defaultValueDescription: String { method.rawValue }
}

/// What is looked for, and how.
struct PitchOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The lowest frequency that is looked for, 0.1 to 345600. (default: 25)", valueName: "hz"),
    transform: Parse.number("a frequency in Hz", in: 0.1...345_600))
  var min = 25.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The highest, 0.1 to 345600; at most 0.45 of the sample rate counts. (default: 4500)", valueName: "hz"),
    transform: Parse.number("a frequency in Hz", in: 0.1...345_600))
  var max = 4_500.0

  @Option(help: "How: harmonic has the exact pitch and a calibrated confidence; the others are for comparison.")
  var method: PitchMethodChoice = .harmonic

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Samples of a frame: a power of two, 256 to 32768. One that does not hold 2.25 periods of --min raises that. (default: "
        + "the least that holds them)", valueName: "samples"),
    transform: Self.windowSize)
  var window: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Samples from one frame to the next, 1 to 1048576. (default: 512)", valueName: "samples"),
    transform: Parse.integer("a number of samples", in: 1...1_048_576))
  var hop = 512

  @Flag(help: "Choose the likeliest path through all frames at the end, instead of each frame's own pitch at once.")
  var viterbi = false

  private static let windowSize: @Sendable (String) throws -> Int = { text in
    guard let size = Int(text), (256...32_768).contains(size), size & (size - 1) == 0 else {
      throw ValidationError("expected a power of two from 256 to 32768, got '\(text)'")
    }
    return size
  }

  func validate() throws {
    guard min < max else {
      let (lowest, highest) = (String(format: "%.6g", min), String(format: "%.6g", max))
      throw ValidationError("expected --min below --max, got \(lowest) and \(highest)")
    }
  }

  /// The configuration for a sample rate.
  func configuration(sampleRate: Double) -> PitchConfiguration {
    PitchConfiguration(
      sampleRate: sampleRate, range: min...Swift.max(min, max), method: method.method, window: window, hop: hop)
  }

  /// How the pitch of each frame is chosen.
  var decoding: PitchDecoding { viterbi ? .viterbi : .frame }
}
