internal import RustleCore

/// Several sources in one feed, whose symbols have the names of their sources before them: `kraken:BTC/USD`.
///
/// ```swift
/// let feed = try MarketFeed(
///   .merged(MergedFeed(["a": .replay(ReplayFeed(path: "a.csv")), "b": .replay(ReplayFeed(path: "b.csv"))])))
/// ```
///
/// Recordings are merged by time, and other sources by arrival. A recording's trades without a time follow the one before them.
/// ``MarketFeed/counts`` has the malformed lines and the duplicates of all sources.
public struct MergedFeed: Sendable, Hashable {
  /// The sources by their names, which have no colon. A name and a symbol have at most 31 bytes together.
  public var sources: [String: FeedConfiguration]

  /// Creates a source of these.
  public init(_ sources: [String: FeedConfiguration]) { self.sources = sources }

  /// Whether all sources are recordings, which wait for slow consumers.
  package var areRecordings: Bool {
    sources.values.allSatisfy { if case .replay = $0 { true } else { false } }
  }
}

extension FeedConfiguration {
  /// The source of several others. ``MarketFeed/init(_:)`` throws as for each of them, and
  /// ``FeedError/Code/malformedAddress`` for the name of one or no source.
  public static func merged(_ feed: MergedFeed) -> Self { .hosted(HostedFeed(feed)) }
}

extension HostedFeed {
  /// Whether the source waits for slow consumers.
  package var waits: Bool { (host as? MergedFeed)?.areRecordings ?? false }
}

extension MergedFeed: FeedHost {
  package var source: ExternalFeed { ExternalFeed() }

  package var origin: String { sources.keys.sorted().joined(separator: ", ") }

  package func check() throws(FeedError) {
    if let name = sources.keys.first(where: { $0.isEmpty || $0.contains(":") }) ?? (sources.isEmpty ? "" : nil) {
      throw FeedError(code: .malformedAddress, message: "sources: expected names without a colon, got '\(name)'")
    }
    for configuration in sources.values { _ = try MarketFeed(configuration) }
  }

  package func check(_ symbols: [String]) throws(FeedError) {
    guard let symbol = symbols.first(where: { symbol in !sources.keys.contains { symbol.hasPrefix("\($0):") } }) else {
      return
    }
    let example = sources.keys.min().map { "\($0):\(symbol)" } ?? ""
    throw FeedError(
      code: .malformedSymbol, message: "symbols: expected one with its source, such as '\(example)', got '\(symbol)'")
  }

  package func fill(_ writer: FeedWriter) async {
    var feeds: [MergedSource] = []
    do {
      let (recordings, wanted) = (areRecordings, try writer.subscription)
      for (name, configuration) in sources.sorted(by: { $0.key < $1.key }) {
        let feed = try MarketFeed(recordings ? configuration.unpaced : configuration)
        let trades = try await feed.trades(
          for: wanted.symbols(of: name), policy: recordings ? .lossless(capacity: 4_096) : .buffered())
        feeds.append(MergedSource(name: name, feed: feed, trades: trades, notices: try await feed.notices()))
        writer.sources.add(feed.writer)
      }
      try writer.report(.connected(to: origin))
      try await withThrowingTaskGroup(of: Void.self) { [feeds] tasks in
        for source in feeds {
          tasks.addTask { await source.reportNotices(to: writer.sources, withEnd: !recordings) }
        }
        // Times of arrival are in whole milliseconds, and the clock may be set.
        let begin = Timestamp.now + .seconds(-1)
        for source in feeds { try await source.feed.run() }
        if recordings {
          try await merge(feeds, since: begin, to: writer)
        } else {
          try await pass(feeds, to: writer)
        }
        try await tasks.waitForAll()
      }
      if let reason = feeds.lazy.compactMap({ $0.trades.outcome?.reason(of: $0.name) }).first {
        try writer.report(.closed(reason: reason))
      }
    } catch {
      try? writer.report(.closed(reason: "\((error as? FeedError)?.message ?? "\(error)")"))
    }
    for source in feeds { await source.feed.shutDown() }
  }

