internal import RustleCore
internal import RustleFiles

/// A merged feed while it runs.
struct MergedRun {
  let writer: FeedWriter
  /// Whether all sources are recordings.
  let isRecorded: Bool
  /// The pace of recordings; nil: they are read as fast as possible.
  let speed: Double?
  private(set) var sources: [MergedSource] = []

  init(writer: FeedWriter, isRecorded: Bool, speed: Double?) {
    (self.writer, self.isRecorded, self.speed) = (writer, isRecorded, speed)
  }

  /// Adds a source, which does not run yet.
  mutating func add(
    _ name: String, _ configuration: FeedConfiguration, _ wanted: FeedSubscription
  ) async throws(FeedError) {
    let feed = try MarketFeed(configuration)
    let trades = try await feed.trades(
      of: wanted.symbols(of: name), policy: isRecorded ? .lossless(capacity: 4_096) : .buffered())
    let source = MergedSource(
      name: name, configuration: configuration, feed: feed, trades: trades, notices: try await feed.notices(),
      connections: isRecorded ? nil : try await feed.connectionStates())
    sources.append(source)
    writer.sources.add(feed.writer)
  }

  /// Returns when every source has ended, and reports the end of the feed.
  ///
  /// - Throws: ``FeedError/Code/ended``: a recording has failed.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for source in sources {
        tasks.addTask { try await source.reportNotices(to: writer.sources, withEnd: !isRecorded) }
      }
      // Times of arrival are in whole milliseconds, and the clock may be set.
      let begin = Timestamp.now + .seconds(-1)
      for source in sources { try await source.feed.run() }
      if isRecorded { try await merge(since: begin) } else { try await pass() }
      try await tasks.waitForAll()
    }
    if let reason = sources.lazy.compactMap(\.failure).first { try writer.report(.closed(reason: reason)) }
  }

  /// Writes the trades of recordings in the order of their times, at the recorded pace or faster.
  ///
  /// - Parameter begin: a time before the first trade was read: a trade with a later one has none of its own.
  private func merge(since begin: Timestamp) async throws {
    var readers = sources.map { MergedReader($0, lines: lines(of: $0), begin: begin) }
    let begun = ContinuousClock.now
    var (text, first) = (ByteText(), Timestamp?.none)
    while !Task.isCancelled {
      for index in readers.indices where readers[index].next == nil {
        // What is ready is not held back while a recording is read.
        try await writer.write(&text)
        await readers[index].read()
        if readers[index].next == nil {
          readers[index].lines.finish(&text)
          try await writer.write(&text)
          try readers[index].source.checkEnd()
        }
      }
      readers.removeAll { $0.next == nil }
      guard let next = readers.indices.min(by: { readers[$0].time < readers[$1].time }), let trade = readers[next].next
      else { break }
      let time = readers[next].time
      if let speed, time != .min {
        let due = begun + (time - (first ?? time)) / speed
        first = first ?? time
        if due > .now {
          try await writer.write(&text)
          try await Task.sleep(until: due, clock: .continuous)
        }
      }
      readers[next].lines.append(trade, to: &text)
      if text.bytes.count > 65_536 || readers[next].lines.fault != nil { try await writer.write(&text) }
      if let fault = readers[next].lines.fault { throw fault }
      readers[next].advance()
    }
    try await writer.write(&text)
  }

  private func lines(of source: MergedSource) -> MergedLines {
    let isStrict = source.configuration.recordings.contains(where: \.isStrict)
    return MergedLines(source: source.name, sources: writer.sources, isStrict: isStrict)
  }

  /// Writes the trades of each source as they come, and follows the connections and the subscriptions.
  private func pass() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { tasks in
      for source in sources {
        tasks.addTask {
          var (lines, text) = (lines(of: source), ByteText())
          for await batch in source.trades.batches() {
            for element in batch { lines.append(element, to: &text) }
            try await writer.write(&text)
            if let fault = lines.fault { throw fault }
          }
          lines.finish(&text)
          try await writer.write(&text)
          try source.checkEnd()
          return true
        }
        tasks.addTask {
          guard let connections = source.connections else { return true }
          for await case .value(let state) in connections { try await writer.report(state, of: source.name) }
          return true
        }
      }
      tasks.addTask {
        var before = try writer.subscription
        for await wanted in try writer.subscriptionChanges() {
          for source in sources {
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
      // The trades and the connections of each.
      var running = 2 * sources.count
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

  /// Reports the state of a source's connection, which has its own end, between two pushes: within one it would drop a line.
  fileprivate func report(_ state: FeedConnection, of source: String) async throws(FeedError) {
    guard let named = sources.take(state, of: source), await turns.take() else { return }
    defer { turns.leave() }
    try report(named)
  }
}

extension FeedSubscription {
  /// The symbols of a source that are subscribed to.
  fileprivate func symbols(of source: String) -> FeedSymbols {
    if isAll { return .all }
    return .only(symbols.compactMap { $0.hasPrefix("\(source):") ? String($0.dropFirst(source.count + 1)) : nil })
  }
}
