internal import ArgumentParser
import Foundation
import RustleAudio
import RustleMarket
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct ParsingTests {
  /// The text that standard error shows for arguments that are refused.
  static func refusal(_ arguments: [String]) -> String {
    do {
      _ = try RootCommand.parseAsRoot(arguments)
      return "accepted"
    } catch {
      return RootCommand.exitCode(for: error).rawValue == 64 ? RootCommand.message(for: error) : "another exit code"
    }
  }

  @Test func examplesFitATerminal() {
    let texts =
      [RootCommand.configuration.discussion] + RootCommand.configuration.subcommands.map { $0.configuration.discussion }
    let lines = texts.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("  rustle ") }
    #expect(lines.count > 30)
    for line in lines { #expect(line.count < 80, "\(line)") }
  }

  @Test func subcommandsHaveTheNamesOfTheirConfigurations() {
    for (name, command) in RootCommand.named { #expect(command.configuration.commandName == name) }
    #expect(RootCommand.configuration.subcommands.count == RootCommand.named.count)
  }

  /// One subcommand is read without the others, and answers as it does with them.
  @Test(arguments: [
    ["eq", "a.wav"], ["eq", "--help"], ["dmx", "send", "--universes", "0"], ["dmx", "sent"], ["pitch"], ["help", "eq"],
    [], ["--help"],
    ["eq", "a.wav", "b.wav", "--band", "1000:3", "--encoding", "s16", "--quiet"], ["eq", "a.wav", "b.wav", "-h"],
    ["eq", "help"], ["eq", "--version"], ["meter", "a.wav", "--json"], ["pitch", "a.wav", "--min", "0"],
    ["eq", "--experimental-dump-help"], ["meter", "a.wav", "--generate-completion-script", "bash"],
    ["--generate-completion-script", "zsh"],
  ])
  func aSubcommandIsReadByItself(arguments: [String]) {
    func answer(_ parse: ([String]) throws -> any ParsableCommand) -> String {
      do { return "\(try parse(arguments))" } catch {
        return "\(RootCommand.exitCode(for: error)) \(RootCommand.fullMessage(for: error))"
      }
    }
    #expect(answer { try RootCommand.parsed($0) } == answer { try RootCommand.parseAsRoot($0) })
  }

  @Test func theTickersDefaultsAreThoseOfTheHelp() throws {
    let command = try #require(try RootCommand.parseAsRoot(["ticker", "BTC"]) as? TickerCommand)
    #expect(command.symbols == ["BTC"])
    let feed = SimulatedFeed(symbols: ["BTC"], updatesPerSecond: 2)
    #expect(try command.plan() == TickerPlan(source: .simulated(feed), symbols: ["BTC"]))
    #expect(command.output.effectiveFormat == .auto)
  }

  @Test func theTickersOptionsAreRead() throws {
    let arguments = ["ticker", "BTC", "ETH", "--rate", "0.5", "--duration", "5", "--seed", "\(UInt64.max)", "--json"]
    let command = try #require(try RootCommand.parseAsRoot(arguments) as? TickerCommand)
    #expect(command.symbols == ["BTC", "ETH"])
    #expect(command.rate == 0.5 && command.duration == 5 && command.seed == .max)
    #expect(command.output.effectiveFormat == .ndjson)
  }

  @Test func theTickersRecordingsAreRead() throws {
    func plan(_ arguments: String...) throws -> TickerPlan {
      try #require(try RootCommand.parseAsRoot(["ticker", "--replay"] + arguments) as? TickerCommand).plan()
    }
    #expect(try plan("a.csv") == TickerPlan(source: .replay(ReplayFeed(path: "a.csv")), symbols: .all))
    let feed = ReplayFeed(
      path: "/dev/stdin", format: .csv, schema: "symbol=s,price=p", pace: .asFastAsPossible, repeats: true,
      from: .unixEpoch)
    let other = try plan(
      "-", "BTC", "--input", "csv", "--schema", "symbol=s,price=p", "--speed", "max", "--loop", "--from", "1970-01-01",
      "--candles", "1m", "--lateness", "500ms", "--policy", "sampled", "--rate", "4", "--alert", "BTC>1", "--alert",
      "ETH<2~1", "--record", "b.ndjson", "--overwrite", "--duration", "9")
    #expect(other.source == .replay(feed) && other.symbols == ["BTC"] && other.duration == .seconds(9))
    #expect(other.policy == .sampled(every: .milliseconds(250)))
    #expect(other.content == .candles(.every(.seconds(60), lateness: .milliseconds(500))))
    #expect(other.thresholds.map(\.symbol) == ["BTC", "ETH"])
    #expect(other.record == "b.ndjson" && other.overwrite)
    #expect(try plan("a.csv", "--speed", "10").source == .replay(ReplayFeed(path: "a.csv", pace: .speed(10))))
    #expect(try plan("a.csv", "--policy", "conflated").policy == .conflated)
    #expect(
      try plan("a.csv", "--candles", "1m", "--lateness", "0s").content == .candles(.every(.seconds(60)))
    )
  }

  @Test func theTickersSymbolsAreReadFromAFile() throws {
    let folder = try ScratchFolder()
    func plan(_ text: String, _ arguments: String...) throws -> TickerPlan {
      let path = try folder.write(Data(text.utf8), as: "symbols.txt")
      let arguments = ["ticker", "--symbols", path] + arguments
      return try #require(try RootCommand.parseAsRoot(arguments) as? TickerCommand).plan()
    }
    #expect(try plan(" B\r\n\nC \n", "A").symbols == ["A", "B", "C"])
    #expect(try plan("B", "--replay", "a.csv").symbols == ["B"])
    #expect(try plan("\n", "A", "--replay", "a.csv").symbols == ["A"])
    #expect(throws: CommandFailure.self) { try plan("\n", "--replay", "a.csv") }
    #expect(throws: ValidationError.self) { try plan("A\n", "A") }
    #expect(throws: ValidationError.self) { try plan("A B\n") }
    let many = (0..<20_000).map { "S\($0)" }
    #expect(try plan(many.joined(separator: "\n")).shownSymbols == many)
    let missing = try #require(
      try RootCommand.parseAsRoot(["ticker", "--symbols", "/there-is-none"]) as? TickerCommand)
    #expect(throws: CommandFailure.self) { try missing.plan() }
  }

  @Test func theTickersPriceProcessesAreRead() throws {
    let arguments = [
      "ticker", "A=", "B", "--seed", "7", "--brownian", "B=65000.00,-0.5,0.6", "--brownian", "A==0.10", "--statistics",
      "10s",
    ]
    let plan = try #require(try RootCommand.parseAsRoot(arguments) as? TickerCommand).plan()
    let motions = try [
      BrownianMotion(price: #require(ExactDecimal("0.10"))),
      BrownianMotion(price: #require(ExactDecimal("65000.00")), drift: -0.5, volatility: 0.6),
    ]
    #expect(plan.source == .simulated(SimulatedFeed(symbols: ["A=", "B"], seed: 7, model: .brownian(motions))))
    #expect(plan.content == .statistics(over: .seconds(10)))
  }

  @Test func theTickersAddressesAreRead() throws {
    func plan(_ arguments: String...) throws -> TickerPlan {
      try #require(try RootCommand.parseAsRoot(["ticker"] + arguments) as? TickerCommand).plan()
    }
    let plain = try plan("--connect", "127.0.0.1:7000")
    #expect(plain == TickerPlan(source: .live(LiveFeed("127.0.0.1:7000")), symbols: .all))
    #expect(plain.policy == nil && plain.everything == .buffered() && plain.sourceText == "from 127.0.0.1:7000")
    let other = try plan(
      "--connect", "unix:/a b", "BTC", "--schema", "symbol=s,price=p", "--renumbered", "--serve", "[::1]:0", "--policy",
      "sampled", "--alert", "ETH>1", "--candles", "1m", "--record", "b.ndjson")
    let feed = LiveFeed(.unix("/a b"), schema: "symbol=s,price=p", restartsNumbers: true)
    #expect(other.source == .live(feed) && other.symbols == ["BTC"] && other.serve == .tcp("::1", port: 0))
    #expect(other.policy == .sampled(every: .milliseconds(500)) && other.record == "b.ndjson" && !other.overwrite)
    #expect(try plan("A", "--serve", "unix:a").serve == .unix("a"))
    #expect(try plan("A", "--serve", "a:1").access == .local)
    #expect(try plan("A", "--serve", "a:1", "--allow-anyone").access == .anyone)
    let folder = try ScratchFolder()
    let file = try folder.write(Data("0123456789abcdef\nsecond line\n".utf8), as: "token")
    #expect(try plan("A", "--serve", "a:1", "--token-file", file).access == .token("0123456789abcdef"))
    let live = LiveFeed(
      "a:1", silenceLimit: nil,
      backoff: LiveFeed.Backoff(base: .milliseconds(100), limit: .milliseconds(100), attemptLimit: 3),
      token: "0123456789abcdef")
    #expect(
      try plan(
        "--connect", "a:1", "--attempts", "3", "--backoff-limit", "100ms", "--silence-limit", "0", "--peer-token-file",
        file
      ).source == .live(live))
    #expect(
      try plan("--replay", "a.csv.gz", "--to", "5000", "--strict").source
        == .replay(ReplayFeed(path: "a.csv.gz", to: .unixEpoch + .seconds(5), isStrict: true)))
    #expect(try plan("--replay", "a.csv", "--serve", "a:1").everything == .lossless())
  }

  @Test func theHelpOfEveryCommandFitsEightyColumns() {
    func commands(from command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
      [command] + command.configuration.subcommands.flatMap(commands)
    }
    let all = commands(from: RootCommand.self)
    #expect(all.contains { $0.configuration.commandName == "receive" })
    for command in all {
      let help = RootCommand.helpMessage(for: command, columns: 80)
      let wide = help.split(separator: "\n").filter { $0.count > 80 }
      #expect(wide.isEmpty, "\(command): \(wide)")
      #expect(help.contains("USAGE: rustle"))
    }
  }

  /// An option with a default and a list of values used to have both, each with the default.
  @Test func anOptionHasItsDefaultAndItsValuesOnce() {
    for command in RootCommand.configuration.subcommands {
      let help = RootCommand.helpMessage(for: command, columns: 10_000)
      #expect(!help.contains(#/default: [^)]*\) \(values: /#), "\(command)")
      for line in help.split(separator: "\n") { #expect(line.matches(of: #/default: /#).count < 2, "\(line)") }
    }
  }

  @Test func theHelpHasEveryExitStatus() throws {
    let help = RootCommand.helpMessage(columns: 80)
    let list = try #require(help.firstMatch(of: /EXIT STATUS:\n((?:  .*\n)+)/)?.output.1)
    let numbers = list.matches(of: /(?:^|\s)(\d+) [a-z]/).compactMap { Int32($0.output.1) }
    #expect(numbers == ExitStatus.allCases.map(\.rawValue))
  }

  @Test func theSpectrumsOptionsAreRead() throws {
    let command = try #require(try RootCommand.parseAsRoot(["spectrum", "-"]) as? SpectrumCommand)
    #expect(command.file.input == "-")
    #expect(command.size == 8_192 && command.window == .hann && command.overlap == 0.5 && command.peaks == 8)
    let arguments = [
      "spectrum", "a.wav", "--size", "64", "--window", "none", "--overlap", "0", "--peaks", "0", "--channel", "2",
      "--png", "a.png", "--format", "csv",
    ]
    let other = try #require(try RootCommand.parseAsRoot(arguments) as? SpectrumCommand)
    #expect(other.size == 64 && other.window == .rectangular && other.overlap == 0 && other.peaks == 0)
    #expect(other.channel.number == 2 && other.picture.png == "a.png" && other.output.effectiveFormat == .csv)
  }

  @Test func theMetersOptionsAreRead() throws {
    let command = try #require(try RootCommand.parseAsRoot(["meter", "a.wav"]) as? MeterCommand)
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    #expect(try command.meter.configuration(for: format) == SoundLevelMeterConfiguration())
    #expect(
      command.interval == nil && command.duration.seconds == nil && command.picture.png == nil
        && command.calibrate == nil)
    let arguments = [
      "meter", "--demo", "--weighting", "c", "--time", "s", "--channel", "2", "--calibration", "-3.5", "--bands",
      "third",
      "--no-loudness", "--interval", "250", "--duration", "2", "--png", "a.png",
    ]
    let other = try #require(try RootCommand.parseAsRoot(arguments) as? MeterCommand)
    #expect(
      try other.meter.configuration(for: format)
        == SoundLevelMeterConfiguration(
          frequencyWeighting: .c, timeWeighting: .slow, channel: .channel(1), calibration: Calibration(offset: -3.5),
          measuresLoudness: false, bands: .thirdOctave))
    #expect(other.interval == 250 && other.duration.seconds == 2 && other.picture.png == "a.png")
    #expect(throws: CommandFailure.self) {
      try other.meter.configuration(for: AudioFormat(sampleRate: 48_000, channels: 1))
    }
  }

  @Test(arguments: [
    (["ticker", "A", "--rate", "0"], "expected updates per second from 0.001 to 10000000, got '0'"),
    (["ticker", "A", "--rate", "nan"], "expected updates per second from 0.001 to 10000000, got 'nan'"),
    (["ticker", "A", "--duration", "-1"], "expected seconds from 0.001 to 1000000000, got '-1'"),
    (
      ["ticker"],
      "expected symbols or --symbols <file> to simulate, or --replay, --connect, --exchange or --source, got none"
    ),
    (["ticker", "A", "--speed", "2"], "--speed requires --replay"),
    (["ticker", "A", "--lateness", "2s"], "--lateness requires --candles"),
    (
      ["ticker", "A", "--candles", "1m", "--lateness", "65m"],
      "--lateness: expected at most 64m, got 65m"
    ),
    (["ticker", "A", "B", "A"], "symbol 3: expected each symbol once, got 'A' again"),
    (["ticker", "A", ""], "symbol 2: expected a name, got an empty text"),
    (["ticker", "A\u{1B} B"], "symbol 1: expected no white space or control character, got 'A? B'"),
    (["ticker", "A", "B", String(repeating: "é", count: 17)], "symbol 3: expected at most 32 bytes, got 34"),
    (["ticker", "A", "--overwrite"], "--overwrite requires --record"),
    (
      ["ticker", "A", "--policy", "sampled"], "--policy sampled requires --replay or --connect; a simulation has --rate"
    ),
    (["ticker", "A", "--candles", "1.5m"], "expected an interval such as 250ms, 5s, 1m, 1h, 1d or 1w, got '1.5m'"),
    (["ticker", "A", "--alert", "B>1"], "--alert: expected one of the symbols, got 'B'"),
    (["ticker", "A", "--alert", "A"], "expected an alert such as 'BTC>70000'"),
    (["ticker", "--replay", "f", "--speed", "0"], "expected a factor (or max) from 0.001 to 1000000, got '0'"),
    (["ticker", "--replay", "f", "--from", "noon"], "milliseconds since 1970, got 'noon'"),
    (["ticker", "--replay", "f", "--seed", "1"], "--seed cannot be used with --replay"),
    (["ticker", "--replay", "f", "--rate", "1"], "--rate with --replay requires --policy sampled"),
    (["ticker", "--replay", "f", "--policy", "sampled", "--rate", "2000"], "expected 1/3600 to 1000"),
    (["ticker", "--replay", "-"], "--replay - requires --input ndjson or --input csv"),
    (["ticker", "--replay", "f", "--connect", "a:1"], "--replay cannot be used with --connect"),
    (["ticker", "--connect", "a:1", "--seed", "1"], "--seed cannot be used with --connect"),
    (["ticker", "--connect", "a:1", "--speed", "2"], "--speed requires --replay"),
    (["ticker", "--connect", "a:1", "--rate", "1"], "--rate with --connect requires --policy sampled"),
    (
      ["ticker", "--connect", "a:1", "--subscribe", "none"], "--subscribe requires --connect ws://… or wss://…"
    ),
    (["ticker", "A", "--attempts", "3"], "--attempts requires --connect"),
    (["ticker", "--connect", "a:1", "--attempts", "0"], "expected a number of attempts from 1 to 4294967295, got '0'"),
    (["ticker", "A", "--backoff-limit", "1s"], "--backoff-limit requires --connect"),
    (["ticker", "--connect", "nats://a/p", "--attempts", "3"], "--attempts cannot be used with nats://…"),
    (["ticker", "--connect", "ws://a", "--history", "last"], "--history requires --connect nats://…"),
    (["ticker", "A", "--durable", "1d"], "--durable requires --publish"),
    (["ticker", "A", "--epoch", "1"], "--epoch requires --publish"),
    (["ticker", "A", "--replicas", "3"], "--replicas requires --durable"),
    (["ticker", "A", "--publish-roots", "r.pem"], "--publish-roots requires --publish"),
    (["ticker", "A", "--publish-token-file", "t"], "--publish-token-file requires --publish"),
    (
      ["ticker", "A", "--publish", "nats://a,b/p", "--publish-roots", "r.pem"],
      "--publish: expected tls://host:port for root certificates, got 'nats://a'"
    ),
    (["ticker", "--connect", "nats://a/p", "--roots", "r.pem"], "--roots requires --connect wss://… or tls://…"),
    (
      ["ticker", "A", "--publish", "nats://user:secret@a/p"],
      "--publish: expected credentials apart from it, got '…@a/p'"
    ),
    (["ticker", "--connect", "tls://secret@a/p"], "--connect: expected credentials apart from it, got '…@a/p'"),
    (["ticker", "A", "--publish", "ws://a"], "--publish: expected nats://host:port/prefix, got 'ws://a'"),
    (["ticker", "A", "--silence-limit", "1s"], "--silence-limit requires --connect"),
    (["ticker", "A", "--allow-anyone"], "--allow-anyone requires --serve"),
    (
      ["ticker", "A", "--serve", "a:1", "--allow-anyone", "--token-file", "t"],
      "--allow-anyone cannot be used with --token-file"
    ),
    (
      ["ticker", "A", "--token-file", "t"],
      "--token-file requires --serve; a peer's token is that of --peer-token-file"
    ),
    (["ticker", "--connect", "a:1", "--token-file", "t"], "--token-file requires --serve"),
    (["ticker", "--connect", "ws://a", "--peer-token-file", "t"], "a WebSocket has --header"),
    (["ticker", "A", "--to", "5"], "--to requires --replay"),
    (["ticker", "A", "--strict"], "--strict requires --replay"),
    (["ticker", "A", "--header", "a: b"], "--header requires --connect ws://… or wss://…"),
    (
      ["ticker", "--connect", "ws://a", "--header", "a"], "expected a header such as 'Authorization: Bearer x', got 'a'"
    ),
    (
      ["ticker", "--connect", "ws://a", "--header", "a: b", "--header", "A: c"],
      "--header: expected each name once, got 'A' again"
    ),
    (["ticker", "A", "--candles", "1m", "--statistics", "1m"], "--candles cannot be used with --statistics"),
    (
      ["ticker", "A", "--brownian", "A"],
      "expected a symbol and a price above 0 such as BTC=65000.00 or BTC=65000.00,0.05,0.6, got 'A'"
    ),
    (["ticker", "A", "--brownian", "A=0"], "expected a symbol and a price above 0 such as BTC=65000.00"),
    (["ticker", "A", "--brownian", "A=1,2,3,4"], "expected a symbol and a price above 0 such as BTC=65000.00"),
    (
      ["ticker", "A", "--brownian", "A=1000.0000000000000"],
      "expected a price of at most 15 digits, got '1000.0000000000000'"
    ),
    (
      ["ticker", "--connect", "ws://a", "--subscribe", "$symbol"],
      "--subscribe requires symbols"
    ),
    (["ticker", "A", "--brownian", "A=1,x"], "expected a drift from -1000 to 1000, got 'x'"),
    (["ticker", "A", "--brownian", "A=1,0,-1"], "expected a volatility from 0 to 1000, got '-1'"),
    (["ticker", "A", "--brownian", "B=1"], "--brownian: expected one of the symbols, got 'B'"),
    (
      ["ticker", "A", "--brownian", "A=1", "--brownian", "A=2"], "--brownian: expected each symbol once, got 'A' again"
    ),
    (["ticker", "A", "B", "--brownian", "A=1"], "--brownian: expected one for each symbol, got none for 'B'"),
    (["ticker", "--replay", "f", "--brownian", "A=1"], "--brownian cannot be used with --replay"),
    (["ticker", "A", "--candles", "1m,x"], "an interval such as 250ms, 5s, 1m, 1h, 1d or 1w, got 'x'"),
    (["ticker", "A", "--candles", "1m,1m"], "--candles: expected each interval once"),
    (["ticker", "A", "--zone", "UTC"], "--zone requires --candles"),
    (["ticker", "A", "--session", "09:30-16:00"], "--session requires --candles"),
    (["ticker", "A", "--candles", "1d", "--session", "9-16"], "expected a session such as mon-fri/09:30-16:00"),
    (
      ["ticker", "A", "--candles", "1d", "--zone", "Moon"], "--zone: expected a name such as Europe/Berlin, got 'Moon'"
    ),
    (
      ["ticker", "A", "--candles", "5s", "--zone", "UTC"],
      "--candles: expected whole minutes below a day, 1d or 1w in a calendar, got 5s"
    ),
    (["ticker", "--source", "x"], "expected a source such as a=prices.csv, got 'x'"),
    (["ticker", "--source", "a=x", "--source", "a=y"], "--source: expected each name once, got 'a' again"),
    (["ticker", "--source", "a=x", "--replay", "y"], "--replay cannot be used with --source"),
    (["ticker", "--exchange", "kraken"], "--exchange requires symbols, as the exchange names them"),
    (["ticker", "--exchange", "kraken", "--replay", "f"], "--replay cannot be used with --exchange"),
    (["ticker", "--exchange", "kraken", "--connect", "a:1"], "--connect cannot be used with --exchange"),
    (["ticker", "--connect", "ws://a", "--quotes"], "--quotes requires --exchange"),
    (
      ["ticker", "--exchange", "kraken", "A", "--schema", "symbol=s,price=p"],
      "--exchange has a schema and messages of its own: pass another file to change them"
    ),
    (
      ["ticker", "--connect", "ws://a", "--insecure"], "--insecure requires --connect wss://…"
    ),
    (
      ["ticker", "--connect", "wss://a", "--insecure", "--roots", "r.pem"],
      "--insecure cannot be used with --roots"
    ),
    (
      ["ticker", "--connect", "ws://a", "--roots", "r.pem"],
      "--roots requires --connect wss://… or tls://…; ws://… and nats://… have no certificates"
    ),
    (["ticker", "--connect", "ws://a", "--unsubscribe", "x"], "--unsubscribe requires --subscribe with a message"),
    (["ticker", "A", "--schema", "symbol=s,price=p"], "--schema requires --replay or --connect"),
    (["ticker", "--replay", "f", "--renumbered"], "--renumbered requires --connect"),
    (["ticker", "A", "--seed", "x"], "expected a whole number from 0 to 18446744073709551615, got 'x'"),
    (["ticker", "A", "--json", "--format", "csv"], "--json cannot be used with --format csv"),
    (["ticker", "A", "-v", "-q"], "--verbose cannot be used with --quiet"),
    (["spectrum", "f", "--size", "1000"], "expected a power of two from 64 to 65536, got '1000'"),
    (["spectrum", "f", "--size", "32"], "expected a power of two from 64 to 65536, got '32'"),
    (["spectrum", "f", "--overlap", "1"], "expected a fraction from 0 to 0.95, got '1'"),
    (["spectrum", "f", "--peaks", "-2"], "expected a whole number from 0 to 1000, got '-2'"),
    (["spectrum", "f", "--channel", "0"], "expected a channel number from 1 to 1024, got '0'"),
    (["meter", "f", "--interval", "0"], "expected milliseconds from 1 to 3600000, got '0'"),
    (["meter", "f", "--calibration", "400"], "expected decibels from -300 to 300, got '400'"),
    (["meter", "f", "--calibrate", "94", "--calibration", "1"], "--calibrate cannot be used with --calibration"),
    (["meter", "f", "--calibrate", "94", "--png", "a.png"], "--calibrate cannot be used with --png"),
    (["meter", "f", "--calibrate", "94", "--interval", "5"], "--calibrate cannot be used with --interval"),
    (["meter", "f", "--demo"], "--demo cannot be used with a file, got 'f'"),
    (["tune", "f", "--reference", "299"], "expected hertz from 300 to 500, got '299'"),
    (["tune", "f", "--tonic", "H9"], "note name: expected a letter A to G"),
    (["tune", "f", "--learn-note", "A4"], "--learn-note requires --learn"),
    (["tune", "f", "--unsteadied", "--hold", "1"], "--unsteadied cannot be used with --hold"),
    (["tune", "f", "--ppm", "-501"], "expected parts per million from -500 to 500, got '-501'"),
    (["tune"], "expected a sound file, - for standard input, --device <name> or --demo, got none"),
    (["play", "f", "--demo", "--device", "x"], "--device x cannot be used with --demo"),
    (["play", "f", "--device", ""], "--device: expected the name of a device, got ''"),
    (["play", "f", "--duration", "0"], "expected seconds from 0.001 to 1000000000, got '0'"),
  ])
  func aRefusalSaysWhatWasExpectedAndWhatCame(arguments: [String], text: String) {
    let refusal = Self.refusal(arguments)
    #expect(refusal.contains(text), "\(refusal)")
  }

  @Test func anUnknownValueIsAnsweredWithTheKnownOnes() {
    let window = Self.refusal(["spectrum", "f", "--window", "kaiser"])
    #expect(window.contains("'kaiser'"))
    for name in ["hann", "hamming", "blackman", "none"] { #expect(window.contains(name)) }
    let weighting = Self.refusal(["meter", "f", "--weighting", "B"])
    #expect(weighting.contains("'B'") && weighting.contains("'A', 'C' or 'Z'"))
    let format = Self.refusal(["ticker", "A", "--format", "xml"])
    for name in OutputFormat.allCases { #expect(format.contains(name.rawValue)) }
  }

  @Test func onlyAFirstWordThatIsNoSubcommandIsUnknown() {
    #expect(RustleCommandLine.unknownSubcommand([]) == nil)
    #expect(RustleCommandLine.unknownSubcommand(["--help"]) == nil)
    #expect(RustleCommandLine.unknownSubcommand(["ticker", "doktor"]) == nil)
    let failure = RustleCommandLine.unknownSubcommand(["doktor"])
    #expect(
      failure?.message
        == "expected a subcommand (ticker, spectrum, spectrogram, pitch, voice, meter, batch, tune, eq, record, play, link, tap, tempo, dmx, provision, light, venue, fixture, map, studio, account, devices, doctor, completions or help), got 'doktor'"
    )
    #expect(failure?.advice == "Did you mean 'rustle doctor'?")
    #expect(RustleCommandLine.unknownSubcommand(["serve-me"])?.advice == nil)
  }

  @Test(arguments: [
    "", "ticker", "spectrum", "spectrogram", "pitch", "meter", "tune", "eq", "record", "play", "devices", "doctor",
    "completions",
  ])
  func everyHelpHasExamples(subcommand: String) {
    let words = subcommand.isEmpty ? ["--help"] : [subcommand, "--help"]
    do {
      // The request is a command of its own, whose run throws the text.
      var request = try RootCommand.parseAsRoot(words)
      try request.run()
      Issue.record("expected a request for help")
    } catch {
      let text = RootCommand.fullMessage(for: error)
      #expect(RootCommand.exitCode(for: error).rawValue == 0)
      #expect(text.contains("EXAMPLES:\n"))
      #expect(text.contains("    rustle \(subcommand)") || text.contains("  rustle \(subcommand)"))
    }
  }
}
