extension MarketFeed {
  /// Delivers the next bytes to an ``ExternalFeed``; they continue those before. It waits for ``run()``, and for room while a
  /// lossless consumer (``FeedPolicy/lossless(capacity:)``) is full. Concurrent calls run one after the other, in the order in
  /// which they were made, and do not mix their bytes.
  ///
  /// - Returns: the number of bytes taken: all, unless the task was cancelled or the feed ended while it waited. A task that is
  ///   cancelled within a line leaves the line incomplete.
  /// - Throws: ``FeedError/Code/wrongSource``; ``FeedError/Code/ended`` or ``FeedError/Code/shutDown`` when the feed has ended.
  @discardableResult
  public func push(_ bytes: [UInt8]) async throws(FeedError) -> Int { try await hostWriter().push(bytes) }

  /// Delivers a message to an ``ExternalFeed`` and ends its line. Line breaks within the message, which JSON has only between
  /// tokens, become spaces.
  ///
  /// - Returns: whether it was taken: false when the task was cancelled or the feed ended meanwhile.
  /// - Throws: as ``push(_:)``.
  @discardableResult
  public func push(message: String) async throws(FeedError) -> Bool {
    var bytes = message.utf8.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    bytes.append(10)
    return try await push(bytes) == bytes.count
  }

  /// Delivers trades to an ``ExternalFeed`` of JSON texts without a schema of its own. Their ``Trade/sequenceGap`` and
  /// ``Trade/isOutOfOrder`` are not delivered: the feed derives them from the sequence numbers. A size of 0 counts as none.
  ///
  /// - Returns: whether all were taken: false when the task was cancelled or the feed ended meanwhile.
  /// - Throws: as ``push(_:)``.
  @discardableResult
  public func push(trades: [Trade]) async throws(FeedError) -> Bool {
    if !isHosted, !takesTrades {
      throw FeedError(
        code: .wrongSource,
        message:
          "feed: expected an external source of JSON texts without a schema, got another source, format or schema")
    }
    let bytes = trades.flatMap { Array("\($0.json)\n".utf8) }
    return try await push(bytes) == bytes.count
  }

  /// Reports the state of the host's connection to the consumers of an ``ExternalFeed``. ``FeedConnection/connected(to:)`` drops
  /// an incomplete line. ``FeedConnection/closed(reason:)`` ends the feed once the pushed bytes have been read, as failed if
  /// there is a reason. ``FeedConnection/idle`` has no effect.
  ///
  /// - Throws: ``FeedError/Code/wrongSource``; ``FeedError/Code/ended``.
  public func report(_ state: FeedConnection) throws(FeedError) { try hostWriter().report(state) }

  /// The union of the consumers' present subscriptions.
  ///
  /// - Throws: ``FeedError/Code/internal``: a fault inside the package.
  public var subscription: FeedSubscription { get throws(FeedError) { try writer.subscription } }

  /// The union of the consumers' subscriptions, the present one first, then each change. A host follows it to request no more
  /// than that from its peer.
  ///
  /// - Throws: ``FeedError/Code/shutDown``, ``FeedError/Code/poisoned``, ``FeedError/Code/exhausted``.
  public func subscriptionChanges() throws(FeedError) -> FeedSubscriptionChanges { try writer.subscriptionChanges() }

  /// The writer, for a user's host.
  private func hostWriter() throws(FeedError) -> FeedWriter {
    if isHosted {
      throw FeedError(
        code: .wrongSource, message: "feed: expected an external source, got one that reads a connection of its own")
    }
    return writer
  }
}
