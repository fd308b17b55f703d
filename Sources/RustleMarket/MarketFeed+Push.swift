internal import RustleCore

extension MarketFeed {
  /// Has a ``PushedFeed`` read the next bytes, which continue those before, waiting for room where a consumer is waited for
  /// (``FeedPolicy/awaited(capacity:)``), and for ``run()``. Calls come one after the other: one that is made while another one
  /// waits would mix their bytes.
  ///
  /// - Returns: how many bytes were taken: all, unless the task was cancelled or the feed ended while it waited.
  /// - Throws: ``FeedError/Code/wrongSource``; ``FeedError/Code/ended`` or ``FeedError/Code/shutDown`` when the feed is over.
  @discardableResult
  public func push(_ bytes: [UInt8]) async throws(FeedError) -> Int {
    var taken = try take(bytes, from: 0)
    while taken < bytes.count {
      // Asked for before the next attempt: room that comes in between is told.
      var room = try roomNotices()
      let more = try take(bytes, from: taken)
      taken += more
      if more == 0, await room.next(isolation: self) == nil {
        return taken
      }
      keepRoomNotices(room)
    }
    return taken
  }

  /// Has a ``PushedFeed`` read a message, which need not end its line. Line ends within it, which JSON has only between its parts,
  /// become spaces.
  ///
  /// - Returns: whether it was taken: false when the task was cancelled, or the feed ended, meanwhile.
  /// - Throws: as ``push(_:)``.
  @discardableResult
  public func push(message: String) async throws(FeedError) -> Bool {
    var bytes = message.utf8.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    bytes.append(10)
    return try await push(bytes) == bytes.count
  }
}
