#if NATS
internal import RustleMarket

/// Fills a feed from NATS, by calls that block: it needs a `BlockingExecutor`.
actor NATSReader {
  /// How long a call waits for a message, in milliseconds: a cancellation, and a change of the connection, are noticed so late.
  private static let patience: Int64 = 50
  /// The bytes after which the feed is given what was read.
  private static let largestBatch = 262_144
  /// Pauses between attempts to read a stream.
  private static let retry = Duration.seconds(1)
  /// How long an answer about the stream is waited for, twice as long each time: while a cluster chooses a leader there is none.
  private static let firstAnswerWait = Duration.seconds(1)
  /// The interval in which a consumer of a stream reports: the server's minimum, and libnats' default.
  private static let heartbeats = Duration.milliseconds(100) ... .seconds(5)

  private let feed: NATSFeed
  private var arrived = ArrivedNumbers()
  private var watch: ConnectionWatch
  private var reconnectWatch: ReconnectWatch
  private let onRound: @Sendable () -> Void
  private var order = StreamOrder()
  /// When the stream was made.
  private var creation: String?
  /// When something of the stream's consumer was read last.
  private var heard = ContinuousClock.now
  /// When the feed's symbols are looked at again.
  private var nextLook = ContinuousClock.now
  private var wanted = ""
  private var id: [UInt8] = []
  private var subscription: NATSSubscription?
  private var subject: String?
  private var answerWait = firstAnswerWait
  /// Why the last attempt to subscribe failed.
  private var refusal: NATSFailure?

  init(
    _ feed: NATSFeed, reconnectWatch: ReconnectWatch? = nil, onRound: @escaping @Sendable () -> Void = {}
  ) {
    (self.feed, self.onRound) = (feed, onRound)
    watch = ConnectionWatch(feed.address, wait: feed.reconnectWait)
    self.reconnectWatch =
      reconnectWatch
      ?? ReconnectWatch(feed.address, connectTimeout: feed.connectTimeout, wait: feed.reconnectWait)
  }

  /// Returns when the task is cancelled.
  ///
  /// - Throws: `FeedError`: the feed has ended; `NATSFailure`: there is no connection and will be none.
  func run(filling writer: FeedWriter) async throws {
    try writer.report(.connecting(to: feed.origin, failures: 0))
    var connection = try newConnection()
    defer { subscription = nil }
    let connected = FeedConnection.connected(to: feed.origin)
    while !Task.isCancelled {
      let state = connection.state
      var changes = watch.changes(to: state, reconnects: connection.reconnects, failure: connection.lastFailure)
      for case .closed(let reason) in changes { throw NATSFailure(reason ?? "") }
      if state == .closed {
        for change in changes { try writer.report(change) }
        subscription = nil
        try await Task.sleep(for: feed.reconnectWait)
        connection = try newConnection()
        continue
      }
      if reconnectWatch.isStuck(connection) {
        subscription = nil
        connection.leave()
        changes.append(.reconnecting(after: .zero, failures: 1, reason: ReconnectWatch.notice))
        connection = try newConnection()
      }
      // A stream is read from the message after the last one.
      if !changes.isEmpty && feed.replay != .live { subscription = nil }
      let now = ContinuousClock.now
      if now >= nextLook {
        wanted = subject(for: try writer.subscription)
        nextLook = now + .milliseconds(Self.patience)
      }
      var earlier: NATSSubscription?
      if connection.state == .connected && (subscription == nil || wanted != subject) {
        // A stream is read again.
        earlier = feed.replay == .live ? subscription : nil
        do throws(NATSFailure) {
          // Before the earlier one ends: messages that come twice are left out.
          subscription = try subscribed(to: wanted, on: connection)
          subject = wanted
          // Its refusal comes before the answer. libnats keeps refusals of before.
          try? connection.flush(within: feed.connectTimeout)
          if let refusal = connection.refusal, refusal.subject.map({ $0 == wanted }) ?? true {
            subscription = nil
            throw refusal
          }
          if refusal != nil { changes = [connected] }
          (refusal, answerWait) = (nil, Self.firstAnswerWait)
        } catch {
          answerWait = min(answerWait * 2, NATSConnection.defaultPatience)
          // Reported once, and again when it is over.
          let reason = "\(wanted): \(error)"
          let failure = FeedConnection.reconnecting(after: Self.retry, failures: 1, reason: reason)
          changes = refusal == nil ? [failure] : []
          refusal = error
        }
      }
      // What is published once this state is reported arrives.
      if changes.last == connected { try? connection.flush(within: feed.connectTimeout) }
      for change in changes { try writer.report(change) }
      // Of what has come by the earlier one the next one has nothing.
      if let messages = earlier.take() {
        var left = messages.pending
        while left > 0 {
          let count = try await read(messages, of: connection, to: writer, within: 0, limit: left)
          left = count > 0 ? left - count : 0
        }
      }
      if refusal != nil { try await Task.sleep(for: Self.retry) }
      if let subscription {
        try await read(subscription, of: connection, to: writer)
      } else {
        try await Task.sleep(for: .milliseconds(Self.patience))
      }
    }
  }

  private func newConnection() throws(NATSFailure) -> NATSConnection {
    try NATSConnection(
      to: feed.address, connectTimeout: feed.connectTimeout, pingInterval: feed.pingInterval,
      reconnectWait: feed.reconnectWait, onRound: onRound)
  }

  private func subject(for subscription: FeedSubscription) -> String {
    guard !subscription.isAll, subscription.symbols.count == 1 else { return feed.address.allSymbols }
    return feed.address.subject(of: subscription.symbols[0])
  }

  private func subscribed(to subject: String, on connection: NATSConnection) throws(NATSFailure) -> NATSSubscription {
    if self.subject != subject { order = StreamOrder() }
    if feed.replay != .live {
      let creation = try connection.creation(ofStreamOf: subject, patience: answerWait)
      // One that was made anew begins with other messages.
      if creation != self.creation { order = StreamOrder() }
      self.creation = creation
    }
    let start: NATSConnection.ReplayStart? =
      switch feed.replay {
      case .live: nil
      case _ where order.last > 0: .number(order.last &+ 1)
      case .lastPerSymbol: .lastPerSubject
      case .all: .first
      case .from(let time): .time(time.nanosecondsSince1970)
      }
    guard let start else { return try connection.subscription(to: subject, pending: feed.pendingLimit) }
    let messages = try connection.replay(of: subject, from: start, heartbeat: heartbeat, patience: answerWait)
    order.begin()
    heard = .now
    return messages
  }

  private var heartbeat: Duration {
    min(max(feed.pingInterval, Self.heartbeats.lowerBound), Self.heartbeats.upperBound)
  }

  /// Reads what has come: at most so many messages, and those of one batch. Returns the number of messages.
  @discardableResult
  private func read(
    _ messages: NATSSubscription, of connection: NATSConnection, to writer: FeedWriter,
    within patience: Int64 = patience, limit: Int = .max
  ) async throws -> Int {
    var (batch, patience, count) = (Batch(), patience, 0)
    do {
      while batch.bytes.count < Self.largestBatch && count < limit {
        let message = try messages.next(within: patience)
        (patience, count) = (0, count + 1)
        if feed.replay != .live {
          heard = .now
          if !follow(message, of: connection) {
            if subscription == nil { break }
            continue
          }
        }
        switch message.readID(into: &id) ? arrived.take(id) : .new {
        case .duplicate:
          batch.duplicates += 1
          continue
        // A server reads what it has of a connection that a publisher has lost beside the next one, and may hold it up. By then it is
        // reported missing. What a stream has acknowledged is never left out: the feed marks it as out of order.
        case .late where feed.replay == .live:
          batch.late += 1
          continue
        // Not a trade: it is reported and counted as a malformed message.
        // Of its text the report has 32 bytes: they are for the epoch, the symbol and the number.
        case .outdated: batch.bytes += "old epoch: ".utf8 + id.drop { $0 != UInt8(ascii: "/") }.dropFirst()
        case .renumbered:
          let line = Self.line(message)
          try await give(batch, of: messages, to: writer)
          try writer.reportRenumbered("the source numbers anew: \(String(decoding: id, as: UTF8.self))")
          batch = Batch(bytes: line)
        case .new, .late: message.append(to: &batch.bytes)
        }
        batch.bytes.append(UInt8(ascii: "\n"))
      }
    } catch let absence as NATSSubscription.Absence {
      // A consumer that is silent has ended, with its server.
      let isSilent = feed.replay != .live && patience > 0 && ContinuousClock.now - heard > heartbeat * 2
      if absence == .ended || isSilent { subscription = nil }
    }
    try await give(batch, of: messages, to: writer)
    return count
  }

  /// What was read together.
  private struct Batch {
    var bytes: [UInt8] = []
    var duplicates: UInt64 = 0
    var late: UInt64 = 0
  }

  /// Counts what was left out before anyone sees the trades that come after it.
  private func give(_ batch: Batch, of messages: NATSSubscription, to writer: FeedWriter) async throws {
    writer.reportLeftOut(dropped: messages.newlyDropped() + batch.late, duplicates: batch.duplicates)
    if !batch.bytes.isEmpty { try await writer.push(batch.bytes) }
  }

  /// Whether a message is the stream's next one. Without it the subscription ends, and another one begins after the last message.
  private func follow(_ message: borrowing NATSMessage, of connection: NATSConnection) -> Bool {
    if let report = message.report {
      if !order.agrees(with: report) { subscription = nil }
      if let answer = report.answer { try? connection.answer(answer) }
      return false
    }
    guard let place = message.place, order.take(place) else {
      subscription = nil
      return false
    }
    return true
  }

  private static func line(_ message: borrowing NATSMessage) -> [UInt8] {
    var line: [UInt8] = []
    message.append(to: &line)
    return line
  }
}
#endif
