internal import StudioCore
internal import Synchronization

/// A connected client: its outbox, and a stream that has an element when the outbox is no longer empty.
final class Client: Sendable {
  let id: Int
  let isReady: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let outbox = Mutex(Outbox())

  init(id: Int) {
    self.id = id
    (isReady, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Works on the outbox; afterwards its writer is woken if something waits.
  func withOutbox<Result: Sendable>(_ work: (inout sending Outbox) -> sending Result) -> Result {
    let (result, isEmpty) = outbox.withLock { outbox in
      let result = work(&outbox)
      return (result, outbox.isEmpty)
    }
    if !isEmpty { signal.yield() }
    return result
  }

  /// Ends the stream, and with it the connection.
  func close() { signal.finish() }
}

/// All clients, and the values on their way to them.
final class Hub: Sendable {
  /// Counts since the start.
  struct Counts: Sendable {
    var frames: UInt64 = 0
    var connections: UInt64 = 0
  }

  private struct State {
    var clients: [Int: Client] = [:]
    var sequences: [Topic: UInt32] = [:]
    var counts = Counts()
    var next = 0
  }

  private let state = Mutex(State())
  private let start = ContinuousClock.now
  private let (topicChanges, topicSignal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// An element after each change of what clients are subscribed to.
  var changes: AsyncStream<Void> { topicChanges }

  /// Adds a client.
  func join() -> Client {
    state.withLock { state in
      state.next += 1
      state.counts.connections += 1
      let client = Client(id: state.next)
      state.clients[state.next] = client
      return client
    }
  }

  /// Removes a client.
  func leave(_ client: Client) {
    _ = state.withLock { $0.clients.removeValue(forKey: client.id) }
    topicSignal.yield()
  }

  /// What a client's subscriptions have become.
  func subscriptionsChanged() { topicSignal.yield() }

  /// The topics that a client receives.
  var topics: Set<Topic> {
    clients.reduce(into: []) { all, client in
      all.formUnion(client.withOutbox { $0.isPaused ? [] : $0.topics })
    }
  }

  /// The clients.
  var clients: [Client] { state.withLock { Array($0.clients.values) } }

  /// The counts since the start.
  var counts: Counts { state.withLock { $0.counts } }

  /// Sends a value to the clients of its topic.
  func publish(_ topic: Topic, _ payload: [UInt8]) {
    let (clients, sequence) = state.withLock { state in
      state.counts.frames += 1
      let sequence = state.sequences[topic, default: 0]
      state.sequences[topic] = sequence &+ 1
      return (Array(state.clients.values), sequence)
    }
    let time = UInt64(max(0, (ContinuousClock.now - start) / .microseconds(1)))
    let frame = SampleFrame(topic, sequence: sequence, time: time, payload: payload)
    for client in clients { _ = client.withOutbox { $0.offer(frame) } }
  }

  /// Sends all clients a state, in place of an older one that waits.
  func broadcast(_ text: String, state: String) {
    for client in clients { client.withOutbox { $0.state(state, text) } }
  }
}
