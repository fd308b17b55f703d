internal import ArgumentParser
import RustleMarket

/// Where the ticker's prices come from, when they are not made up.
struct TickerSourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Play a recording, NDJSON or CSV; - is standard input.", valueName: "file"),
    completion: .file(extensions: ["ndjson", "jsonl", "csv"]))
  var replay: String?

  @Option(
    name: .customLong("input"),
    help: "What the recording holds: ndjson or csv. (default: what the ending of its name says)")
  var input: InputFormat?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where a message has its fields: symbol=PATH,price=PATH,size=PATH,time=PATH:UNIT,seq=PATH,each=PATH. "
        + "(default: as this command writes them)"))
  var schema: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Play it so many times as fast as it was recorded, 0.001 to 1000000, or as fast as possible: max. (default: 1)",
      valueName: "factor|max"),
    transform: { text in
      guard text != "max" else { return .unpaced }
      return .times(try Parse.number("a factor (or max)", in: 0.001...1_000_000)(text))
    })
  var speed: ReplayFeed.Pace?

  @Flag(help: "Play it again when it has come to its end; time goes on.")
  var loop = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Begin at this time: 2026-01-31T09:30:00Z, a date, or milliseconds since 1970.", valueName: "time"),
    transform: { text in
      guard let time = MarketTime.nanoseconds(text) else {
        throw ValidationError(
          "expected a time such as 2026-01-31T09:30:00Z, a date, or milliseconds since 1970, got '\(text)'")
      }
      return time
    })
  var from: Int64?

  /// What a recording holds.
  enum InputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case ndjson, csv

    var format: ReplayFeed.Format { self == .ndjson ? .ndjson : .csv }
  }

  /// Standard input, as the system names it.
  static let standardInputPath = "/dev/stdin"

  func validate() throws {
    guard replay == nil else {
      if replay == "-", input == nil {
        throw ValidationError("--replay -: expected --input ndjson or --input csv with it, got neither")
      }
      return
    }
    for (option, isGiven) in [
      ("--input", input != nil), ("--schema", schema != nil), ("--speed", speed != nil), ("--loop", loop),
      ("--from", from != nil),
    ] where isGiven {
      throw ValidationError("\(option): expected it with --replay, got it alone")
    }
  }

  /// The recording that is played; nil when there is none.
  var recording: ReplayFeed? {
    replay.map { path in
      ReplayFeed(
        path: path == "-" ? Self.standardInputPath : path, format: input?.format, schema: schema,
        pace: speed ?? .times(1), repeats: loop, fromNanoseconds: from)
    }
  }
}
