internal import ArgumentParser
import Foundation
import Logging
import RustleMarket

struct TickerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ticker",
    abstract: "Stream market data: trades, candles, statistics, alerts.",
    usage: """
      rustle ticker <symbols> ... [--rate <rate>] [--duration <seconds>]
                    [--seed <seed>] [--json]
      rustle ticker --replay <file> [<symbols> ...] [--speed <factor|max>]
                    [--candles <interval>] [--json]
      rustle ticker --connect <address> [<symbols> ...] [--json]
      """,
    discussion: """
      Without --replay and --connect the prices are simulated: a random walk, for tests and demonstrations. A terminal shows a \
      live table (q quits, space pauses, ? shows help); a pipe receives one line for each update.

      A recording is replayed at its own pace or faster, and waits for a slow reader. Malformed lines are skipped, counted and \
      reported on standard error. Prices keep every digit. Alerts are written in the output, with CSV on standard error. An \
      alert may precede or follow its update; its t_ms identifies the update.

      --connect reconnects until the command ends; connections and attempts are reported on standard error, and gaps in the \
      output. --subscribe is the message to a WebSocket, in which $symbols is replaced by a JSON list of the symbols, or \
      $symbol by one symbol in each of several messages. --serve provides every symbol of the source as NDJSON; a recording \
      starts with the first client, and waits for all clients.

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
        symbol  the symbol, as requested or from the source
        price   the price in the quote currency
        t_ms    milliseconds since 1970-01-01T00:00:00Z, or t_ns, nanoseconds
        seq     sequence number of the update, per symbol
        size    size of the trade, if the source has it
        gap     alone in a line: the number of updates missing here
        alert   alone in a line: symbol, above or below, price, t_ms;
                or gap: the number of alerts missing here

      NDJSON FIELDS OF CANDLES:
        symbol, open, high, low, close
        volume       sum of the sizes, exact to 18 digits, rounded beyond
        count        number of updates
        start_ms     start of the candle, or start_ns
        interval_ms  duration of the candle, or interval_ns

      NDJSON FIELDS OF STATISTICS:
        symbol, t_ms  the symbol and the end of the window, or t_ns
        count         number of updates in the window
        mean, sd      mean and sample standard deviation of the prices
        low, high, first, last
        window_ms     duration of the window, or window_ns
      """)

  @Argument(
    help:
      "Symbols, each of 1 to 32 bytes without white space. Default of a recording or a connection: all."
  )
  var symbols: [String] = []

  @Option(
    name: .customLong("symbols"),
    help: ArgumentHelp("Read more symbols from this file, one per line.", valueName: "file"),
    completion: .file())
  var symbolsFile: String?

  @OptionGroup(title: "Sources") var source: TickerSourceOptions
  @OptionGroup(title: "Streams") var stream: TickerStreamOptions

  @Option(
    help: "Updates per second and symbol, 0.001 to 10000000, of a simulation or with --policy sampled. (default: 2)",
    parse: Parse.number("updates a second", in: 0.001...10_000_000))
  var rate: Double?

  @Option(
    help: "Stop after this many seconds.", value: "seconds",
    parse: Parse.number("seconds", in: 0.001...1e9))
  var duration: Double?

  @Option(
    help: "Seed of a simulation: the same seed, symbols and motions produce the same prices.",
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

  /// Checks the names of symbols.
  ///
  /// - Throws: `ValidationError` for an invalid or repeated name.
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

  /// The plan of the run.
  ///
  /// - Throws: `ValidationError` for options that conflict; `CommandFailure` for an unreadable file of symbols.
  func plan() throws -> TickerPlan {
    var symbols = symbols
    if let symbolsFile {
      let text = try TextFile.read(symbolsFile, option: "--symbols")
      symbols += text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
      if symbols.isEmpty {
        throw CommandFailure(.badData, "\(symbolsFile): expected symbols, one per line, got none")
      }
    }
    try Self.check(symbols)
    if let subscribe = source.webSocket.subscribe, subscribe != "none", symbols.isEmpty {
      throw ValidationError("--subscribe requires symbols")
    }
    var plan: TickerPlan
    if let other = try source.recording.map(FeedConfiguration.replay) ?? source.connection() {
      let option = source.connect == nil ? "--replay" : "--connect"
      if seed != nil { throw ValidationError("--seed cannot be used with \(option)") }
      if rate != nil && stream.policy != .sampled {
        throw ValidationError("--rate with \(option) requires --policy sampled")
      }
      if !simulation.motions.isEmpty { throw ValidationError("--brownian cannot be used with \(option)") }
      plan = TickerPlan(source: other, symbols: symbols.isEmpty ? .all : .only(symbols))
    } else {
      if symbols.isEmpty {
        throw ValidationError("expected one symbol or more, --replay <file> or --connect <address>, got none")
      }
      if stream.policy == .sampled {
        throw ValidationError("--policy sampled requires --replay or --connect; a simulation has --rate")
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
      // The feed's range: 1 ms to 1 h.
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
    // The engine's warnings are reported by the output or the view.
    log.bootstrap(usual: .error)
    let run = TickerRun(plan: try plan())
    let notes: LineWriter? = log.quiet ? nil : .standardError
    let ending: RunEnding
    if let screen = output.screen {
      let start = ContinuousClock.now
      let view = LiveTicker(
        run.plan, screen: screen, now: { (ContinuousClock.now - start) / .seconds(1) },
        wall: { .now })
      ending = try await run.table(view, notes: notes)
    } else {
      ending = try await run.lines(
        output.effectiveFormat, profile: output.profile, to: .standardOutput, notes: notes)
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}
