internal import StudioCore
internal import Synchronization

/// The time between two writes to a client on average, at least: 33 ms, with more than 200 clients 66 ms.
final class Pace: Sendable {
  private static let crowd = 200
  private static let (usual, crowded) = (33, 66)
  private let milliseconds = Atomic(usual)

  var pause: Duration { .milliseconds(milliseconds.load(ordering: .relaxed)) }
  /// Whether there are so many that each is written the newest value alone.
  var isCrowded: Bool { milliseconds.load(ordering: .relaxed) == Self.crowded }

  /// Adapts it to the number of clients.
  func adapt(to count: Int) { milliseconds.store(count > Self.crowd ? Self.crowded : Self.usual, ordering: .relaxed) }
}

/// A connected client: its outbox, and a stream that has an element when there is something to write, at the hub's pace.
final class Client: Sendable {
  private struct State {
    var outbox = Outbox()
    var writes = WritePace(from: .now)
    /// When it was written to last.
    var taken = ContinuousClock.now
    var isClosed = false
  }

  /// The time in which one that reads takes an answer.
  private static let patience = Duration.seconds(10)

  let id: Int
  /// Whether it can act, as a page on its WebSocket: a reader of events watches over nothing.
  let canAct: Bool
  let isReady: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let pace: Pace
  private let state: Mutex<State>
  private let seen = Mutex<(size: (width: Int, height: Int), time: ContinuousClock.Instant)?>(nil)

