#if NATS
internal import RustleMarket

/// Fills a feed from NATS, by calls that block: it needs a `BlockingExecutor`.
actor NATSReader {
  /// How long a call waits for a message, in milliseconds: a cancellation, and a change of the connection, are noticed so late.
  private static let patience: Int64 = 50
  /// The bytes after which the feed is given what was read.
  private static let batch = 262_144
  /// Pauses between attempts to read a stream.
  private static let retry = Duration.seconds(1)

  private let feed: NATSFeed
  private var arrived = ArrivedNumbers()
  private var watch: ConnectionWatch
  /// The number of the last message of the stream that was read.
  private var number: UInt64 = 0
  private var subscription: NATSSubscription?
  private var subject: String?
  /// Why the last attempt to subscribe failed.
  private var refusal: NATSFailure?

  init(_ feed: NATSFeed) {
    self.feed = feed
    watch = ConnectionWatch(feed.origin, wait: feed.reconnectWait)
  }

  /// Returns when the task is cancelled.
  ///
  /// - Throws: `FeedError`: the feed has ended; `NATSFailure`: there is no connection and will be none.
  func run(filling writer: FeedWriter) async throws {
    try writer.report(.connecting(to: feed.origin, failures: 0))
    let connection = try NATSConnection(
      servers: feed.address.servers, name: "rustle", connectTimeout: feed.connectTimeout,
      pingInterval: feed.pingInterval, reconnectWait: feed.reconnectWait)
    defer { subscription = nil }
    let connected = FeedConnection.connected(to: feed.origin)
    while !Task.isCancelled {
      var changes = watch.changes(of: connection)
      for case .closed(let reason) in changes { throw NATSFailure(reason ?? "") }
      // A stream is read from the message after the last one.
      if !changes.isEmpty && feed.replay != .live { subscription = nil }
      let wanted = subject(for: try writer.subscription)
      if connection.state == .connected && (subscription == nil || wanted != subject) {
        do throws(NATSFailure) {
          // Before the earlier one ends: messages that come twice are left out.
          subscription = try subscribed(to: wanted, on: connection)
          subject = wanted
          if refusal != nil { changes = [connected] }
          refusal = nil
        } catch {
          // Reported once, and again when it is over.
          let failure = FeedConnection.reconnecting(after: Self.retry, failures: 1, reason: "\(wanted): \(error)")
          changes = refusal == nil ? [failure] : []
          refusal = error
        }
      }
      // What is published once this state is reported arrives.
      if changes.last == connected { try? connection.flush(within: feed.connectTimeout) }
      for change in changes { try writer.report(change) }
      if refusal != nil { try await Task.sleep(for: Self.retry) }
      if let subscription {
        try await read(subscription, to: writer)
      } else {
        try await Task.sleep(for: .milliseconds(Self.patience))
      }
    }
  }

  private func subject(for subscription: FeedSubscription) -> String {
    guard !subscription.isAll, subscription.symbols.count == 1 else { return feed.address.allSymbols }
    return feed.address.subject(of: subscription.symbols[0])
  }

  private func subscribed(to subject: String, on connection: NATSConnection) throws(NATSFailure) -> NATSSubscription {
    switch feed.replay {
    case .live: return try connection.subscription(to: subject, pending: feed.pendingLimit)
    case _ where number > 0 && self.subject == subject:
      return try connection.replay(of: subject, from: .number(number + 1))
    case .lastPerSymbol: return try connection.replay(of: subject, from: .lastPerSubject)
    case .all: return try connection.replay(of: subject, from: .first)
    case .from(let time): return try connection.replay(of: subject, from: .time(time.nanosecondsSince1970))
    }
  }

  /// Reads what has come.
  private func read(_ messages: NATSSubscription, to writer: FeedWriter) async throws {
    var (bytes, patience) = ([UInt8](), Self.patience)
    do {
      while bytes.count < Self.batch {
        let message = try messages.next(within: patience)
        patience = 0
        number = max(number, message.number)
        switch message.id.flatMap(TradeID.init).map({ arrived.take($0) }) ?? .new {
        case .duplicate: continue
        // Not a trade: it is reported and counted as a malformed message.
        case .outdated: bytes += "of an earlier epoch: \(message.id ?? "")".utf8
        case .renumbered:
          let (line, id) = (Self.line(message), message.id ?? "")
          try await writer.push(bytes)
          try writer.reportRenumbered("the source numbers anew: \(id)")
          bytes = line
        case .new: message.append(to: &bytes)
        }
        bytes.append(UInt8(ascii: "\n"))
      }
    } catch let absence as NATSSubscription.Absence {
      if absence == .ended { subscription = nil }
    }
    if !bytes.isEmpty { try await writer.push(bytes) }
  }

  private static func line(_ message: borrowing NATSMessage) -> [UInt8] {
    var line: [UInt8] = []
    message.append(to: &line)
    return line
  }
}
#endif
