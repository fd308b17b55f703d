extension MarketFeed {
  /// Has a ``ExternalFeed`` read the next bytes, which continue those before, waiting for room where a consumer is waited for
  /// (``FeedPolicy/lossless(capacity:)``), and for ``run()``. A call that is made while another one waits begins when that one
  /// has returned, in the order of the calls; their bytes do not mix.
  ///
  /// - Returns: how many bytes were taken: all, unless the task was cancelled or the feed ended while it waited. A task that is
  ///   cancelled within a line leaves the line begun.
  /// - Throws: ``FeedError/Code/wrongSource``; ``FeedError/Code/ended`` or ``FeedError/Code/shutDown`` when the feed is over.
  @discardableResult
  public func push(_ bytes: [UInt8]) async throws(FeedError) -> Int { try await hostWriter().push(bytes) }

  /// Has a ``ExternalFeed`` read a message, which need not end its line. Line ends within it, which JSON has only between its
  /// parts, become spaces.
  ///
  /// - Returns: whether it was taken: false when the task was cancelled, or the feed ended, meanwhile.
  /// - Throws: as ``push(_:)``.
  @discardableResult
  public func push(message: String) async throws(FeedError) -> Bool {
    var bytes = message.utf8.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    bytes.append(10)
    return try await push(bytes) == bytes.count
  }

  /// Tells the consumers of a ``ExternalFeed`` of the connection that the host has: ``FeedConnection/connected(to:)`` drops a
  /// line that has begun, and ``FeedConnection/closed(reason:)`` ends the feed once what was pushed has been read, as failed if
  /// there is a reason. ``FeedConnection/idle`` tells nothing.
  ///
  /// - Throws: ``FeedError/Code/wrongSource``; ``FeedError/Code/ended``.
  public func report(_ state: FeedConnection) throws(FeedError) { try hostWriter().report(state) }

  /// The symbols that the consumers want together at present.
  public var subscription: FeedSubscription { writer.subscription }

  /// What the consumers want together, the present subscription first. A host follows it to ask its peer for no more.
  ///
  /// - Throws: ``FeedError/Code/shutDown``, ``FeedError/Code/poisoned``, ``FeedError/Code/exhausted``.
  public func subscriptionChanges() throws(FeedError) -> FeedSubscriptionChanges { try writer.subscriptionChanges() }

  /// The writer, for a user who is the host.
  private func hostWriter() throws(FeedError) -> FeedWriter {
    if isHosted {
      throw FeedError(
        code: .wrongSource, message: "expected a feed that its user fills, got one that is filled from a connection")
    }
    return writer
  }
}
