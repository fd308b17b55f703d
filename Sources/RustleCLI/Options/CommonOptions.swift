internal import ArgumentParser

/// The channel to measure.
struct ChannelOption: ParsableArguments {
  @Option(
    name: .customLong("channel"), help: "Use this channel, counted from 1, instead of the mean of all.",
    value: "number", parse: Parse.integer("a channel number", in: 1...1_024))
  var number: Int?
}

/// The longest duration of a run.
struct DurationOption: ParsableArguments {
  @Option(
    name: .customLong("duration"), help: "Stop after this many seconds of sound.", value: "seconds",
    parse: Parse.number("seconds", in: 0.001...1e9))
  var seconds: Double?
}

/// The picture of a result.
struct PictureOption: ParsableArguments {
  @Option(
    parsing: .next, "Draw the result into this PNG file.", value: "path", completion: .file(extensions: ["png"]))
  var png: String?

  /// Checks, before any work, that the picture can be written.
  func check(isNot input: String) throws {
    if let png { try OutputPath.checkPicture(png, isNot: input) }
  }
}
