internal import ArgumentParser
import RustleMarket

/// Where the ticker's prices come from, when they are not made up, and where else they go.
struct TickerSourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Play a recording, NDJSON or CSV; - is standard input.", valueName: "file"),
    completion: .file(extensions: ["ndjson", "jsonl", "csv"]))
  var replay: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Take the prices from another process: host:port, unix:/path, or a WebSocket, ws://host/path or wss://host/path. "
        + "A connection that is lost is made again.",
      valueName: "address"))
  var connect: String?

  @Flag(
    name: .customLong("renumbered"),
    help: "The numbers at --connect begin anew with each connection. (default: they go on; what is missing is told)")
  var isRenumbered = false

  @OptionGroup var webSocket: WebSocketOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Give the prices to other processes that connect here, host:port (0: a free port) or unix:/path.",
      valueName: "address"))
  var serve: String?

  @Option(
    name: .customLong("input"),
    help: "What the recording holds: ndjson or csv. (default: what the ending of its name says)")
  var input: InputFormat?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where a message has its fields: symbol=PATH,price=PATH and, behind further commas, size=PATH, time=PATH:UNIT, seq=PATH, each=PATH. "
        + "(default: as this command writes them)"))
  var schema: String?

  @Option(
    help:
      "Play it so many times as fast as it was recorded, 0.001 to 1000000, or as fast as possible: max. (default: 1)",
    value: "factor|max",
    parse: { text in
      guard text != "max" else { return .asFastAsPossible }
      return .speed(try Parse.number("a factor (or max)", in: 0.001...1_000_000)(text))
    })
  var speed: ReplayFeed.Pace?

  @Flag(help: "Play it again when it has come to its end; time goes on. One without times is played once.")
  var loop = false

  @Option(
    help: "Begin at this time: 2026-01-31T09:30:00Z, a date, or milliseconds since 1970.", value: "time",
    parse: { text in
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
    if replay != nil && connect != nil { throw ValidationError("expected --replay or --connect, got both") }
    if isRenumbered && connect == nil {
      throw ValidationError("--renumbered: expected it with --connect, got it alone")
    }
    try webSocket.validate(at: connect)
    guard replay == nil else {
      if replay == "-", input == nil {
        throw ValidationError("--replay -: expected --input ndjson or --input csv with it, got neither")
      }
      return
    }
    if schema != nil && connect == nil {
      throw ValidationError("--schema: expected it with --replay or --connect, got it alone")
    }
    for (option, isGiven) in [
      ("--input", input != nil), ("--speed", speed != nil), ("--loop", loop),
      ("--from", from != nil),
    ] where isGiven {
      throw ValidationError(
        "\(option): expected it with --replay, got it \(connect == nil ? "alone" : "with --connect")")
    }
  }

  /// What is connected to; nil when there is nothing.
  ///
  /// - Throws: `ValidationError` for a WebSocket, where the command was built without.
  func connection() throws -> FeedConfiguration? {
    guard let connect else { return nil }
    if WebSocketOptions.isWebSocket(connect) {
      return try webSocket.source(at: connect, schema: schema, restartsNumbers: isRenumbered)
    }
    return .live(LiveFeed(FeedAddress(connect), schema: schema, restartsNumbers: isRenumbered))
  }

  /// The recording that is played; nil when there is none.
  var recording: ReplayFeed? {
    replay.map { path in
      ReplayFeed(
        path: path == "-" ? Self.standardInputPath : path, format: input?.format, schema: schema,
        pace: speed ?? .speed(1), repeats: loop, fromNanoseconds: from)
    }
  }
}