  init(id: Int, canAct: Bool, pace: Pace) {
    (self.id, self.canAct, self.pace) = (id, canAct, pace)
    state = Mutex(State())
    (isReady, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Works on the outbox. Its writer is woken if something waits, unless it has just written: then by what comes next, or by the hub.
  func withOutbox<Result: Sendable>(_ work: (inout Outbox) -> Result) -> Result {
    withOutbox(at: .now) { outbox, _ in work(&outbox) }
  }

  /// Puts a value into the outbox at the time that it has.
  func offer(_ frame: SampleFrame, at time: ContinuousClock.Instant) {
    withOutbox(at: time) { outbox, spacing in
      _ = outbox.offer(frame, keepingFrom: spacing.map { UInt64($0 / .microseconds(1)) })
    }
  }

  /// Works on the outbox, with the time between two values of a topic beyond which both are written; nil: the newest one alone is.
  private func withOutbox<Result: Sendable>(
    at time: ContinuousClock.Instant, _ work: (inout Outbox, _ spacing: Duration?) -> Result
  ) -> Result {
    let (result, isDue) = state.withLock { state in
      let pause = pace.pause
      let spacing = pace.isCrowded ? nil : state.writes.spacing(at: time, pause: pause)
      let result = work(&state.outbox, spacing)
      let isWaiting = !state.outbox.isEmpty
      state.writes.note(isWaiting, at: time)
      let isDue = isWaiting && (state.outbox.hasOlder || state.writes.isDue(at: time, pause: pause))
      if isDue { state.writes.wakes(at: time) }
      return (result, isDue)
    }
    if isDue { signal.yield() }
    return result
  }

  /// Takes what waits.
  func take(at time: ContinuousClock.Instant = .now) -> (texts: [String], values: [(frame: SampleFrame, lost: UInt32)])
  {
    state.withLock { state in
      // What woke the writer may have been taken already: then nothing is written.
      if state.outbox.isEmpty { state.writes.wroteNothing() } else { state.writes.wrote(at: time, pause: pace.pause) }
      state.taken = time
      return state.outbox.take()
    }
  }

  /// Waits while it is to begin no further action; false: it has not taken its answers for long.
  func hasRoom() async -> Bool {
    var last = ContinuousClock.now
    while true {
      let (isFull, waits, taken) = state.withLock {
        ($0.outbox.isFull && !$0.isClosed, $0.outbox.hasAnswers, $0.taken)
      }
      guard isFull else { return true }
      last = waits ? max(last, taken) : .now
      guard last.duration(to: .now) < Self.patience else { return false }
      guard (try? await Task.sleep(for: pace.pause / 2)) != nil else { return true }
    }
  }

  /// Wakes the writer if something waits and the pause is over.
  func wake(at time: ContinuousClock.Instant = .now) {
    let isOver = state.withLock { state in
      guard !state.outbox.isEmpty, state.writes.isOver(at: time, pause: pace.pause) else { return false }
      state.writes.wakes(at: time)
      return true
    }
    if isOver { signal.yield() }
  }

  /// Notes a frame of its camera, which nobody wants yet.
  func sees(_ frame: CameraFrame) { seen.withLock { $0 = ((frame.width, frame.height), .now) } }

  /// The size of the frame that its camera has made lately; nil: there is none.
  func cameraSize(within time: Duration) -> (width: Int, height: Int)? {
    seen.withLock { $0.flatMap { $0.time.duration(to: .now) < time ? $0.size : nil } }
  }

  /// Whether nothing more is read of it.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Ends the stream, and with it the connection.
  func close() {
    state.withLock { $0.isClosed = true }
    signal.finish()
  }
}

/// All clients, and the values on their way to them.
final class Hub: Sendable {
  /// Counts since the start.
  struct Counts: Sendable {
    var frames: UInt64 = 0
    /// Of messages, without their headers.
    var bytes: UInt64 = 0
    /// Values that newer ones replaced before they were sent.
    var lost: UInt64 = 0
    var connections: UInt64 = 0
    /// Of these, clients that can act.
    var attendances: UInt64 = 0
  }

  private struct State {
    var clients: [Int: Client] = [:]
    var sequences: [Topic: UInt32] = [:]
    var counts = Counts()
    var sources: [BinaryKind: Int] = [:]
    var next = 0
    /// Wakes the writers: one timer for all clients.
    var pacer: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let pace = Pace()
  /// The zero of the times of values.
  let start = ContinuousClock.now
  private let (topicChanges, topicSignal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// An element after each change of what clients are subscribed to.
  var changes: AsyncStream<Void> { topicChanges }

  /// Adds a client.
  func join(canAct: Bool) -> Client {
    state.withLock { state in
      state.next += 1
      state.counts.connections += 1
      if canAct { state.counts.attendances += 1 }
      let client = Client(id: state.next, canAct: canAct, pace: pace)
      state.clients[state.next] = client
      pace.adapt(to: state.clients.count)
      if state.pacer == nil {
        state.pacer = Task.detached { [weak self, pace] in await Self.wake(at: pace) { [weak self] in self?.clients } }
      }
      return client
    }
  }

  /// Removes a client.
  func leave(_ client: Client) {
    state.withLock { state in
      state.clients[client.id] = nil
      pace.adapt(to: state.clients.count)
      guard state.clients.isEmpty else { return }
      state.pacer?.cancel()
      state.pacer = nil
    }
    topicSignal.yield()
  }

  private static func wake(at pace: Pace, _ clients: @Sendable () -> [Client]?) async {
    while !Task.isCancelled, let clients = clients() {
      for client in clients { client.wake() }
      try? await Task.sleep(for: pace.pause / 8)
    }
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

  /// The client whose binary messages of a kind are wanted; nil: none.
  func source(of kind: BinaryKind) -> Int? { state.withLock { $0.sources[kind] } }

  /// Chooses the client whose binary messages of a kind are wanted.
  func setSource(of kind: BinaryKind, to client: Int?) { state.withLock { $0.sources[kind] = client } }

  /// Counts what was sent to a client.
  func sent(bytes: Int, lost: UInt64) {
    state.withLock { state in
      state.counts.bytes += UInt64(bytes)
      state.counts.lost += lost
    }
  }

  /// Sends a value to the clients of its topic.
  func publish(_ topic: Topic, _ payload: [UInt8], at now: ContinuousClock.Instant = .now) {
    let (clients, sequence) = state.withLock { state in
      state.counts.frames += 1
      let sequence = state.sequences[topic, default: 0]
      state.sequences[topic] = sequence &+ 1
      return (Array(state.clients.values), sequence)
    }
    let time = UInt64(max(0, (now - start) / .microseconds(1)))
    let frame = SampleFrame(topic, sequence: sequence, time: time, payload: payload)
    for client in clients { client.offer(frame, at: now) }
  }

  /// Sends all clients a state, in place of an older one that waits.
  func broadcast(_ text: String, state: String) {
    for client in clients { client.withOutbox { $0.state(state, text) } }
  }
}
