internal import ArgumentParser
import Foundation
import RustleMarket
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

#if WebSocket
import RustleWebSocket
#endif

/// The arguments of sources of a ticker.
@Suite(.releasesNativeObjects) struct TickerParsingTests {
  @Test func severalSourcesAreOne() throws {
    let arguments = ["ticker", "--source", "a=x.csv", "--source", "b=h:1", "--source", "c=unix:/s", "--speed", "max"]
    let plan = try #require(try RootCommand.parseAsRoot(arguments) as? TickerCommand).plan()
    let merged = MergedFeed([
      "a": .replay(ReplayFeed(path: "x.csv", pace: .asFastAsPossible)), "b": .live(LiveFeed("h:1")),
      "c": .live(LiveFeed("unix:/s")),
    ])
    #expect(plan.source == .merged(merged) && plan.everything == .buffered() && plan.connection == "b, c")
    let files = try #require(
      try RootCommand.parseAsRoot(["ticker", "--source", "a=x.csv", "--source", "b=y.csv"]) as? TickerCommand)
    #expect(try files.plan().everything == .lossless() && files.plan().connection == nil)
    #expect(try files.plan().sourceText == "replay x 1")
  }

  /// A token goes to the peer that it is for, and the server's to none.
  @Test func tokensHaveTheirPeers() throws {
    let folder = try ScratchFolder()
    let (own, other) = (String(repeating: "s", count: 16), String(repeating: "p", count: 16))
    let paths = try [own, other].map { try folder.write(Data($0.utf8), as: $0) }
    func plan(_ arguments: String...) throws -> TickerPlan {
      try #require(try RootCommand.parseAsRoot(["ticker"] + arguments) as? TickerCommand).plan()
    }
    let single = try plan("--connect", "h:1", "--serve", "h:2", "--token-file", paths[0])
    #expect(single.source == .live(LiveFeed("h:1")) && single.access == .token(own))
    let both = try plan(
      "--connect", "h:1", "--serve", "h:2", "--token-file", paths[0], "--peer-token-file", paths[1])
    #expect(both.source == .live(LiveFeed("h:1", token: other)) && both.access == .token(own))
    let merged = try plan(
      "--source", "a=h:1", "--source", "b=h:2", "--peer-token-file", "b=\(paths[1])", "--serve", "h:3", "--token-file",
      paths[0])
    #expect(
      merged.source == .merged(MergedFeed(["a": .live(LiveFeed("h:1")), "b": .live(LiveFeed("h:2", token: other))])))
  }

  @Test(arguments: [
    (["--connect", "a:1", "--peer-token-file", "t", "--peer-token-file", "u"], "expected one file, got 2"),
    (
      ["--source", "a=x:1", "--source", "b=ws://b", "--peer-token-file", "b=t"],
      "expected NAME=file of a --source NAME=host:port, got 'b=t'"
    ),
  ])
  func aTokenForNobodyIsRefused(arguments: [String], text: String) {
    let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["ticker"] + arguments) }
    #expect(error.map { RootCommand.message(for: $0) } == "--peer-token-file: \(text)")
  }

  /// The command checks every rule of ``TickerRules``.
  @Test func everyRequirementIsChecked() throws {
    let samples = [
      "alert": "A>1", "allow-anyone": nil, "attempts": "3", "backoff-limit": "1s", "brownian": "A=1", "durable": "1d",
      "epoch": "1", "from": "5", "header": "a: b", "history": "last", "input": "csv", "insecure": nil, "lateness": "1s",
      "loop": nil, "overwrite": nil,
      "peer-token-file": "t", "publish-roots": "r", "publish-token-file": "t", "quotes": nil, "rate": "2",
      "renumbered": nil, "replicas": "3", "roots": "r", "schema": "symbol=s,price=p",
      "seed": "7", "session": "mon/09:00-10:00", "silence-limit": "1s", "speed": "2", "strict": nil, "subscribe": "a",
      "to": "5", "token-file": "t", "unsubscribe": "b", "zone": "UTC",
    ]
    for rule in TickerRules.requirements {
      let sample = try #require(samples[rule.option], "\(rule.option)")
      var arguments = ["A", "--\(rule.option)"] + (sample.map { [$0] } ?? [])
      if case .simulation = rule.need { arguments += ["--replay", "f"] }
      let error = #expect(throws: (any Error).self, "\(arguments)") {
        try RootCommand.parseAsRoot(["ticker"] + arguments)
      }
      let text = error.map { RootCommand.message(for: $0) } ?? ""
      #expect(text.hasPrefix("--\(rule.option) "), "\(text)")
    }
  }

  @Test func faultsOfOneOfSeveralSourcesNameIt() async throws {
    func failure(_ arguments: String...) async throws -> CommandFailure? {
      do {
        let plan = try #require(try RootCommand.parseAsRoot(["ticker"] + arguments) as? TickerCommand).plan()
        _ = try await plan.run(
          to: TickerOutput(
            plan, format: .ndjson, profile: TickerViewTests.profile(columns: 80),
            to: LineWriter(FileHandle.nullDevice), notes: nil), notes: nil)
        return nil
      } catch {
        return CommandFailure(error)
      }
    }
    let missing = try await failure("--source", "a=/none.csv")
    #expect(missing?.status == .noInput && missing?.message.hasPrefix("--source a: ") == true, "\(missing?.text ?? "")")
    let address = try await failure("--source", "b=h:99999")
    #expect(address?.status == .usage && address?.message.hasPrefix("--source b: ") == true, "\(address?.text ?? "")")
    let name = try await failure("--source", "a b=h:1")
    #expect(name?.message.hasPrefix("--source: expected names of 1 to 30 bytes") == true, "\(name?.text ?? "")")
  }

  @Test func theTickersOptionsMayStandInAFile() throws {
    let folder = try ScratchFolder()
    func plan(_ arguments: String..., home: String = "/nowhere") throws -> TickerPlan {
      let command = try RustleCommandLine.command(for: ["ticker"] + arguments, environment: ["XDG_CONFIG_HOME": home])
      return try #require(command as? TickerCommand).plan()
    }
    let text = #"{"watchlist":["A","B"],"rate":3,"seed":7,"alert":["A>1"]}"#
    let path = try folder.write(Data(text.utf8), as: "f.json")
    let simulated = SimulatedFeed(symbols: ["A", "B"], updatesPerSecond: 3, seed: 7)
    let whole = try plan("--config", path)
    #expect(whole.source == .simulated(simulated) && whole.symbols == ["A", "B"] && whole.thresholds.count == 1)
    // The command line counts.
    let other = try plan("--config", path, "A", "C", "--rate", "5")
    #expect(other.source == .simulated(SimulatedFeed(symbols: ["A", "C"], updatesPerSecond: 5, seed: 7)))
    try FileManager.default.createDirectory(atPath: folder.path("rustle"), withIntermediateDirectories: true)
    _ = try folder.write(Data(text.utf8), as: "rustle/ticker.json")
    #expect(try plan(home: folder.url.path).source == .simulated(simulated))
    #expect(try plan("--rate", "4", home: folder.url.path).symbols == ["A", "B"])
    #expect(try plan("C", home: folder.url.path).thresholds.isEmpty, "it is complete without a file")
    #expect(throws: (any Error).self) { try plan() }
    #expect(throws: (any Error).self) { try plan("--rate", "-1", home: folder.url.path) }
    let wrong = try folder.write(Data("[]".utf8), as: "wrong.json")
    let failure = #expect(throws: OptionsFileError.self) { try plan("--config", wrong) }
    #expect(failure?.code == .malformed && failure?.message.hasPrefix("--config: \(wrong): expected a JSON") == true)
    #expect(failure.flatMap { CommandFailure($0) }?.status == .badData)
    #expect(try plan("--config=\(path)").source == .simulated(simulated))
    // A fault of a combination names the file.
    let needy = try folder.write(Data(#"{"watchlist":["A"],"zone":"UTC"}"#.utf8), as: "g.json")
    let named = #expect(throws: CommandFailure.self) { try plan("--config=\(needy)") }
    #expect(named?.status == .usage && named?.message == "--zone requires --candles")
    #expect(named?.advice == "The options of \(needy) come before those of the command line.")
    // What the command line excludes is left out.
    #expect(try plan("--config=\(path)", "--replay", "a.csv").source == .replay(ReplayFeed(path: "a.csv")))
    let live = try folder.write(
      Data(#"{"connect":"h:1","attempts":3,"silence-limit":"5s","renumbered":true,"schema":"symbol=s,price=p"}"#.utf8),
      as: "live.json")
    #expect(
      try plan("--config=\(live)", "--replay", "a.csv").source
        == .replay(ReplayFeed(path: "a.csv", schema: "symbol=s,price=p")))
    let backoff = LiveFeed.Backoff(attemptLimit: 3)
    #expect(
      try plan("--config=\(live)", "--connect", "h:2").source
        == .live(
          LiveFeed(
            "h:2", schema: "symbol=s,price=p", silenceLimit: .seconds(5), backoff: backoff, restartsNumbers: true)))
    // A default file with a source needs no symbols.
    _ = try folder.write(Data(#"{"connect":"h:1","attempts":3}"#.utf8), as: "rustle/ticker.json")
    #expect(try plan(home: folder.url.path).source == .live(LiveFeed("h:1", backoff: backoff)))
    #expect(try plan("--attempts", "4", home: folder.url.path).symbols == .all)
    // The default file is read where it is used.
    _ = try folder.write(Data("[]".utf8), as: "rustle/ticker.json")
    #expect(try plan("C", home: folder.url.path).symbols == ["C"])
    #expect(throws: OptionsFileError.self) { try plan(home: folder.url.path) }
    // A broken one is not the fault of a mistyped option.
    for arguments in [["--ratee", "4"], ["--rate", "-1"]] {
      let error = #expect(throws: (any Error).self) {
        try RustleCommandLine.command(
          for: ["ticker"] + arguments, environment: ["XDG_CONFIG_HOME": folder.url.path])
      }
      let text = error.map { RootCommand.message(for: $0) } ?? ""
      #expect(text.contains(arguments[0]) && !text.contains("--config"), "\(text)")
    }
  }

  @Test func optionsOfConnectionsBelongToASourceThatHasOne() throws {
    func text(_ arguments: String...) -> String {
      let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["ticker"] + arguments) }
      return error.map { RootCommand.message(for: $0) } ?? ""
    }
    let (plain, file) = (["--source", "a=ws://a"], ["--source", "a=x.csv"])
    let two = text("--insecure", plain[0], plain[1], "--source", "b=WS://b")
    #expect(two.hasPrefix("--insecure requires --connect wss://"))
    #expect(text("--roots", "r.pem", plain[0], plain[1]).hasPrefix("--roots requires --connect wss://… or tls://…;"))
    #expect(text("--attempts", "3", file[0], file[1]) == "--attempts requires --connect")
    #expect(text("--quotes", plain[0], plain[1]) == "--quotes requires --exchange")
    #expect(text("--speed", "3", plain[0], plain[1]) == "--speed requires --replay")
    for other in ["b=wss://b", "b=exchange:kraken"] {
      let arguments = ["ticker", "--insecure", "--source", "a=ws://a", "--source", other]
      #expect(throws: Never.self) { try TickerSourceOptions.parse(Array(arguments.dropFirst())) }
    }
  }

  @Test func failuresOfAValidationAreReportedAsSuch() throws {
    struct Refusing: ParsableCommand {
      static let failure = CommandFailure(.noInput, "a", advice: "b")

      func validate() throws { throw Self.failure }
    }
    let error = #expect(throws: (any Error).self) { try Refusing.parseAsRoot([]) }
    #expect(error.flatMap { CommandFailure($0) } == Refusing.failure)
    #expect(error.map { CommandFailure(ValidationError("\($0)")) } == .some(nil))
  }

  #if WebSocket
  @Test func anExchangeIsAFile() throws {
    func plan(_ arguments: String...) throws -> TickerPlan {
      try #require(try RootCommand.parseAsRoot(["ticker"] + arguments) as? TickerCommand).plan()
    }
    let folder = try ScratchFolder()
    let text = #"{"url":"wss://a","trades":{"schema":"symbol=s,price=p","subscribe":"+$symbol"}}"#
    let path = try folder.write(Data(text.utf8), as: "a.json")
    var feed = WebSocketFeed("wss://a", schema: "symbol=s,price=p", subscription: .messages(subscribe: "+$symbol"))
    #expect(try plan("--exchange", path, "BTC").source == .webSocket(feed))
    feed.backoff.attemptLimit = 3
    feed.silenceLimit = nil
    #expect(try plan("--exchange", path, "BTC", "--attempts", "3", "--silence-limit", "0").source == .webSocket(feed))
    #expect(throws: Never.self) { try plan("--exchange", path, "BTC", "--insecure") }
    let plain = try folder.write(Data(text.replacing("wss:", with: "ws:").utf8), as: "b.json")
    for options in [["--insecure"], ["--roots", "r.pem"]] {
      let failure = CommandFailure(.usage, "\(options[0]) requires wss://…, got ws://a of \(plain)")
      #expect(throws: failure) {
        try (RootCommand.parseAsRoot(["ticker", "--exchange", plain, "BTC"] + options) as? TickerCommand)?.plan()
      }
    }
    let missing = CommandFailure(
      .noInput, "--exchange: \(path)x: no such file",
      advice: "Choose binance, coinbase or kraken, or the path of a file.")
    #expect(throws: missing) { try plan("--exchange", path + "x", "A") }
  }

  @Test func theTickersWebSocketsAreRead() throws {
    func plan(_ arguments: String...) throws -> TickerPlan {
      try #require(try RootCommand.parseAsRoot(["ticker", "--connect"] + arguments) as? TickerCommand).plan()
    }
    let plain = try plan("WSS://a/b?key=x")
    #expect(plain == TickerPlan(source: .webSocket(WebSocketFeed("WSS://a/b?key=x")), symbols: .all))
    #expect(plain.policy == nil && plain.everything == .buffered() && plain.sourceText == "from wss://a/b")
    let other = try plan(
      "wss://a:1", "BTC", "--schema", "symbol=s,price=p", "--renumbered", "--subscribe", "+$symbol", "--unsubscribe",
      "-$symbol", "--header", "A: b: c", "--header", "D:e", "--roots", "r.pem")
    let feed = WebSocketFeed(
      "wss://a:1", schema: "symbol=s,price=p",
      subscription: .messages(subscribe: "+$symbol", unsubscribe: "-$symbol"), headers: ["A": "b: c", "D": "e"],
      tls: WebSocketFeed.TLS(roots: .file("r.pem")), restartsNumbers: true)
    #expect(other.source == .webSocket(feed) && other.symbols == ["BTC"])
    #expect(
      try plan("wss://a", "--insecure").source
        == .webSocket(WebSocketFeed("wss://a", tls: WebSocketFeed.TLS(acceptsAnyCertificate: true))))
    #expect(
      try plan("ws://a", "--subscribe", "none").source == .webSocket(WebSocketFeed("ws://a", subscription: .none)))
  }
  #endif
}
