internal import ArgumentParser
import Foundation
import RustleMarket

struct TickerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ticker",
    abstract: "Stream prices of symbols.",
    usage: "rustle ticker <symbols> ... [--rate <rate>] [--duration <seconds>] [--seed <seed>] [--json]",
    discussion: """
      The prices are a random walk from the native engine: a source to try things on, not a market. On a terminal they \
      are a live table (q quits, space pauses, ? helps); in a pipe there is one line for each update.

      EXAMPLES:
        rustle ticker BTC ETH SOL
        rustle ticker BTC ETH SOL --duration 5 --json | head -n 3
        rustle ticker BTC --seed 7 --rate 10 --duration 2 --format csv > btc.csv

      NDJSON FIELDS:
        v       1, the version of these fields
        symbol  as it was asked for
        price   in the quote currency
        t_ms    milliseconds since 1970-01-01T00:00:00Z
        seq     number of the update in the stream: 0, 1, 2, ...
      """)

  @Argument(help: "One or more symbols, each of 1 to 32 bytes without white space.")
  var symbols: [String]

  @Option(
    parsing: .unconditional,
    help: "Updates a second for each symbol, 0.001 to 10000000. (default: 2)",
    transform: Parse.number("updates a second", in: 0.001...10_000_000))
  var rate = 2.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"),
    transform: Parse.number("seconds", in: 0.001...1e9))
  var duration: Double?

  @Option(
    parsing: .unconditional,
    help: "Seed of the random walk: the same seed and symbols give the same prices.",
    transform: { text in
      guard let seed = UInt64(text) else {
        throw ValidationError("expected a whole number from 0 to \(UInt64.max), got '\(text)'")
      }
      return seed
    })
  var seed: UInt64?

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let run = TickerRun(
      symbols: symbols, configuration: TickerConfiguration(updatesPerSecond: rate, seed: seed),
      duration: duration.map { .seconds($0) })
    let profile = TerminalProfile.standardOutput(isASCIIAskedFor: output.ascii)
    let ending: RunEnding
    if output.effectiveFormat == .auto && profile.isLive {
      ending = try await table(run)
    } else {
      ending = try await run.lines(
        output.effectiveFormat, profile: profile, to: .standardOutput, notes: log.quiet ? nil : .standardError)
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  private func table(_ run: TickerRun) async throws -> RunEnding {
    let start = ContinuousClock.now
    let view = LiveTicker(
      symbols: symbols, screen: .standardOutput(isASCIIAskedFor: output.ascii),
      now: { (ContinuousClock.now - start) / .seconds(1) })
    return try await run.table(view)
  }
}
