internal import ArgumentParser
import RustleMarket

/// The source of the ticker's prices, and the server for other processes.
struct TickerSourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Replay a recording, NDJSON or CSV; - is standard input.", valueName: "file"),
    completion: .file(extensions: ["ndjson", "jsonl", "csv"]))
  var replay: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Receive prices from another process: host:port, unix:/path, or a WebSocket, ws://host/path or wss://host/path. "
        + "A lost connection is reestablished.",
      valueName: "address"))
  var connect: String?

  @Flag(
    name: .customLong("renumbered"),
    help: "Sequence numbers restart with each connection. (default: they continue; gaps are reported)")
  var isRenumbered = false

  @OptionGroup var webSocket: WebSocketOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Serve the prices to other processes at this address, host:port (port 0: a free one) or unix:/path.",
      valueName: "address"))
  var serve: String?

  @Option(
    name: .customLong("input"),
    help: "The recording's format: ndjson or csv. (default: by its extension)")
  var input: InputFormat?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Paths of a message's fields: symbol=PATH,price=PATH and, after further commas, size=PATH, time=PATH:UNIT, seq=PATH, each=PATH. "
        + "(default: those that this command writes)"))
  var schema: String?

  @Option(
    help:
      "Replay at this multiple of the recorded pace, 0.001 to 1000000, or as fast as possible: max. (default: 1)",
    value: "factor|max",
    parse: { text in
      guard text != "max" else { return .asFastAsPossible }
      return .speed(try Parse.number("a factor (or max)", in: 0.001...1_000_000)(text))
    })
  var speed: ReplayFeed.Pace?

  @Flag(help: "Repeat the recording; times continue. A recording without times is replayed once.")
  var loop = false

  @Option(
    help: "Begin at this time: 2026-01-31T09:30:00Z, a date, or milliseconds since 1970.", value: "time",
    parse: { text in
      guard let time = MarketTime.timestamp(text) else {
        throw ValidationError(
          "expected a time such as 2026-01-31T09:30:00Z, a date, or milliseconds since 1970, got '\(text)'")
      }
      return time
    })
  var from: Timestamp?

  /// The format of a recording.
  enum InputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case ndjson, csv

    var format: ReplayFeed.Format { self == .ndjson ? .ndjson : .csv }
  }

  /// Standard input, as the system names it.
  static let standardInputPath = "/dev/stdin"

  func validate() throws {
    if replay != nil && connect != nil { throw ValidationError("--replay cannot be used with --connect") }
    if isRenumbered && connect == nil {
      throw ValidationError("--renumbered requires --connect")
    }
    try webSocket.validate(at: connect)
    guard replay == nil else {
      if replay == "-", input == nil {
        throw ValidationError("--replay - requires --input ndjson or --input csv")
      }
      return
    }
    if schema != nil && connect == nil {
      throw ValidationError("--schema requires --replay or --connect")
    }
    for (option, isGiven) in [
      ("--input", input != nil), ("--speed", speed != nil), ("--loop", loop),
      ("--from", from != nil),
    ] where isGiven {
      throw ValidationError("\(option) requires --replay")
    }
  }

  /// The source of `--connect`; nil without it.
  ///
  /// - Throws: `ValidationError` for a WebSocket in a command built without WebSockets.
  func connection() throws -> FeedConfiguration? {
    guard let connect else { return nil }
    if WebSocketOptions.isWebSocket(connect) {
      return try webSocket.source(at: connect, schema: schema, restartsNumbers: isRenumbered)
    }
    return .live(LiveFeed(FeedAddress(connect), schema: schema, restartsNumbers: isRenumbered))
  }

  /// The recording to replay; nil without one.
  var recording: ReplayFeed? {
    replay.map { path in
      ReplayFeed(
        path: path == "-" ? Self.standardInputPath : path, format: input?.format, schema: schema,
        pace: speed ?? .speed(1), repeats: loop, from: from)
    }
  }
}
