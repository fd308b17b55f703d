#if NATS
internal import Foundation
internal import RustleMarket

/// What is stored in a stream, and sent again until it is.
extension NATSWriter {
  /// What is known of the stream.
  struct Stream {
    /// Messages that are sent before their acknowledgements are waited for.
    static let window = 512
    /// The maximum pause before trades are sent again: what a cluster that has chosen another leader waits for.
    static let longestPause = Duration.milliseconds(500)
    /// How long an answer about the stream is waited for, and how long of one that was there: while a cluster chooses a leader there is none.
    static let patience = (first: Duration.seconds(5), again: Duration.milliseconds(500))

    /// Whether several servers store it.
    var isReplicated: Bool
    /// Whether it was there when it was looked for last.
    var isSeen = true
    /// Why the server did not make it again then; nil: it has not said.
    var refusal: String?
  }

  /// Publishes messages until each is acknowledged, or there is no patience left: where nothing is stored, or nothing of a symbol, the
  /// next messages are sent once, until some are.
  func store(_ messages: [Message]) {
    guard let durable = publisher.durable else { return }
    let end = ContinuousClock.now + (hasGivenUp ? .zero : durable.patience)
    // Those of a symbol one after the other.
    var (left, failures, lost) = (messages.sorted { $0.channel < $1.channel }, 0, 0)
    var reason = "the publication was ended"
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
      reason = round.reason ?? "no acknowledgement within \(StreamRound.limit)"
      failures += 1
      let pause = min(Stream.longestPause, .milliseconds(25 << min(failures, 10))) * Double.random(in: 0.5...1)
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
        giveUp(before - left.count, reason)
        continue
      }
      counts.retries += UInt64(left.count)
      reportCounts()
      progress.noteRetry(
        counted(UInt64(left.count), "update is", "updates are") + " not acknowledged, and sent again: \(reason)")
      Thread.sleep(forTimeInterval: pause / .seconds(1))
    }
    // What a cancellation leaves.
    giveUp(left.count, reason)
    lost += left.count
    hasGivenUp = lost == messages.count
    if failures > 0 && lost == 0 { progress.noteRetry("all updates are acknowledged again") }
  }

  private func giveUp(_ count: Int, _ reason: String) {
    fail(UInt64(count), reason)
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
      let (answers, inbox) = try acknowledged(by: durable, on: connection)
      let isReplicated = stream?.isReplicated == true
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
        let isThere = error == .none || error == .noResponders && isNew && stream?.isSeen == true
        round.isHeard = connection.state == .connected && isThere
        if let refusal = connection.refusal { round.reason = refusal.description }
        if error == .noResponders {
          round.reason = stream?.refusal ?? "no server has the stream"
        } else if round.isUnanswered, let refusal = stream?.refusal {
          round.reason = refusal
        }
        // The stream may be gone, which the server does not say where somebody listens to its subject; and what this round did not wait
        // for the next one is not to read.
        if error != .none || round.isMissed || round.isUnanswered { acknowledgements = nil }
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
  ) throws(NATSFailure) -> (subscription: NATSSubscription, inbox: String) {
    if let acknowledgements { return acknowledgements }
    try makeStream(durable, on: connection)
    let inbox = try connection.inbox()
    let subscription = try connection.subscription(to: "\(inbox).*", pending: 1_048_576)
    // It destroys those of before.
    try connection.flush(within: StreamRound.limit)
    acknowledgements = (subscription, inbox)
    return (subscription, inbox)
  }

  private func makeStream(_ durable: NATSPublisher.Durable, on connection: NATSConnection) throws(NATSFailure) {
    let settings = NATSConnection.StreamSettings(
      subject: publisher.address.allSymbols, messagesPerSubject: durable.tradesPerSymbol ?? -1, age: durable.age,
      replicas: durable.replicas)
    do throws(NATSFailure) {
      let patience = stream == nil ? Stream.patience.first : Stream.patience.again
      switch try connection.makeStream(named: publisher.address.stream, settings, patience: patience) {
      case .made:
        progress.note(nil)
        stream = Stream(isReplicated: settings.replicas > 1)
      case .exists(let existing?):
        progress.note(settings.difference(from: existing).map { "stream \(publisher.address.stream): \($0)" })
        stream = Stream(isReplicated: max(settings.replicas, existing.replicas) > 1)
      // It is what it was; one that was not known may be on several servers.
      case .exists(nil): stream = Stream(isReplicated: stream?.isReplicated ?? true)
      }
    } catch {
      // Servers that choose a leader do not answer, or refuse, and may store again before they do not.
      guard stream != nil, connection.state == .connected else { throw error }
      stream?.isSeen = false
      stream?.refusal = error.isAnswer ? error.description : nil
    }
  }
}
#endif
