#if NATS
internal import Foundation
internal import RustleCore
internal import RustleFiles
internal import RustleMarket

/// Publishes trades, by calls that block: it needs a `BlockingExecutor`.
actor NATSWriter {
  /// What the messages of a symbol have in common.
  private struct Channel {
    let subject: String
    /// The identifiers before their numbers: of the source, and of this publisher, which numbers trades that have no number.
    let (given, own): (String, String)
    /// The last number of this publisher's own.
    var number: UInt64 = 0
    /// The numbers of the source that were published.
    var published = ArrivedNumbers.Track()
    /// Whether its last message was not stored, for all patience.
    var hasGivenUp = false
  }

  /// A message that is published.
  struct Message {
    /// The index of its channel.
    let channel: Int
    /// The trade, with a number.
    let trade: Trade
    var isNumberedHere = false

    var number: UInt64 { trade.sequence ?? 0 }
  }

  /// Messages of a stream that are sent before their acknowledgements are waited for.
  private static let window = 512
  /// Messages that do not fill the buffer of the connection.
  private static let few = 128
  /// The maximum pause before trades are sent again: what a cluster that has chosen another leader waits for.
  private static let longestPause = Duration.milliseconds(500)
  private static let tick = Duration.seconds(1)
  private static let reconnectWait = Duration.milliseconds(250)
  private static let style = LineStyle()

  private let publisher: NATSPublisher
  private let report: AsyncStream<FeedConnection>.Continuation
  private let progress: NATSPublication.Progress
  private var watch: ConnectionWatch
  private var connection: NATSConnection?
  private var counts = NATSPublicationCounts()
  private let start = UInt64(Date.now.timeIntervalSince1970 * 1_000)
  private var channels: [Channel] = []
  private var indices: [SymbolBytes: Int] = [:]
  private var newest = NewestMessages()
  private var (line, id, lastID) = (ByteText(), ByteText(), ByteText())
  /// A stream's acknowledgements, the subject before their numbers, and whether several servers store it.
  private typealias Acknowledgements = (subscription: NATSSubscription, inbox: String, isReplicated: Bool)
  private var acknowledgements: Acknowledgements?
  private var sent: UInt64 = 0
  private var unconfirmed = UnconfirmedTrades()
  /// When a connection is made in place of one that libnats has closed.
  private var nextConnection = ContinuousClock.now
  /// Messages of which no stream has said that it has stored them, of those in hand.
  private var inHand: UInt64 = 0
  /// Trades that the feed's buffer dropped, which the next number of this publisher's own counts.
  private var missing: UInt64 = 0
  /// Whether none of the last messages was stored.
  private var hasGivenUp = false

  init(
    _ publisher: NATSPublisher, report: AsyncStream<FeedConnection>.Continuation, progress: NATSPublication.Progress
  ) {
    (self.publisher, self.report, self.progress) = (publisher, report, progress)
    watch = ConnectionWatch(publisher.address, wait: Self.reconnectWait, isRenewed: true)
  }

  /// Publishes a stream to its end, or until the task is cancelled.
  func publish(_ trades: EngineStream<Trade>) async -> NATSPublicationCounts {
    do {
      report.yield(.connecting(to: publisher.address.origin, failures: 0))
      connection = try newConnection()
      observe()
      await withTaskGroup(of: Void.self) { tasks in
        tasks.addTask { for await batch in trades.batches() { await self.publish(batch) } }
        tasks.addTask {
          while !Task.isCancelled {
            try? await Task.sleep(for: Self.tick)
            await self.step()
          }
        }
        await tasks.next()
        tasks.cancelAll()
      }
      // What a cancelled publication leaves.
      counts.failed += trades.statistics.waiting
      // A stream has acknowledged what it has.
      if publisher.durable == nil {
        if !Task.isCancelled { repeatNewest(newest.all) }
        let end = ContinuousClock.now + StreamRound.limit * 5
        while confirm(), .now < end {}
        fail(unconfirmed.count, counts.reason ?? "no server has confirmed them")
        unconfirmed = UnconfirmedTrades()
      }
    } catch {
      counts.reason = counts.reason ?? "\(error)"
      // There is no connection, and will be none.
      for await batch in trades.batches() { for element in batch { counts.failed += element.value == nil ? 0 : 1 } }
    }
    (acknowledgements, connection) = (nil, nil)
    progress.end(counts)
    report.yield(.closed(reason: counts.reason))
    return counts
  }

  /// Gives the counts of the moment to who asks meanwhile: calls of the actor would wait for the server.
  private func reportCounts() {
    var now = counts
    now.published -= unconfirmed.count
    progress.set(now, waiting: unconfirmed.count + inHand)
  }

  private func newConnection() throws(NATSFailure) -> NATSConnection {
    try NATSConnection(
      to: publisher.address, connectTimeout: .seconds(5), pingInterval: publisher.pingInterval,
      reconnectWait: Self.reconnectWait)
  }

  /// Reports the connection's states. One that was refused twice in the same way libnats does not make again: it is made anew.
  private func observe() {
    if connection == nil, .now >= nextConnection {
      connection = try? newConnection()
      nextConnection = .now + Self.tick
    }
    guard let connection else { return }
    for change in watch.changes(of: connection) { report.yield(change) }
    guard connection.state == .closed else { return }
    fail(unconfirmed.count, watch.reason(connection.lastFailure))
    unconfirmed = UnconfirmedTrades()
    (acknowledgements, self.connection, nextConnection) = (nil, nil, .now + Self.tick)
  }

  /// What a second brings: the newest trade of a symbol that is quiet is sent again, so that a reader that has lost it learns of that.
  private func step() {
    observe()
    guard publisher.durable == nil else { return }
    repeatNewest(newest.step())
    confirm()
  }

  /// Asks the server whether it has read what was sent. Without a connection that stays open. Returns whether to ask again: libnats keeps
  /// the last refusal alone, so that the next one comes by what is sent again.
  @discardableResult
  private func confirm(within limit: Duration = StreamRound.limit) -> Bool {
    settle()
    guard let connection else { return false }
    let reconnects = unconfirmed.reconnects
    do throws(NATSFailure) {
      guard connection.state == .connected else { throw NATSFailure(watch.reason(connection.lastFailure)) }
      try connection.flush(within: limit)
    } catch {
      if unconfirmed.count > 0, limit == StreamRound.limit { counts.reason = error.description }
      return false
    }
    settle()
    // Its answer comes after its refusals.
    if let refusal = connection.refusal, let channel = channel(of: refusal),
      let count = unconfirmed.refuse(channel, refusal.description)
    {
      fail(count, refusal.description)
      if unconfirmed.refusals.count == 1 {
        report.yield(.reconnecting(after: Self.tick, failures: 1, reason: refusal.description))
      }
      repeatNewest(newest.of(unconfirmed.channels))
      return true
    }
    if unconfirmed.reconnects == reconnects { unconfirmed.confirm() }
    reportCounts()
    return false
  }

  /// Counts what a lost connection may have had as failed.
  private func settle() {
    guard let connection else { return }
    let (isConnected, reconnects) = (connection.state == .connected, connection.reconnects)
    fail(unconfirmed.look(isConnected: isConnected, reconnects: reconnects), "connection lost")
  }

  private func fail(_ count: UInt64, _ reason: String) {
    guard count > 0 else { return }
    counts.published -= count
    counts.failed += count
    counts.reason = reason
  }

  /// The channel whose subject a refusal names; nil: none of them.
  private func channel(of refusal: NATSFailure) -> Int? {
    let beginning = publisher.address.subject(of: "")
    guard let subject = refusal.subject, subject.hasPrefix(beginning) else { return nil }
    return NATSSymbol.decoded(subject.dropFirst(beginning.count)).flatMap { indices[SymbolBytes($0)] }
  }

  private func repeatNewest(_ messages: [Message]) {
    for message in messages where unconfirmed.refusals[message.channel] == nil { try? send(message) }
  }

  private func publish(_ batch: [StreamElement<Trade>]) {
    var messages: [Message] = []
    inHand = UInt64(batch.count { $0.value != nil })
    observe()
    settle()
    reportCounts()
    for element in batch {
      switch element {
      case .gap(let count):
        counts.dropped += count
        missing = missing.addingSaturating(count)
      case .value(let trade):
        let message = message(of: trade)
        if publisher.durable == nil {
          newest.take(message)
          attempt(message)
        } else {
          messages.append(message)
        }
      }
    }
    inHand = UInt64(messages.count)
    for start in stride(from: 0, to: messages.count, by: Self.window) {
      store(Array(messages[start..<min(start + Self.window, messages.count)]))
    }
    // libnats sends by itself when it has 32 KB, or after a millisecond, which is half of a quote's way to its reader. A few are sent at
    // once, by a question whose answer is waited for no longer than that.
    if publisher.durable == nil, batch.count < Self.few { confirm(within: .milliseconds(1)) }
    reportCounts()
    observe()
  }

  private func message(of trade: Trade) -> Message {
    let channel = indices[SymbolBytes(trade.symbol)] ?? addChannel(of: trade.symbol)
    if let number = trade.sequence {
      if channels[channel].published.take(number) == .duplicate { counts.repeated += 1 }
      return Message(channel: channel, trade: trade)
    }
    let number = channels[channel].number
    let next = number.addingSaturating(missing.addingSaturating(trade.sequenceGap)).addingSaturating(1)
    // Nobody has counted half of all numbers; what comes later needs others.
    channels[channel].number = next > .max / 2 ? number + 1 : next
    missing = 0
    let numbered = Trade(
      symbol: trade.symbol, price: trade.price, size: trade.size, time: trade.time, sequence: channels[channel].number,
      side: trade.side, quote: trade.quote)
    return Message(channel: channel, trade: numbered, isNumberedHere: true)
  }

  private func addChannel(of symbol: String) -> Int {
    let (word, index) = (NATSSymbol.encoded(symbol), channels.count)
    // Numbers of this publisher's own begin anew with it.
    let given = TradeID(source: publisher.source, epoch: publisher.epoch, symbol: word, number: 0)
    let own = TradeID(source: "\(publisher.source)-own", epoch: start, symbol: word, number: 0)
    channels.append(
      Channel(
        subject: "\(publisher.address.prefix).q.\(word)", given: "\(given.name)/", own: "\(own.name)/"))
    indices[SymbolBytes(symbol)] = index
    return index
  }

  /// - Parameter isBehind: whether the stream is to have the message last that was sent before: another one refuses this message.
  private func send(_ message: Message, reply: String? = nil, isBehind: Bool = false) throws(NATSFailure) {
    guard let connection else { throw NATSFailure(watch.reason("")) }
    line.removeAll()
    message.trade.appendJSON(Self.style, to: &line)
    swap(&id, &lastID)
    id.removeAll()
    id.append(message.isNumberedHere ? channels[message.channel].own : channels[message.channel].given)
    id.append(message.number)
    id.append("\0")
    try connection.publish(
      line.bytes.dropLast(), to: channels[message.channel].subject, id: id.bytes, reply: reply,
      behind: isBehind ? lastID.bytes : nil)
  }

  private func attempt(_ message: Message) {
    do throws(NATSFailure) {
      if let refusal = unconfirmed.refusals[message.channel] { throw NATSFailure(refusal) }
      try send(message)
      counts.published += 1
      unconfirmed.add(message.channel)
    } catch {
      // The queue of a lost connection is full: readers see by the numbers what is missing.
      counts.failed += 1
      counts.reason = error.description
    }
  }

  /// Publishes messages until each is acknowledged, or there is no patience left: where nothing is stored, or nothing of a symbol, the
  /// next messages are sent once, until some are.
  private func store(_ messages: [Message]) {
    guard let durable = publisher.durable else { return }
    let end = ContinuousClock.now + (hasGivenUp ? .zero : durable.patience)
    // Those of a symbol one after the other.
    var (left, failures, lost) = (messages.sorted { $0.channel < $1.channel }, 0, 0)
    // The symbols of which the round before stored nothing.
    var stuck: Set<Int> = []
    while !Task.isCancelled, !left.isEmpty {
      observe()
      let round = round(left, durable, stuck: stuck)
      let places = round.stored
      left = left.indices.filter { !places.contains($0) }.map { left[$0] }
      let stored = UInt64(places.count)
      counts.published += stored
      counts.acknowledged += stored
      inHand -= stored
      if left.isEmpty { continue }
      let (silent, refused) = round.stuck
      stuck = silent.union(refused)
      // As long as all are answered, and some stored, the others follow at once.
      if silent.isEmpty && stored > 0 { continue }
      counts.reason = round.reason ?? "no acknowledgement within \(StreamRound.limit)"
      failures += 1
      let pause = min(Self.longestPause, .milliseconds(25 << min(failures, 10))) * Double.random(in: 0.5...1)
      let isOver = ContinuousClock.now + pause > end
      let hopeless = stuck.filter { isOver || round.isHeard && channels[$0].hasGivenUp }
      if !hopeless.isEmpty {
        let before = left.count
        // What stands behind a message that is refused may be stored without it.
        var firsts = hopeless.intersection(refused)
        left.removeAll {
          firsts.remove($0.channel) != nil || hopeless.contains($0.channel) && silent.contains($0.channel)
        }
        for channel in hopeless where round.isHeard { channels[channel].hasGivenUp = true }
        lost += before - left.count
        giveUp(before - left.count)
        continue
      }
      counts.retries += UInt64(left.count)
      reportCounts()
      report.yield(
        .reconnecting(
          after: pause, failures: failures,
          reason: "\(left.count) updates are not acknowledged: \(counts.reason ?? "no answer")"))
      Thread.sleep(forTimeInterval: pause / .seconds(1))
    }
    // Of those that a cancellation leaves too.
    giveUp(left.count)
    lost += left.count
    hasGivenUp = lost == messages.count
    if failures > 0 && lost == 0 {
      counts.reason = nil
      report.yield(.connected(to: publisher.address.origin))
    }
  }

  private func giveUp(_ count: Int) {
    counts.published += UInt64(count)
    counts.failed += UInt64(count)
    inHand -= UInt64(count)
  }

  /// Sends messages, those of a symbol one after the other, and waits for their acknowledgements.
  ///
  /// A stream keeps a symbol's trades in the order of their numbers: each one but the first is stored behind the one before alone. Where
  /// that is refused, or another publisher's comes between, those that follow are refused too, and sent again. Those of before are stored,
  /// or have failed. A stream on several servers keeps the identifier of a message that it refuses, and takes the next try for a duplicate:
  /// to one of these the first message of each symbol goes alone.
  ///
  /// - Parameter stuck: symbols of which the first message goes alone too.
  private func round(_ messages: [Message], _ durable: NATSPublisher.Durable, stuck: Set<Int>) -> StreamRound {
    var round = StreamRound(messages.map(\.channel))
    do throws(NATSFailure) {
      guard let connection, connection.state == .connected else {
        throw NATSFailure(watch.reason(connection?.lastFailure ?? ""))
      }
      let isNew = acknowledgements == nil
      let (answers, inbox, isReplicated) = try acknowledged(by: durable, on: connection)
      round = StreamRound(messages.map(\.channel)) { isReplicated || stuck.contains($0) }
      let first = sent
      sent += UInt64(round.places.count)
      for (number, place) in round.places.enumerated() {
        let isBehind = place > 0 && messages[place - 1].channel == messages[place].channel
        try send(messages[place], reply: "\(inbox).\(first + UInt64(number))", isBehind: isBehind)
      }
      do throws(NATSSubscription.Absence) {
        try round.read(answers, from: first) { channels[$0].hasGivenUp }
        round.isHeard = true
      } catch {
        round.isHeard = connection.state == .connected && (error == .none || error == .noResponders && isNew)
        if let refusal = connection.refusal { round.reason = refusal.description }
        if error == .noResponders { round.reason = "no server has the stream" }
        // The stream may be gone; and what this round did not wait for the next one is not to read.
        if error != .none || round.isMissed { acknowledgements = nil }
      }
      for place in round.stored { channels[messages[place].channel].hasGivenUp = false }
    } catch {
      round.reason = error.description
    }
    return round
  }

  /// The acknowledgements, once there is a stream.
  private func acknowledged(
    by durable: NATSPublisher.Durable, on connection: NATSConnection
  ) throws(NATSFailure) -> Acknowledgements {
    if let acknowledgements { return acknowledgements }
    let stream = NATSConnection.StreamSettings(
      subject: publisher.address.allSymbols, messagesPerSubject: durable.tradesPerSymbol ?? -1, age: durable.age,
      replicas: durable.replicas)
    let existing = try connection.makeStream(named: publisher.address.stream, stream)
    progress.note(existing.flatMap { stream.difference(from: $0) }.map { "stream \(publisher.address.stream): \($0)" })
    let inbox = try connection.inbox()
    let subscription = try connection.subscription(to: "\(inbox).*", pending: 1_048_576)
    // It destroys those of before.
    try connection.flush(within: StreamRound.limit)
    let new = (subscription, inbox, max(stream.replicas, existing?.replicas ?? 1) > 1)
    acknowledgements = new
    return new
  }
}

extension UInt64 {
  fileprivate func addingSaturating(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
#endif
