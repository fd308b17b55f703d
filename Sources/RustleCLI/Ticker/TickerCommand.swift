internal import ArgumentParser
import Foundation
import Logging
import RustleFiles
import RustleMarket
import RustlePlot

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
      Without --replay and --connect the prices are simulated: a random walk. A terminal shows a \
      live table (q quits, space pauses, ? shows help); a pipe receives one line for each update.

      A recording is replayed at its own pace or faster, and waits for a slow reader. Malformed lines are skipped, counted and \
      reported on standard error. Prices keep every digit. Alerts are written in the output, with CSV on standard error, unless --quiet. An \
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
        rustle ticker --replay p.csv --candles 5m,1d --session mon-fri/08:00-16:30
        rustle ticker BTC --brownian BTC=65000.00,0.05,0.6 --rate 10 --statistics 10s
        rustle ticker BTC ETH --serve 127.0.0.1:7000
        rustle ticker --connect 127.0.0.1:7000 BTC --record btc.ndjson
        rustle ticker --exchange kraken BTC/USD --publish nats://a/p --durable 1d
        rustle ticker --connect nats://a/p BTC/USD --history last
        rustle ticker --connect wss://a.example BTC --subscribe '{"args":$symbols}'
        rustle ticker --source a=mon.csv --source b=tue.csv --speed max --candles 1h
        rustle ticker --exchange kraken BTC/USD ETH/USD --quotes
        rustle ticker --replay t.csv --schema symbol=s,price=p --alert 'BTC>70000'

      NDJSON FIELDS:
        v       1, the version of these fields
        symbol  the symbol, as requested or from the source
        price   the price in the quote currency
        t_ms    milliseconds since 1970-01-01T00:00:00Z, or t_ns, nanoseconds
        seq     sequence number of the update, per symbol
        size    size of the trade, if the source has it
        side    of the taker, buy or sell, if the source has it
        bid, bid_size, ask, ask_size, mid, spread
                quote of the message, if it has one
        gap     alone in a line: the number of updates missing here
        alert   alone in a line: symbol, above or below, price, t_ms;
                or gap: the number of alerts missing here

      NDJSON FIELDS OF CANDLES:
        symbol, open, high, low, close
        volume       sum of the sizes, exact to 18 digits, rounded beyond
        vwap         mean price weighted by size, if the source has sizes
        count        number of updates
        start_ms     start of the candle, or start_ns
        interval_ms  duration of the candle, or interval_ns; in CSV
                     for several intervals only
        interval     as requested, of several and of --zone, --session, 1w

      NDJSON FIELDS OF STATISTICS:
        symbol, t_ms  the symbol and the end of the window, or t_ns
        count         number of updates in the window
        mean, sd      mean and sample standard deviation of the prices
        low, high, first, last
        window_ms     duration of the window, or window_ns
      """)

  @Argument(help: "Symbols of 1 to 32 UTF-8 bytes, separated by spaces. (default of a recording or connection: all)")
  var symbols: [String] = []

  @Option(
    name: .customLong("symbols"), parsing: .next, "Read more symbols from this file, one per line.", value: "file",
    completion: .file())
  var symbolsFile: String?

  @Option(
    parsing: .next,
    "Read options from this JSON file: an object of options' names without dashes. (default: ~/.config/rustle/ticker.json, without symbols and a source)",
    value: "file", completion: .file(extensions: ["json"]))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "A symbol for a command line without symbols, as in the file of --config. Repeatable.", valueName: "symbol"))
  var watchlist: [String] = []

  @OptionGroup(title: "Sources") var source: TickerSourceOptions
  @OptionGroup(title: "Streams") var stream: TickerStreamOptions

  @Option(
    "Updates per second and symbol, 0.001 to 10000000, of a simulation or with --policy sampled. (default: 2)",
    parse: Parse.number("updates per second", in: 0.001...10_000_000))
  var rate: Double?

  @Option("Stop after this many seconds.", value: "seconds", parse: Parse.number("seconds", in: 0.001...1e9))
  var duration: Double?

  @Option(
    "Seed of a simulation: the same seed, symbols and price processes produce the same prices. (default: drawn)",
    parse: Parse.value("a whole number from 0 to \(UInt64.max)") { UInt64($0) })
  var seed: UInt64?

  @Option(
    name: .customLong("brownian"),
    "Simulate a symbol's price as geometric Brownian motion from an initial price, rounded to its digits: "
      + "BTC=65000.00; with drift and volatility per year: BTC=65000.00,0.05,0.6 (default: 0 and 0.5). Required for "
      + "all symbols or none.", value: "symbol=price",
    parse: { text in try Parse.checked { try NamedMotion(text) } })
  var processes: [NamedMotion] = []

  @OptionGroup var metrics: MetricsOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    // Files that cannot be read have exit codes of their own, which the run reports.
    do { if symbolsFile == nil { _ = try plan() } } catch is CommandFailure {}
  }

  private func allSymbols() throws -> [String] {
    var symbols = symbols
    if let symbolsFile {
      let text = try TextFile.read(symbolsFile, option: "--symbols")
      symbols += text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
      if symbols.isEmpty {
        throw CommandFailure(.badData, "--symbols: \(symbolsFile): expected symbols, one per line, got none")
      }
    }
    if symbols.isEmpty { symbols = watchlist }
    if let fault = FeedSymbols.fault(of: symbols) { throw ValidationError(CommandFailure.visible(fault)) }
    return symbols
  }

  /// The plan of the run.
  func plan() throws -> TickerPlan {
    let symbols = try allSymbols()
    // First, also where the command has no WebSockets.
    let given = [source.given, stream.given, self.given].reduce([:]) { $0.merging($1) { $1 } }
    if let fault = TickerRules.fault(in: given) { throw ValidationError(fault) }
    try Parse.reject(
      (source.subscribe ?? "none" != "none" && symbols.isEmpty, "--subscribe requires symbols"),
      (source.exchange != nil && symbols.isEmpty, "--exchange requires symbols, as the exchange names them"))
    let feed = try source.feed()
    let foreign = feed == nil ? stream.alerts.first { !symbols.contains($0.symbol) }?.symbol : nil
    try Parse.reject(
      (
        feed == nil && symbols.isEmpty,
        "expected symbols or --symbols <file> to simulate, or --replay, --connect, --exchange or --source, got none"
      ),
      (
        feed == nil && stream.policy == .sampled,
        "--policy sampled requires --replay or --connect; a simulation has --rate"
      ),
      (foreign != nil, "--alert: expected one of the symbols, got '\(foreign ?? "")'"))
    let model = try Parse.checked { try SimulatedFeed.Model(processes, of: symbols) }
    return TickerPlan(
      source: feed
        ?? .simulated(
          SimulatedFeed(symbols: symbols, updatesPerSecond: rate ?? 2, seed: seed, model: model)),
      symbols: feed != nil && symbols.isEmpty ? .all : .only(symbols), content: try stream.content(),
      policy: try stream.policy(rate: rate ?? 2), thresholds: stream.alerts,
      record: stream.record, overwrite: stream.overwrite, serve: source.serve.map { FeedAddress($0) },
      access: try source.access(), publishing: try source.publishing(from: feed),
      duration: duration.map { .seconds($0) })
  }

  /// The given options of a simulation, for the rules between them.
  private var given: TickerRules.Options {
    ["seed": seed != nil, "rate": rate != nil, "brownian": !processes.isEmpty].filter(\.value).mapValues { _ in [] }
  }

  /// Libraries that find no file free end the process: it is not started where that is near.
  private static let fewestFiles = 64

  func run() async throws {
    if let limit = OpenFiles.limit, limit < Self.fewestFiles {
      throw CommandFailure(
        .unavailable, "the limit of open files is \(limit), expected \(Self.fewestFiles) or more",
        advice: "Raise it: ulimit -n 1024.")
    }
    // The engine's warnings are reported by the output or the view.
    log.bootstrap(usual: .error)
    let (plan, notes) = (try plan(), log.quiet ? nil : LineWriter.standardError)
    let ending: RunEnding
    if let screen = output.screen {
      let start = ContinuousClock.now
      let view = LiveTicker(plan, screen: screen, now: { (ContinuousClock.now - start) / .seconds(1) }, wall: { .now })
      ending = try await plan.run(to: view, view: view, notes: notes, metrics: metrics.metrics)
    } else {
      let lines = TickerOutput(
        plan, format: output.effectiveFormat, profile: output.profile, to: .standardOutput, notes: notes)
      ending = try await plan.run(to: lines, notes: notes, metrics: metrics.metrics)
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}
