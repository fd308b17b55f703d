#if NATS
internal import Foundation
internal import RustleCore
internal import RustleFiles
internal import RustleMarket

/// Publishes trades, by calls that block: it needs a `BlockingExecutor`.
actor NATSWriter {
  /// A message that was published.
  struct Message {
    let id: TradeID
    let line: [UInt8]
  }

  /// Messages of a stream that are sent before their acknowledgements are waited for.
  private static let window = 512
  /// How long an acknowledgement is waited for, and the maximum pause before trades are sent again.
  private static let acknowledgementLimit = Duration.seconds(2)
  private static let tick = Duration.seconds(1)
  private static let reconnectWait = Duration.milliseconds(250)

  private let publisher: NATSPublisher
  private let report: AsyncStream<FeedConnection>.Continuation
  private var watch: ConnectionWatch
  private var connection: NATSConnection?
  private var counts = NATSPublicationCounts()
  private let start = UInt64(Date.now.timeIntervalSince1970 * 1_000)
  private var numbers: [String: UInt64] = [:]
  private var words: [String: String] = [:]
  private var newest = NewestMessages()
  private var text = ByteText()
  /// The acknowledgements, and the subject before their numbers.
  private var acknowledgements: (subscription: NATSSubscription, inbox: String)?
  private var sent: UInt64 = 0
  /// Whether none of the last messages was stored.
  private var hasGivenUp = false

  init(_ publisher: NATSPublisher, report: AsyncStream<FeedConnection>.Continuation) {
    (self.publisher, self.report) = (publisher, report)
    watch = ConnectionWatch(publisher.address.origin, wait: Self.reconnectWait)
  }

  /// Publishes a stream to its end, or until the task is cancelled.
  func publish(_ trades: EngineStream<Trade>) async -> NATSPublicationCounts {
    do {
      report.yield(.connecting(to: publisher.address.origin, failures: 0))
      connection = try NATSConnection(
        servers: publisher.address.servers, name: "rustle", connectTimeout: .seconds(5),
        pingInterval: publisher.pingInterval, reconnectWait: Self.reconnectWait)
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
      // A stream has acknowledged what it has.
      if publisher.durable == nil {
        repeatNewest(newest.all)
        try connection?.flush(within: .seconds(5))
      }
    } catch {
      counts.reason = counts.reason ?? "\(error)"
    }
    (acknowledgements, connection) = (nil, nil)
    report.yield(.closed(reason: counts.reason))
    return counts
  }

  private func observe() {
    guard let connection else { return }
    for change in watch.changes(of: connection) { report.yield(change) }
  }

  /// What a second brings: the newest trade of a symbol that is quiet is sent again, so that a reader that has lost it learns of that.
  private func step() {
    observe()
    if publisher.durable == nil { repeatNewest(newest.step()) }
  }

  private func repeatNewest(_ messages: [Message]) {
    for message in messages { try? send(message) }
  }

  private func publish(_ batch: [StreamElement<Trade>]) {
    var messages: [Message] = []
    for element in batch {
      switch element {
      case .gap(let count): counts.dropped += count
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
    for start in stride(from: 0, to: messages.count, by: Self.window) where !Task.isCancelled {
      store(Array(messages[start..<min(start + Self.window, messages.count)]))
    }
    observe()
  }

  private func message(of trade: Trade) -> Message {
    let symbol = trade.symbol
    var (numbered, source, epoch) = (trade, publisher.source, publisher.epoch)
    let number = trade.sequence ?? (numbers[symbol] ?? 0) + 1 + trade.sequenceGap
    if trade.sequence == nil {
      // Numbers of this publisher's own, which begin anew with it.
      (source, epoch) = ("\(publisher.source)-own", start)
      numbers[symbol] = number
      numbered = Trade(
        symbol: symbol, price: trade.price, size: trade.size, time: trade.time, sequence: number, side: trade.side,
        quote: trade.quote)
    }
    let word = words[symbol] ?? NATSSymbol.encoded(symbol)
    words[symbol] = word
    text.removeAll()
    numbered.appendJSON(LineStyle(), to: &text)
    return Message(
      id: TradeID(source: source, epoch: epoch, symbol: word, number: number),
      line: text.bytes.dropLast())
  }

  private func send(_ message: Message, reply: String? = nil) throws(NATSFailure) {
    try connection?.publish(
      message.line[...], to: "\(publisher.address.prefix).q.\(message.id.symbol)", id: "\(message.id)", reply: reply)
  }

  private func attempt(_ message: Message) {
    do throws(NATSFailure) {
      try send(message)
      counts.published += 1
    } catch {
      // The queue of a lost connection is full: readers see by the numbers what is missing.
      counts.failed += 1
      counts.reason = error.description
    }
  }

  /// Publishes messages until each is acknowledged, or there is no patience left.
  private func store(_ messages: [Message]) {
    guard let durable = publisher.durable else { return }
    // Once it has been used up, the next messages are sent once, until some are stored.
    let end = ContinuousClock.now + (hasGivenUp ? .zero : durable.patience)
    var (left, failures) = (messages, 0)
    while !Task.isCancelled {
      do throws(NATSFailure) {
        let reason = try round(&left)
        if left.isEmpty { break }
        counts.reason = reason
      } catch {
        counts.reason = error.description
      }
      failures += 1
      let pause = min(Self.acknowledgementLimit, .milliseconds(25 << min(failures, 10))) * Double.random(in: 0.5...1)
      if ContinuousClock.now + pause > end { break }
      counts.retries += UInt64(left.count)
      report.yield(
        .reconnecting(
          after: pause, failures: failures,
          reason: "\(left.count) updates are not acknowledged: \(counts.reason ?? "no answer")"))
      Thread.sleep(forTimeInterval: pause / .seconds(1))
    }
    hasGivenUp = left.count == messages.count
    counts.published += UInt64(messages.count)
    counts.acknowledged += UInt64(messages.count - left.count)
    counts.failed += UInt64(left.count)
    if failures > 0 && left.isEmpty {
      counts.reason = nil
      report.yield(.connected(to: publisher.address.origin))
    }
  }

  /// Sends messages, and removes those that are acknowledged; returns why others are not.
  private func round(_ messages: inout [Message]) throws(NATSFailure) -> String? {
    guard let connection, let durable = publisher.durable else { return nil }
    guard connection.state == .connected else { return "no connection" }
    if acknowledgements == nil {
      try connection.makeStream(
        named: publisher.address.stream, of: publisher.address.allSymbols,
        messagesPerSubject: durable.tradesPerSymbol ?? -1, age: durable.age, replicas: durable.replicas)
      let inbox = try connection.inbox()
      acknowledgements = (try connection.subscription(to: "\(inbox).*", pending: 1_048_576), inbox)
    }
    guard let (answers, inbox) = acknowledgements else { return nil }
    let first = sent
    sent += UInt64(messages.count)
    for (number, message) in zip(first..., messages) { try send(message, reply: "\(inbox).\(number)") }
    var reason: String?
    var (unanswered, unstored) = (Set(messages.indices), Set(messages.indices))
    let end = ContinuousClock.now + Self.acknowledgementLimit
    do {
      while !unanswered.isEmpty {
        let answer = try answers.next(within: max(0, Int64((end - ContinuousClock.now) / .milliseconds(1))))
        // Late answers to earlier rounds have lower numbers.
        guard let number = UInt64(answer.subject.split(separator: ".").last ?? ""), number >= first else { continue }
        let index = Int(number - first)
        unanswered.remove(index)
        if let fault = Self.fault(of: answer) { reason = fault } else { unstored.remove(index) }
      }
    } catch {
      if error == .noResponders { reason = "no server has the stream" }
      if error == .ended { acknowledgements = nil }
    }
    messages = messages.indices.filter(unstored.contains).map { messages[$0] }
    return reason
  }

  /// Why JetStream refuses a message; nil: it is stored.
  private static func fault(of answer: borrowing NATSMessage) -> String? {
    struct Answer: Decodable {
      struct Fault: Decodable { let description: String }
      let error: Fault?
    }
    var text: [UInt8] = []
    answer.append(to: &text)
    // Of thousands a second, few are read in full.
    if text.starts(with: "{\"stream\":".utf8) && text.firstRange(of: Array("\"error\":".utf8)) == nil { return nil }
    do {
      return try JSONDecoder().decode(Answer.self, from: Data(text)).error?.description
    } catch {
      return "expected an acknowledgement, got '\(String(decoding: text.prefix(80), as: UTF8.self))'"
    }
  }
}

/// The newest message of each symbol, and when it is sent again: after a second without another one, after two, and so on to a minute.
struct NewestMessages {
  /// The maximum pause in seconds.
  static let maximumPause = 64

  private struct Entry {
    var message: NATSWriter.Message
    var due: Int
    var pause = 1
  }

  private var entries: [String: Entry] = [:]
  private var now = 0

  /// All of them.
  var all: [NATSWriter.Message] { entries.values.map(\.message) }

  mutating func take(_ message: NATSWriter.Message) {
    // Of trades in another order the last one has the highest number.
    if let known = entries[message.id.symbol], known.message.id.number > message.id.number { return }
    // Between one and two seconds from now.
    entries[message.id.symbol] = Entry(message: message, due: now + 2)
  }

  /// A second has passed: returns the messages that are sent again.
  mutating func step() -> [NATSWriter.Message] {
    now += 1
    var due: [NATSWriter.Message] = []
    for (symbol, entry) in entries where entry.due <= now {
      let pause = min(2 * entry.pause, Self.maximumPause)
      due.append(entry.message)
      entries[symbol] = Entry(message: entry.message, due: now + pause, pause: pause)
    }
    return due
  }
}
#endif
