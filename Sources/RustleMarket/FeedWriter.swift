internal import RustleCore
internal import Synchronization

/// The native side of a feed, shared by the feed and its writer.
package final class FeedCore: Sendable {
  let native: NativeFeed

  init(_ native: consuming NativeFeed) { self.native = native }
}

/// The host's side of a feed: takes bytes and reports the subscription. It does not retain the feed.
package actor FeedWriter {
  private let core: FeedCore
  /// Serializes pushes, each as a whole.
  nonisolated let turns = Turns()
  /// The sources of a merged feed.
  nonisolated let sources = MergedSources()
  /// What the host's connection dropped, and what came twice.
  private nonisolated let dropped = Atomic<UInt64>(0)
  private nonisolated let duplicates = Atomic<UInt64>(0)
  /// The notices of room, while no push waits for one.
  private var room: EngineStream<FeedNotice>.Iterator?

  init(_ core: FeedCore) { self.core = core }

  /// ``MarketFeed/push(_:)``.
  @discardableResult
  package func push(_ bytes: [UInt8]) async throws(FeedError) -> Int {
    guard await turns.take() else { return 0 }
    defer { turns.leave() }
    var taken = try take(bytes, from: 0)
    while taken < bytes.count {
      // Requested before the next attempt, so that room that becomes free in between is reported.
      var room = try roomNotices()
      let more = try take(bytes, from: taken)
      taken += more
      if more == 0, await room.next(isolation: self) == nil {
        return taken
      }
      self.room = room
    }
    return taken
  }

  /// ``MarketFeed/report(_:)``.
  package nonisolated func report(_ state: FeedConnection) throws(FeedError) {
    try FeedError.rethrowing { () throws(NativeError) in try state.report(to: core.native) }
  }

  /// Reports that the source numbers anew, for this reason: its trades are delivered as if their numbers continued.
  package nonisolated func reportRenumbered(_ reason: String) throws(FeedError) {
    try FeedError.rethrowing { () throws(NativeError) in try core.native.report(.renumbered, note: reason) }
  }

  /// Reports messages that the connection's queue has dropped, and trades left out that came before.
  package nonisolated func reportLeftOut(dropped: UInt64, duplicates: UInt64) {
    if dropped > 0 { self.dropped.wrappingAdd(dropped, ordering: .relaxed) }
    if duplicates > 0 { self.duplicates.wrappingAdd(duplicates, ordering: .relaxed) }
  }

  /// ``MarketFeed/counts``.
  package nonisolated var counts: FeedCounts {
    get throws(FeedError) {
      try sources.counts(
        with: FeedCounts(
          try FeedError.rethrowing { () throws(NativeError) in try core.native.counts() },
          dropped: dropped.load(ordering: .relaxed), duplicates: duplicates.load(ordering: .relaxed)))
    }
  }

  /// ``MarketFeed/subscription``.
  package nonisolated var subscription: FeedSubscription { get throws(FeedError) { try core.subscription } }

  /// ``MarketFeed/subscriptionChanges()``.
  package nonisolated func subscriptionChanges() throws(FeedError) -> FeedSubscriptionChanges {
    do {
      return FeedSubscriptionChanges(
        core: core, changes: try core.native.start(NativeNoticeRequest(capacity: 1, notices: .wanted), reader: .notices)
      )
    } catch {
      throw FeedError(error)
    }
  }

  private func take(_ bytes: [UInt8], from start: Int) throws(FeedError) -> Int {
    return try FeedError.rethrowing { () throws(NativeError) in try core.native.push(bytes.span.extracting(start...)) }
  }

  private func roomNotices() throws(FeedError) -> EngineStream<FeedNotice>.Iterator {
    if let kept = room.take() { return kept }
    // Not one of the streams that `cancel` ends.
    return try FeedError.rethrowing { () throws(NativeError) in
      try core.native.start(NativeNoticeRequest(capacity: 1, notices: .room), reader: .notices).makeAsyncIterator()
    }
  }
}

extension FeedCore {
  var subscription: FeedSubscription {
    get throws(FeedError) {
      let wanted = try FeedError.rethrowing { () throws(NativeError) in try native.wanted() }
      return FeedSubscription(isAll: wanted.isAll, symbols: wanted.names)
    }
  }
}

/// The subscription of a feed's consumers: the present one first, then each change. A subscription that is replaced before it is
/// read is skipped. It ends with the feed, by a fault inside the package, and when its task is cancelled; it is for one reader.
public struct FeedSubscriptionChanges: AsyncSequence, Sendable {
  /// The union of the consumers' subscriptions.
  public typealias Element = FeedSubscription
  /// Reading does not throw.
  public typealias Failure = Never

  let core: FeedCore
  let changes: EngineStream<FeedNotice>

  /// Creates the iterator of the one reader.
  public func makeAsyncIterator() -> Iterator { Iterator(core: core, changes: changes.makeAsyncIterator()) }

  /// Reads the subscriptions.
  public struct Iterator: AsyncIteratorProtocol {
    let core: FeedCore
    var changes: EngineStream<FeedNotice>.Iterator
    var last: FeedSubscription?

    init(core: FeedCore, changes: EngineStream<FeedNotice>.Iterator) {
      self.core = core
      self.changes = changes
    }

    /// Returns the next subscription, or nil at the end; it waits in the isolation of the caller.
    public mutating func next() async -> FeedSubscription? { await next(isolation: #isolation) }

    /// Returns the next subscription, or nil at the end; it waits in the isolation of `actor`.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> FeedSubscription? {
      repeat {
        // A fault is not a subscription to nothing: it ends the sequence.
        guard let subscription = try? core.subscription else { return nil }
        if subscription != last {
          last = subscription
          return subscription
        }
      } while await changes.next(isolation: actor) != nil
      return nil
    }
  }
}
