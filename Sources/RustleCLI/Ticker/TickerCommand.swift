internal import ArgumentParser
import Foundation
import Logging
import RustleMarket

struct TickerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ticker",
    abstract: "Stream prices of symbols.",
    usage: """
      rustle ticker <symbols> ... [--rate <rate>] [--duration <seconds>]
                    [--seed <seed>] [--json]
      rustle ticker --replay <file> [<symbols> ...] [--speed <factor|max>]
                    [--candles <interval>] [--json]
      rustle ticker --connect <address> [<symbols> ...] [--json]
      """,
    discussion: """
      Without --replay and --connect the prices are a random walk from the native engine: a source to try things on, not a market. On a \
      terminal they are a live table (q quits, space pauses, ? helps); in a pipe there is one line for each update.

      A recording is played at the pace at which it was made, or faster, and waits for a reader that is slow. Lines that \
      cannot be read are counted, reported and skipped. Prices keep every digit that they have. With CSV, alerts are reported on \
      standard error. Alerts are watched for beside the lines: each may stand before or after the update that it is of, which its t_ms tells.

      What --connect names is connected to until the command is ended; connections and attempts are reported on standard error, \
      and what is missing stands in its place. A WebSocket is reported what is wanted by --subscribe, in which $symbols stands \
      for a JSON list of the symbols, or $symbol for one in each of several messages. With --serve every symbol of the source is there for others, as NDJSON; a \
      recording begins when the first of them has come, and waits for all.

      EXAMPLES:
        rustle ticker BTC ETH SOL
        rustle ticker BTC ETH SOL --duration 5 --json | head -n 3
        rustle ticker BTC --seed 7 --rate 10 --duration 2 --format csv > btc.csv
        rustle ticker BTC ETH --duration 60 --record prices.ndjson
        rustle ticker --replay prices.ndjson --speed 10
        rustle ticker --replay prices.ndjson BTC --candles 1m --speed max --json
        rustle ticker BTC --brownian BTC=65000.00,0.05,0.6 --rate 10 --statistics 10s
        rustle ticker BTC ETH --serve 127.0.0.1:7000
        rustle ticker --connect 127.0.0.1:7000 BTC --record btc.ndjson
        rustle ticker --connect wss://prices.example/v1 BTC --subscribe '{"op":"subscribe","args":$symbols}'
        rustle ticker --replay t.csv --schema symbol=s,price=p --alert 'BTC>70000'

      NDJSON FIELDS:
        v       1, the version of these fields
        symbol  as it was asked for, or as the source tells it
        price   in the quote currency
        t_ms    milliseconds since 1970-01-01T00:00:00Z, or t_ns, nanoseconds
        seq     number of the update, counted for each symbol by itself
        size    how much was traded, where the source tells it
        gap     alone in a line: so many updates are missing here
        alert   alone in a line: symbol, above or below, price, t_ms; or gap: so many alerts are missing

      OF CANDLES:
        symbol, open, high, low, close
        volume       sum of the sizes, exact to 18 digits, beyond as near as a double comes
        count        number of updates
        start_ms     when it starts, or start_ns
        interval_ms  how long it is, or interval_ns

      OF STATISTICS:
        symbol, t_ms  of whom, and when the while ends, or t_ns
        count         updates within the while
        mean, sd      of their prices: the mean and the sample standard deviation
        low, high, first, last
        window_ms     how long the while is, or window_ns
      """)

  @Argument(
    help:
      "Symbols, each of 1 to 32 bytes without white space; of a recording or a connection those that are wanted, all without."
  )
  var symbols: [String] = []

  @Option(
    name: .customLong("symbols"), help: ArgumentHelp("More symbols, one a line of this file.", valueName: "file"),
    completion: .file())
  var symbolsFile: String?

  @OptionGroup(title: "Sources") var source: TickerSourceOptions
  @OptionGroup(title: "Streams") var stream: TickerStreamOptions

  @Option(
    help: "Updates a second for each symbol, 0.001 to 10000000; else with --policy sampled. (default: 2)",
    parse: Parse.number("updates a second", in: 0.001...10_000_000))
  var rate: Double?

  @Option(
    help: "Stop after this many seconds.", value: "seconds",
    parse: Parse.number("seconds", in: 0.001...1e9))
  var duration: Double?

  @Option(
    help: "Seed of made-up prices: the same seed, symbols and motions give the same.",
    parse: { text in
      guard let seed = UInt64(text) else {
        throw ValidationError("expected a whole number from 0 to \(UInt64.max), got '\(text)'")
      }
      return seed
    })
  var seed: UInt64?

  @OptionGroup var simulation: SimulationOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    if symbolsFile == nil { _ = try plan() }
  }

  /// - Throws: `ValidationError` for what is no list of symbols.
  private static func check(_ symbols: [String]) throws {
    // The engine counts from 0.
    var known: Set<String> = []
    for (place, symbol) in zip(1..., symbols) {
      let refusal: String? =
        if symbol.isEmpty {
          "a name, got an empty text"
        } else if symbol.utf8.count > 32 {
          "at most 32 bytes, got \(symbol.utf8.count)"
        } else if symbol.unicodeScalars.contains(where: {
          $0.properties.isWhitespace || $0.properties.generalCategory == .control
        }) {
          "no white space or control character, got '\(CommandFailure.visible(symbol))'"
        } else if !known.insert(symbol).inserted {
          "each symbol once, got '\(symbol)' again"
        } else {
          nil
        }
      if let refusal { throw ValidationError("symbol \(place): expected \(refusal)") }
    }
  }

  /// What the options ask for.
  ///
  /// - Throws: `ValidationError` for options that do not go together; `CommandFailure` for a file of symbols that cannot be read.
  func plan() throws -> TickerPlan {
    var symbols = symbols
    if let symbolsFile {
      let text = try TextFile.read(symbolsFile, option: "--symbols")
      symbols += text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
      if symbols.isEmpty {
        throw CommandFailure(.badData, "\(symbolsFile): expected symbols, one a line, got none")
      }
    }
    try Self.check(symbols)
    if let subscribe = source.webSocket.subscribe, subscribe != "none", symbols.isEmpty {
      throw ValidationError("--subscribe: expected symbols, of which the message tells, got none")
    }
    var plan: TickerPlan
    if let other = try source.recording.map(FeedConfiguration.replay) ?? source.connection() {
      let option = source.connect == nil ? "--replay" : "--connect"
      if seed != nil { throw ValidationError("--seed: expected it without \(option), got both") }
      if rate != nil && stream.policy != .sampled {
        throw ValidationError("--rate: expected --policy sampled with it, or a random walk, got \(option) alone")
      }
      if !simulation.motions.isEmpty { throw ValidationError("--brownian: expected it without \(option), got both") }
      plan = TickerPlan(source: other, symbols: symbols.isEmpty ? .all : .only(symbols))
    } else {
      if symbols.isEmpty {
        throw ValidationError("expected one symbol or more, --replay <file> or --connect <address>, got none of them")
      }
      if stream.policy == .sampled {
        throw ValidationError(
          "--policy sampled: expected it with --replay or --connect, got it alone: --rate says it of random walks")
      }
      let known = Set(symbols)
      for threshold in stream.alerts where !known.contains(threshold.symbol) {
        throw ValidationError("--alert: expected one of the symbols, got '\(threshold.symbol)'")
      }
      let feed = SimulatedFeed(
        symbols: symbols, updatesPerSecond: rate ?? 2, seed: seed, model: try simulation.model(of: symbols))
      plan = TickerPlan(source: .simulated(feed), symbols: .only(symbols))
    }
    switch stream.policy {
    case .buffered: break
    case .conflated: plan.policy = .conflated
    case .sampled:
      // What the feed takes: 1 ms to 1 h.
      let rate = rate ?? 2
      guard (1 / 3_600.0...1_000).contains(rate) else {
        throw ValidationError("--rate: expected 1/3600 to 1000 with --policy sampled, got \(rate)")
      }
      plan.policy = .sampled(every: .seconds(1 / rate))
    }
    if let interval = stream.candles { plan.content = .candles(every: interval, lateness: stream.lateness ?? .zero) }
    if let window = stream.statistics { plan.content = .statistics(over: window) }
    plan.thresholds = stream.alerts
    plan.record = stream.record.map {
      TickerPlan.Record(path: $0, mayReplace: stream.overwrite, input: plan.recording?.path)
    }
    plan.serve = source.serve.map { FeedAddress($0) }
    plan.duration = duration.map { .seconds($0) }
    return plan
  }

  func run() async throws {
    // What the engine warns of, the output or the view tells.
    log.bootstrap(usual: .error)
    let run = TickerRun(plan: try plan())
    let notes: LineWriter? = log.quiet ? nil : .standardError
    let ending: RunEnding
    if let screen = output.screen {
      let start = ContinuousClock.now
      let view = LiveTicker(
        run.plan, screen: screen, now: { (ContinuousClock.now - start) / .seconds(1) },
        wall: { Int64(Date().timeIntervalSince1970 * 1e9) })
      ending = try await run.table(view, notes: notes)
    } else {
      ending = try await run.lines(
        output.effectiveFormat, profile: output.profile, to: .standardOutput, notes: notes)
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}
