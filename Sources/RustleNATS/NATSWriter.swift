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
  /// How long an acknowledgement is waited for.
  private static let acknowledgementLimit = Duration.seconds(2)
  /// How long those of symbols alone are waited for of which the last message was not stored.
  private static let hopelessLimit = Duration.milliseconds(50)
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
  private var (line, id) = (ByteText(), ByteText())
  /// The acknowledgements, and the subject before their numbers.
  private var acknowledgements: (subscription: NATSSubscription, inbox: String)?
  private var sent: UInt64 = 0
  /// Messages of which no server has said that it has read them.
  private var unconfirmed: UInt64 = 0
  /// Messages of which no stream has said that it has stored them, of those in hand.
  private var inHand: UInt64 = 0
  /// The number of the stream's last message, as far as this publisher knows; nil: it does not.
  private var last: UInt64?
  /// Trades that the feed's buffer dropped, which the next number of this publisher's own counts.
  private var missing: UInt64 = 0
  /// Whether the server has refused what is published.
  private var isRefused = false
  /// Whether none of the last messages was stored.
  private var hasGivenUp = false

  init(
    _ publisher: NATSPublisher, report: AsyncStream<FeedConnection>.Continuation, progress: NATSPublication.Progress
  ) {
    (self.publisher, self.report, self.progress) = (publisher, report, progress)
    watch = ConnectionWatch(publisher.address, wait: Self.reconnectWait)
  }

  /// Publishes a stream to its end, or until the task is cancelled.
  func publish(_ trades: EngineStream<Trade>) async -> NATSPublicationCounts {
    do {
      report.yield(.connecting(to: publisher.address.origin, failures: 0))
      connection = try NATSConnection(
        to: publisher.address, connectTimeout: .seconds(5), pingInterval: publisher.pingInterval,
        reconnectWait: Self.reconnectWait)
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
        confirm()
        (counts.published, counts.failed) = (counts.published - unconfirmed, counts.failed + unconfirmed)
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
    now.published -= unconfirmed
    progress.set(now, waiting: unconfirmed + inHand)
  }

  private func observe() {
    guard let connection else { return }
    for change in watch.changes(of: connection) { report.yield(change) }
  }

  /// What a second brings: the newest trade of a symbol that is quiet is sent again, so that a reader that has lost it learns of that.
  private func step() {
    observe()
    guard publisher.durable == nil else { return }
    repeatNewest(newest.step())
    confirm()
  }

  /// Asks the server whether it has read what was sent. Without a connection that stays open.
  private func confirm() {
    guard let connection else { return }
    do throws(NATSFailure) {
      guard connection.state == .connected else { throw NATSFailure(watch.reason(connection.lastFailure)) }
      try connection.flush(within: Self.acknowledgementLimit)
      // Its answer comes after its refusals.
      if let refusal = connection.refusal { throw refusal }
      unconfirmed = 0
      reportCounts()
    } catch {
      if unconfirmed > 0 { counts.reason = error.description }
      if let refusal = connection.refusal, !isRefused {
        report.yield(.reconnecting(after: Self.tick, failures: 1, reason: refusal.description))
      }
      isRefused = connection.refusal != nil
    }
  }

  private func repeatNewest(_ messages: [Message]) {
    for message in messages { try? send(message) }
  }

  private func publish(_ batch: [StreamElement<Trade>]) {
    var messages: [Message] = []
    inHand = UInt64(batch.count { $0.value != nil })
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
    if publisher.durable == nil, batch.count < Self.few, let connection, connection.state == .connected {
      try? connection.flush(within: .milliseconds(1))
    }
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

  /// - Parameter last: the number that the stream's last message is to have: another one refuses the message.
  private func send(
    _ message: Message, reply: String? = nil, behind last: UInt64? = nil
  ) throws(NATSFailure) {
    line.removeAll()
    message.trade.appendJSON(Self.style, to: &line)
    id.removeAll()
    id.append(message.isNumberedHere ? channels[message.channel].own : channels[message.channel].given)
    id.append(message.number)
    id.append("\0")
    try connection?.publish(
      line.bytes.dropLast(), to: channels[message.channel].subject, id: id.bytes, reply: reply, behind: last)
  }

  private func attempt(_ message: Message) {
    do throws(NATSFailure) {
      try send(message)
      counts.published += 1
      unconfirmed += 1
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
    var (left, failures, lost) = (messages, 0, 0)
    while !Task.isCancelled, !left.isEmpty {
      var isRefused = false
      do throws(NATSFailure) {
        let before = left.count
        let round = try round(&left, isAgain: failures > 0 || left.count < messages.count)
        let stored = UInt64(before - left.count)
        counts.published += stored
        counts.acknowledged += stored
        inHand -= stored
        guard case .failed(let reason, let isAnswered) = round else { continue }
        counts.reason = reason ?? "no acknowledgement within \(Self.acknowledgementLimit)"
        isRefused = isAnswered
      } catch {
        counts.reason = error.description
      }
      failures += 1
      let pause = min(Self.longestPause, .milliseconds(25 << min(failures, 10))) * Double.random(in: 0.5...1)
      if ContinuousClock.now + pause > end || left.allSatisfy({ channels[$0.channel].hasGivenUp }) {
        // What stands behind a message that is refused may be stored without it.
        let hopeless = isRefused ? Self.firsts(of: left, channels.count) : Array(left.indices)
        for place in hopeless.reversed() { channels[left.remove(at: place).channel].hasGivenUp = true }
        lost += hopeless.count
        giveUp(hopeless.count)
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

  private enum Round {
    /// What could be sent is stored; the rest can be sent now.
    case stored
    /// Why nothing more is stored; nil: nobody has said. And whether all that was sent was answered.
    case failed(String?, isAnswered: Bool)
  }

  /// Sends messages, and removes those that are acknowledged.
  ///
  /// A stream keeps a symbol's trades in the order of their numbers. Of several of one symbol the later ones are stored behind the
  /// earlier ones alone: each names the number that the stream's last message is to have. Where that is not known, those are sent that
  /// come before the second one of a symbol; where something was refused, or another publisher stores too, the first one of each symbol.
  ///
  /// - Parameter isAgain: whether some of the messages have been sent.
  private func round(_ messages: inout [Message], isAgain: Bool) throws(NATSFailure) -> Round {
    guard let connection, let durable = publisher.durable else { return .stored }
    guard connection.state == .connected else {
      return .failed(watch.reason(connection.lastFailure), isAnswered: false)
    }
    if acknowledgements == nil {
      let stream = NATSConnection.StreamSettings(
        messagesPerSubject: durable.tradesPerSymbol ?? -1, age: durable.age, replicas: durable.replicas)
      let existing = try connection.makeStream(
        named: publisher.address.stream, of: publisher.address.allSymbols, stream)
      progress.note(
        existing.flatMap { stream.difference(from: $0) }.map { "stream \(publisher.address.stream): \($0)" })
      let inbox = try connection.inbox()
      acknowledgements = (try connection.subscription(to: "\(inbox).*", pending: 1_048_576), inbox)
    }
    guard let (answers, inbox) = acknowledgements else { return .stored }
    var known = last
    last = nil
    let firsts = Self.firsts(of: messages, channels.count)
    let isInAnyOrder = firsts.count == messages.count
    let places =
      isInAnyOrder || known != nil
      ? Array(messages.indices) : isAgain ? firsts : Array(firsts.indices.prefix { firsts[$0] == $0 })
    let first = sent
    sent += UInt64(places.count)
    for (number, place) in places.enumerated() {
      try send(
        messages[place], reply: "\(inbox).\(first + UInt64(number))",
        behind: isInAnyOrder ? nil : known.map { $0 &+ UInt64(number) })
    }
    var (reason, isBehindAnother): (String?, Bool) = (nil, false)
    var (isAnswered, isStored) = (places.map { _ in false }, messages.map { _ in false })
    var unanswered = places.count
    let isHopeless = places.map { channels[messages[$0].channel].hasGivenUp }
    var awaited = isHopeless.count { !$0 }
    var end = ContinuousClock.now + Self.acknowledgementLimit
    do {
      while unanswered > 0 {
        let answer = try answers.next(within: max(0, Int64((end - ContinuousClock.now) / .milliseconds(1))))
        // Late answers to earlier rounds have lower numbers.
        guard let number = answer.subjectNumber, number >= first, number < sent else { continue }
        let index = Int(number - first)
        if !isAnswered[index] {
          isAnswered[index] = true
          unanswered -= 1
          if !isHopeless[index] {
            awaited -= 1
            if awaited == 0 { end = min(end, .now + Self.hopelessLimit) }
          }
        }
        switch StreamAnswer(answer) {
        case .stored(let number):
          isStored[places[index]] = true
          channels[messages[places[index]].channel].hasGivenUp = false
          known = max(known ?? 0, number)
        case .behindAnother: isBehindAnother = true
        case .refused(let fault): reason = fault
        }
      }
    } catch {
      if let refusal = connection.refusal { reason = refusal.description }
      if error == .noResponders {
        reason = "no server has the stream"
        // Each message has such an answer, which the next round is not to read; and the stream may be gone.
        acknowledgements = nil
      }
      if error == .ended { acknowledgements = nil }
    }
    messages = messages.indices.filter { !isStored[$0] }.map { messages[$0] }
    // As long as some are stored the others follow at once.
    if unanswered > 0 || reason != nil && !isStored.contains(true) {
      return .failed(reason, isAnswered: unanswered == 0)
    }
    if reason == nil && !isBehindAnother { last = known }
    return .stored
  }

  /// The places of each symbol's first message.
  private static func firsts(of messages: [Message], _ channels: Int) -> [Int] {
    var isThere = [Bool](repeating: false, count: channels)
    return messages.indices.filter { place in
      defer { isThere[messages[place].channel] = true }
      return !isThere[messages[place].channel]
    }
  }
}

extension UInt64 {
  fileprivate func addingSaturating(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
#endif
