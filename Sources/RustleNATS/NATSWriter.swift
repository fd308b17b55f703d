#if NATS
internal import Foundation
internal import RustleCore
internal import RustleFiles
internal import RustleMarket

/// Publishes trades, by calls that block: it needs a `BlockingExecutor`.
actor NATSWriter {
  /// What the messages of a symbol have in common.
  struct Channel {
    let symbol: String
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

  /// Messages that do not fill the buffer of the connection.
  private static let few = 128
  /// Symbols whose refusals are reported one by one.
  private static let maximumReports = 5
  private static let tick = Duration.seconds(1)
  /// How often the connection is looked at in a tick.
  private static let looks = 4
  private static let reconnectWait = Duration.milliseconds(250)
  private static let connectTimeout = Duration.seconds(5)
  private static let style = LineStyle()
  /// How long what waits at the end waits for a connection.
  static let lastPatience = Duration.seconds(2)

  let publisher: NATSPublisher
  let report: AsyncStream<FeedConnection>.Continuation
  let progress: NATSPublication.Progress
  private let lastPatience: Duration
  private let onRound: @Sendable () -> Void
  private(set) var watch: ConnectionWatch
  private var reconnectWatch: ReconnectWatch
  private(set) var connection: NATSConnection?
  var counts = NATSPublicationCounts()
  private let start = UInt64(Date.now.timeIntervalSince1970 * 1_000)
  var channels: [Channel] = []
  private var indices: [SymbolBytes: Int] = [:]
  private var newest = NewestMessages()
  private var (line, id, lastID) = (ByteText(), ByteText(), ByteText())
  /// The stream; nil before there is one.
  var stream: Stream?
  /// The stream's acknowledgements, and the subject before their numbers.
  var acknowledgements: (subscription: NATSSubscription, inbox: String)?
  var sent: UInt64 = 0
  private var unconfirmed = UnconfirmedTrades()
  /// Why no server has confirmed them, when it was asked last; one may yet do so.
  private(set) var doubt: String?
  private var look = 0
  /// When a connection is made in place of one that libnats has closed.
  private var nextConnection = ContinuousClock.now
  /// Messages of which no stream has said that it has stored them, of those in hand.
  var inHand: UInt64 = 0
  /// Trades that the feed's buffer dropped, which the next number of this publisher's own counts.
  private var missing: UInt64 = 0
  /// Whether none of the last messages was stored.
  var hasGivenUp = false

  init(
    _ publisher: NATSPublisher, report: AsyncStream<FeedConnection>.Continuation, progress: NATSPublication.Progress,
    lastPatience: Duration = lastPatience, reconnectWatch: ReconnectWatch? = nil,
    onRound: @escaping @Sendable () -> Void = {}
  ) {
    (self.publisher, self.report, self.progress) = (publisher, report, progress)
    (self.lastPatience, self.onRound) = (lastPatience, onRound)
    self.reconnectWatch =
      reconnectWatch
      ?? ReconnectWatch(publisher.address, connectTimeout: Self.connectTimeout, wait: Self.reconnectWait)
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
            try? await Task.sleep(for: Self.tick / Self.looks)
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
        settle()
        await waitForConnection()
        if !Task.isCancelled { repeatNewest(newest.all) }
        let end = ContinuousClock.now + StreamRound.limit * 5
        while confirm(), .now < end {}
        fail(unconfirmed.total, doubt ?? counts.reason ?? "no server has confirmed them")
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
  func reportCounts() { progress.set(counts, waiting: unconfirmed.total + inHand) }

  private func newConnection() throws(NATSFailure) -> NATSConnection {
    try NATSConnection(
      to: publisher.address, connectTimeout: Self.connectTimeout, pingInterval: publisher.pingInterval,
      reconnectWait: Self.reconnectWait, onRound: onRound)
  }

  /// Reports the connection's states. One that was refused twice in the same way libnats does not make again, and one that is stuck it
  /// cannot: it is made anew.
  func observe() {
    if connection == nil, .now >= nextConnection {
      connection = try? newConnection()
      nextConnection = .now + Self.tick
    }
    guard let connection else { return }
    for change in watch.changes(of: connection) { report.yield(change) }
    let isStuck = reconnectWatch.isStuck(connection)
    guard isStuck || connection.state == .closed else { return }
    if isStuck {
      connection.leave()
      counts.connectionsLeft += 1
      reportCounts()
      progress.note(ReconnectWatch.notice)
    }
    // What waits for a connection goes on waiting.
    fail(unconfirmed.end(), watch.reason(connection.lastFailure))
    (acknowledgements, self.connection, nextConnection) = (nil, nil, .now + (isStuck ? .zero : Self.tick))
  }

  /// Looks at the connection. What a second of one brings: the newest trade of a symbol that is quiet is sent again, so that a reader that
  /// has lost it learns of that.
  private func step() {
    observe()
    guard publisher.durable == nil else { return }
    let waiting = unconfirmed.waiting.count
    settle()
    if connection?.state == .connected { look += 1 }
    if look == Self.looks {
      look = 0
      repeatNewest(newest.step())
    } else if unconfirmed.waiting.count == waiting {
      return
    }
    confirm()
  }

  /// Asks the server whether it has read what was sent. Without a connection that stays open. Returns whether to ask again: libnats keeps
  /// the last refusal alone, so that the next one comes by what is sent again; and what waits is sent first.
  @discardableResult
  private func confirm(within limit: Duration = StreamRound.limit) -> Bool {
    settle()
    guard let connection else {
      if unconfirmed.total > 0 { doubt = watch.reason("") }
      return false
    }
    let reconnects = unconfirmed.reconnects
    do throws(NATSFailure) {
      guard connection.state == .connected else { throw NATSFailure(watch.reason(connection.lastFailure)) }
      try connection.flush(within: limit)
    } catch {
      if unconfirmed.total > 0, limit == StreamRound.limit { doubt = error.description }
      return false
    }
    // What would be sent now it has not been asked for.
    takeState(of: connection)
    // Its answer comes after its refusals.
    if let refusal = connection.refusal, let channel = channel(of: refusal),
      let count = unconfirmed.refuse(channel, refusal.description)
    {
      fail(count, refusal.description)
      let number = unconfirmed.refusals.count
      if number <= Self.maximumReports {
        progress.note("\(channels[channel].symbol) is refused, until there is another connection: \(refusal)")
      } else if number == Self.maximumReports + 1 {
        progress.note("further symbols are refused")
      }
      repeatNewest(newest.of(unconfirmed.channels))
      return true
    }
    if unconfirmed.reconnects == reconnects {
      counts.published += unconfirmed.confirm()
      doubt = nil
    }
    reportCounts()
    return !unconfirmed.waiting.isEmpty
  }

  /// Gives what waits at the end for a connection the time to be sent.
  private func waitForConnection() async {
    let end = ContinuousClock.now + lastPatience
    while !unconfirmed.waiting.isEmpty, !Task.isCancelled, .now < end {
      try? await Task.sleep(for: Self.tick / Self.looks)
      observe()
      settle()
    }
  }

  /// Counts what a lost connection may have had as failed, and sends what waits for one.
  private func settle() {
    guard let connection else { return }
    takeState(of: connection)
    unconfirmed.due().forEach(attempt)
  }

  private func takeState(of connection: NATSConnection) {
    let lost = unconfirmed.look(isConnected: connection.state == .connected, reconnects: connection.reconnects)
    fail(lost, "connection lost")
  }

  func fail(_ count: UInt64, _ reason: String) {
    guard count > 0 else { return }
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
    // Behind those that wait.
    guard unconfirmed.isOpen else { return }
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
          if unconfirmed.isOpen { attempt(message) } else { wait(message) }
        } else {
          messages.append(message)
        }
      }
    }
    inHand = UInt64(messages.count)
    for start in stride(from: 0, to: messages.count, by: Stream.window) {
      store(Array(messages[start..<min(start + Stream.window, messages.count)]))
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
        symbol: symbol, subject: "\(publisher.address.prefix).q.\(word)", given: "\(given.name)/", own: "\(own.name)/"))
    indices[SymbolBytes(symbol)] = index
    return index
  }

  /// - Parameter isBehind: whether the stream is to have the message last that was sent before: another one refuses this message.
  func send(_ message: Message, reply: String? = nil, isBehind: Bool = false) throws(NATSFailure) {
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
      unconfirmed.add(message.channel)
    } catch {
      // Readers see by the numbers what is missing.
      fail(1, error.description)
    }
  }

  private func wait(_ message: Message) {
    if !unconfirmed.wait(message) { fail(1, "\(UnconfirmedTrades.waitingLimit) updates wait for a connection already") }
  }
}

extension UInt64 {
  fileprivate func addingSaturating(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
#endif
