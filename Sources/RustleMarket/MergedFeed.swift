/// Several sources in one feed, whose symbols have the names of their sources before them: `kraken:BTC/USD`.
///
/// ```swift
/// let feed = try MarketFeed(
///   .merged(MergedFeed(["a": .replay(ReplayFeed(path: "a.csv")), "b": .replay(ReplayFeed(path: "b.csv"))])))
/// ```
///
/// Recordings are merged by time, and other sources by arrival. A recording's trades without a time follow the one before them.
/// The failure of a recording ends the feed; that of another source is reported (``MarketFeed/notices(capacity:)``), and the
/// others go on.
///
/// ``MarketFeed/counts`` has the malformed lines, the duplicates and the connections of all sources. States of connections have
/// the name of their source in place of the address.
public struct MergedFeed: Sendable, Hashable {
  /// The sources by their names, of 1 to 30 bytes without colons and white space. A name, the colon and a symbol have at most 32
  /// bytes together: trades with a longer symbol are skipped, as malformed ones.
  public var sources: [String: FeedConfiguration]

  /// Creates a source of these.
  public init(_ sources: [String: FeedConfiguration]) { self.sources = sources }

  /// The sources in the order of their names.
  var inOrder: [(name: String, configuration: FeedConfiguration)] {
    sources.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether all sources are recordings, which wait for slow consumers.
  var isRecorded: Bool { sources.values.allSatisfy(\.isRecorded) }

  /// The most bytes of a name, the colon and a symbol together.
  static let nameLimit = 32
}

extension FeedConfiguration {
  /// One feed of several sources. ``MarketFeed/init(_:)`` throws the error of an invalid source,
  /// ``FeedError/Code/malformedAddress`` for a malformed name or no source at all, and ``FeedError/Code/wrongSource`` for an
  /// external source, which a host fills.
  public static func merged(_ feed: MergedFeed) -> Self { .hosted(HostedFeed(feed)) }

  /// A recording that is read as fast as its consumer takes it.
  fileprivate var asFastAsPossible: Self {
    switch self {
    case .replay(var feed):
      feed.pace = .asFastAsPossible
      return .replay(feed)
    case .hosted(let feed):
      return feed.merged.map { .merged(MergedFeed($0.sources.mapValues(\.asFastAsPossible))) } ?? self
    case .simulated, .live, .external: return self
    }
  }
}

extension MergedFeed: FeedHost {
  package var source: ExternalFeed { ExternalFeed() }

  package var origin: String { sources.keys.sorted().joined(separator: ", ") }

  package func check() throws(FeedError) {
    if sources.isEmpty {
      throw FeedError(code: .malformedAddress, message: "sources: expected one or more, got none")
    }
    for (name, configuration) in inOrder {
      // With a colon and a symbol of one byte.
      guard !name.contains(":"), name.utf8.count <= Self.nameLimit - 2, FeedSymbols.fault(of: [name]) == nil else {
        throw FeedError(
          code: .malformedAddress,
          message:
            "sources: expected names of 1 to \(Self.nameLimit - 2) bytes without colons and white space, got '\(name)'")
      }
      if case .external = configuration {
        throw FeedError(
          code: .wrongSource,
          message:
            "\(name): expected a file, a simulation or an address, got an external feed, whose data the program writes")
      }
      do throws(FeedError) {
        _ = try MarketFeed(configuration)
      } catch {
        throw FeedError(code: error.code, message: "\(name): \(error.message)")
      }
    }
  }

  package func check(_ symbols: [String]) throws(FeedError) {
    let unknown = symbols.first { symbol in
      !sources.keys.contains { symbol.hasPrefix("\($0):") && symbol.utf8.count > $0.utf8.count + 1 }
    }
    guard let symbol = unknown else { return }
    let example = sources.keys.min().map { "\($0):\(symbol.isEmpty || symbol.hasSuffix(":") ? "BTC" : symbol)" } ?? ""
    throw FeedError(
      code: .malformedSymbol, message: "symbols: expected source:symbol, such as '\(example)', got '\(symbol)'")
  }

  package func fill(_ writer: FeedWriter) async {
    var run = MergedRun(writer: writer, isRecorded: isRecorded, speed: speed)
    do {
      let wanted = try writer.subscription
      for (name, configuration) in inOrder {
        try await run.add(name, isRecorded ? configuration.asFastAsPossible : configuration, wanted)
      }
      try await run.run()
    } catch {
      try? writer.report(.closed(reason: "\((error as? FeedError)?.message ?? "\(error)")"))
    }
    for source in run.sources { await source.feed.shutDown() }
  }

  /// The paces of recordings that have one; the slowest counts for all.
  private var speed: Double? {
    let speeds = inOrder.flatMap(\.configuration.recordings).compactMap { recording -> Double? in
      if case .speed(let speed) = recording.pace { speed } else { nil }
    }
    return speeds.min()
  }
}
