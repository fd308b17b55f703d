import RustleMarket
import TestSupport
import Testing

/// Every test goes through the whole list of requirements.
@Suite(.releasesNativeObjects) struct TickerRulesTests {
  private typealias Options = TickerRules.Options

  private static func source(_ kind: SourceKind) -> Options {
    switch kind {
    case .file: ["replay": ["a.csv"]]
    case .socket: ["connect": ["a:1"]]
    case .webSocket: ["connect": ["WS://a"]]
    case .secureWebSocket: ["connect": ["wss://a"]]
    case .nats: ["connect": ["NATS://a/b"]]
    case .secureNATS: ["connect": ["TLS://a/b"]]
    case .exchange: ["exchange": ["kraken"]]
    }
  }

  private static func element(_ kind: SourceKind) -> Options {
    let sources: [SourceKind: String] = [
      .file: "b=c.csv", .socket: "unix:/a", .webSocket: "ws://a", .secureWebSocket: "WSS://a", .nats: "nats://a/b",
      .secureNATS: "tls://a/b", .exchange: "exchange:kraken",
    ]
    return ["source": ["n=\(sources[kind] ?? "")"]]
  }

  private struct Example {
    let option: String
    /// Options with which it can be used, without a source.
    var others: Options = [:]
    var kinds: Set<SourceKind>?
    var isOfSimulations = false
  }

  private static let examples: [Example] = Set(TickerRules.requirements.map(\.option)).sorted().map { option in
    var example = Example(option: option)
    for rule in TickerRules.requirements where rule.option == option {
      switch rule.need {
      case .option(let name, _): example.others[name] = ["x"]
      case .source(let kinds): example.kinds = example.kinds?.intersection(kinds) ?? kinds
      case .simulation: example.isOfSimulations = true
      }
    }
    return example
  }

  private static func with(_ example: Example, _ more: Options = [:]) -> Options {
    example.others.merging([example.option: ["x"]]) { $1 }.merging(more) { $1 }
  }

  /// What is left of a file's options, and the command line's.
  private static func rest(_ file: Options, _ given: Options) -> Options {
    let excluded = TickerRules.excluded(from: file, by: given)
    return file.filter { !excluded.contains($0.key) }.merging(given) { $1 }
  }

  @Test func anOptionRequiresWhatItsRuleNames() {
    for example in Self.examples {
      let (name, option) = ("\(example.option)", "--\(example.option) ")
      if let kinds = example.kinds {
        #expect(!kinds.isEmpty)
        #expect(TickerRules.fault(in: Self.with(example))?.hasPrefix(option) == true, "\(name)")
        for kind in SourceKind.allCases {
          let faults = [Self.source(kind), Self.element(kind)].map { TickerRules.fault(in: Self.with(example, $0)) }
          #expect(faults.allSatisfy { ($0 == nil) == kinds.contains(kind) }, "\(name) \(kind) \(faults)")
        }
      }
      for other in example.others.keys {
        var options = Self.with(example, example.kinds.flatMap { $0.first.map(Self.source) } ?? [:])
        options[other] = nil
        #expect(TickerRules.fault(in: options)?.hasPrefix(option) == true, "\(name) without \(other)")
      }
      if example.isOfSimulations {
        #expect(TickerRules.fault(in: Self.with(example)) == nil)
        let fault = TickerRules.fault(in: Self.with(example, Self.source(.file)))
        #expect(fault?.hasPrefix(option) == true && fault?.contains("with --replay") == true, "\(name)")
      }
    }
    #expect(TickerRules.fault(in: ["rate": [], "replay": ["a"], "policy": ["sampled"]]) == nil)
    #expect(TickerRules.fault(in: ["unsubscribe": ["x"], "subscribe": ["none"], "connect": ["ws://a"]]) != nil)
    #expect(TickerRules.fault(in: ["exchange": ["a"], "schema": ["b"]])?.hasPrefix("--exchange has a schema") == true)
  }

  @Test func aCommandLineLeavesNoOptionOfAFileWithoutItsNeed() {
    for example in Self.examples {
      for kind in example.kinds ?? [] {
        let file = Self.with(example, Self.source(kind))
        #expect(TickerRules.excluded(from: file, by: [:]).isEmpty)
        for other in SourceKind.allCases {
          for given in [Self.source(other), Self.element(other)] {
            let rest = Self.rest(file, given)
            #expect((rest[example.option] == nil) != (example.kinds?.contains(other) ?? true), "\(file) \(given)")
            #expect(TickerRules.fault(in: rest) == nil, "\(file) \(given)")
          }
        }
      }
      for other in example.others.keys {
        let file = Self.with(example, example.kinds.flatMap { $0.first.map(Self.source) } ?? [:])
        for rival in TickerRules.exclusions.first(where: { $0.contains(other) }) ?? [] where rival != other {
          #expect(Self.rest(file, [rival: ["x"]])[example.option] == nil, "\(file) \(rival)")
        }
      }
      if example.isOfSimulations {
        for kind in SourceKind.allCases {
          #expect(Self.rest(Self.with(example), Self.source(kind)) == Self.source(kind), "\(example.option)")
        }
      }
    }
    let messages = ["connect": ["ws://a"], "subscribe": ["a"], "unsubscribe": ["b"]]
    #expect(Self.rest(messages, ["subscribe": ["none"]]) == ["connect": ["ws://a"], "subscribe": ["none"]])
  }

  /// A fault of the file alone is reported.
  @Test func anOptionWithoutItsNeedInAFileStays() {
    #expect(TickerRules.excluded(from: ["attempts": ["3"]], by: ["rate": ["2"]]) == ["rate"])
    #expect(TickerRules.excluded(from: ["token-file": ["a"]], by: Self.source(.file)).contains("token-file") == false)
  }

  @Test func oneOfOptionsThatExcludeEachOther() {
    for group in TickerRules.exclusions {
      for (one, other) in zip(group, group.dropFirst()) {
        let both: Options = [one: ["x"], other: ["x"]]
        #expect(TickerRules.fault(in: both) == "--\(one) cannot be used with --\(other)")
        #expect(TickerRules.excluded(from: [one: ["x"]], by: [other: ["x"]]).contains(one))
      }
    }
  }
}
