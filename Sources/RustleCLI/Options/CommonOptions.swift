internal import ArgumentParser

/// The one channel that is used.
struct ChannelOption: ParsableArguments {
  @Option(
    name: .customLong("channel"), help: "Use this channel, counted from 1, instead of all together.", value: "number",
    parse: Parse.integer("a channel number", in: 1...1_024))
  var number: Int?
}

/// How long a run is at most.
struct DurationOption: ParsableArguments {
  @Option(
    name: .customLong("duration"), help: "Stop after this many seconds of sound.", value: "seconds",
    parse: Parse.number("seconds", in: 0.001...1e9))
  var seconds: Double?
}

/// The picture that is drawn of a result.
struct PictureOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("Draw the result into this PNG file.", valueName: "path"),
    completion: .file(extensions: ["png"]))
  var png: String?

  /// Refuses, before there is any work, a picture that cannot be written.
  func check(isNot input: String) throws {
    if let png { try OutputPath.checkPicture(png, isNot: input) }
  }
}
