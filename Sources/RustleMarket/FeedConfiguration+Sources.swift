extension FeedConfiguration {
  /// The recordings that are read; of several sources in the order of their names.
  package var recordings: [ReplayFeed] {
    switch self {
    case .replay(let feed): [feed]
    case .hosted(let feed): feed.merged?.inOrder.flatMap(\.configuration.recordings) ?? []
    case .simulated, .live, .external: []
    }
  }

  /// Whether recordings alone are read, which wait for their reader.
  package var isRecorded: Bool {
    switch self {
    case .replay: true
    case .hosted(let feed): feed.merged?.isRecorded ?? false
    case .simulated, .live, .external: false
    }
  }

  /// The peer, or the names of the sources that have one, without secrets; nil where nothing is connected to.
  package var origin: String? {
    switch self {
    case .live(let feed): return feed.address.description
    case .hosted(let feed):
      guard let merged = feed.merged else { return feed.origin }
      let names = merged.inOrder.filter { $0.configuration.origin != nil }.map(\.name)
      return names.isEmpty ? nil : names.joined(separator: ", ")
    case .simulated, .replay, .external: return nil
    }
  }

  /// Whether the source is a peer alone.
  package var isConnection: Bool {
    if case .hosted(let feed) = self, feed.merged != nil { return false }
    return origin != nil
  }

  /// Whether the source consists of several.
  package var isMerged: Bool { if case .hosted(let feed) = self { feed.merged != nil } else { false } }

  /// The source whose failure has this reason: of several, the one that the reason names first.
  package func failed(for reason: String) -> FeedConfiguration {
    let name = reason.prefix { $0 != ":" }
    guard case .hosted(let feed) = self, let source = feed.merged?.sources[String(name)] else { return self }
    return source.failed(for: String(reason.dropFirst(name.count + 2)))
  }

  /// The policy of a consumer of every update: lossless for recordings, buffered for another source.
  package var completePolicy: FeedPolicy { isRecorded ? .lossless() : .buffered() }
}

extension HostedFeed {
  /// The sources, where there are several.
  var merged: MergedFeed? { host as? MergedFeed }
}