  /// The paces of recordings that have one; the slowest counts for all.
  private var speed: Double? {
    let speeds = sources.values.compactMap { source -> Double? in
      if case .replay(let feed) = source, case .speed(let speed) = feed.pace { speed } else { nil }
    }
    return speeds.min()
  }

  /// Writes the trades of recordings in the order of their times, at the recorded pace or faster.
  ///
  /// - Parameter begin: a time before the first trade was read: a trade with a later one has none of its own.
  private func merge(_ sources: [MergedSource], since begin: Timestamp, to writer: FeedWriter) async throws {
    var readers = sources.map { MergedReader($0, begin: begin) }
    let (speed, begun) = (speed, ContinuousClock.now)
    var (lines, first) = (ByteText(), Timestamp?.none)
    while !Task.isCancelled {
      for index in readers.indices where readers[index].next == nil {
        // What is ready is not held back while a recording is read.
        try await writer.write(&lines)
        await readers[index].read()
      }
      for reader in readers where reader.next == nil { reader.lines.finish(&lines) }
      readers.removeAll { $0.next == nil }
      guard let next = readers.indices.min(by: { readers[$0].time < readers[$1].time }), let trade = readers[next].next
      else { break }
      let time = readers[next].time
      if let speed, time != .min {
        let due = begun + (time - (first ?? time)) / speed
        first = first ?? time
        if due > .now {
          try await writer.write(&lines)
          try await Task.sleep(until: due, clock: .continuous)
        }
      }
      readers[next].lines.append(trade, to: &lines)
      readers[next].advance()
      if lines.bytes.count > 65_536 { try await writer.write(&lines) }
    }
    try await writer.write(&lines)
  }

  /// Writes the trades of each source as they come, and follows the subscriptions.
  private func pass(_ feeds: [MergedSource], to writer: FeedWriter) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { tasks in
      for source in feeds {
        let (name, connections) = (source.name, try await source.feed.connectionStates())
        tasks.addTask {
          var (lines, text) = (MergedLines(source: source.name), ByteText())
          for await batch in source.trades.batches() {
            for element in batch { lines.append(element, to: &text) }
            try await writer.write(&text)
          }
          lines.finish(&text)
          try await writer.write(&text)
          return true
        }
        tasks.addTask {
          for await case .value(.reconnecting(let wait, let failures, let reason)) in connections {
            try writer.report(.reconnecting(after: wait, failures: failures, reason: "\(name): \(reason)"))
          }
          return false
        }
      }
      tasks.addTask {
        var before = try writer.subscription
        for await wanted in try writer.subscriptionChanges() {
          for source in feeds {
            guard case .only(let old) = before.symbols(of: source.name),
              case .only(let new) = wanted.symbols(of: source.name)
            else { continue }
            try? source.trades.subscribe(to: new.filter { !old.contains($0) })
            try? source.trades.unsubscribe(from: old.filter { !new.contains($0) })
          }
          before = wanted
        }
        return false
      }
      var running = feeds.count
      while running > 0, let isEnd = try await tasks.next() { running -= isEnd ? 1 : 0 }
      tasks.cancelAll()
    }
  }
}

extension FeedWriter {
  /// Pushes lines and removes them.
  fileprivate func write(_ lines: inout ByteText) async throws(FeedError) {
    if !lines.bytes.isEmpty { try await push(lines.bytes) }
    lines.removeAll()
  }
}

extension FeedSubscription {
  /// The symbols of a source that are subscribed to.
  fileprivate func symbols(of source: String) -> FeedSymbols {
    if isAll { return .all }
    return .only(symbols.compactMap { $0.hasPrefix("\(source):") ? String($0.dropFirst(source.count + 1)) : nil })
  }
}

extension FeedConfiguration {
  /// A recording that is read as fast as its consumer takes it.
  fileprivate var unpaced: Self {
    guard case .replay(var feed) = self else { return self }
    feed.pace = .asFastAsPossible
    return .replay(feed)
  }
}

extension SessionOutcome {
  fileprivate func reason(of source: String) -> String? {
    switch self {
    case .failed(let reason), .panicked(let reason): "\(source): \(reason)"
    case .ended, .cancelled: nil
    }
  }
}
