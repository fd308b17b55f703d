internal import Synchronization

/// Shows values to any number of listeners, each of which sees the newest that it has not seen.
package final class Broadcast<Value: Sendable>: Sendable {
  private let listeners = Listeners<Value>()

  package init() {}

  deinit { finish() }

  /// A stream of what is shown from now on, after `first` if there is one. It ends with this object, or by ``finish()``.
  package func stream(after first: Value? = nil) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    if let first { continuation.yield(first) }
    guard let number = listeners.add(continuation) else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [listeners] _ in listeners.remove(number) }
    return stream
  }

  /// Whether anybody listens.
  package var hasListeners: Bool { !listeners.current.isEmpty }

  /// Shows a value, if there is one. It is not even made while nobody listens.
  package func show(_ value: @autoclosure () -> Value?) {
    let continuations = listeners.current
    guard !continuations.isEmpty, let value = value() else { return }
    for continuation in continuations { continuation.yield(value) }
  }

  /// Ends every stream, also those that are asked for later.
  package func finish() {
    for continuation in listeners.close() { continuation.finish() }
  }
}

/// Who listens to a ``Broadcast``. The streams' ends hold this list, not the broadcast, whose own end is theirs too.
private final class Listeners<Value: Sendable>: Sendable {
  typealias Continuation = AsyncStream<Value>.Continuation

  private struct State {
    var next = 0
    var isClosed = false
    var continuations: [Int: Continuation] = [:]
  }

  private let state = Mutex(State())
  /// Touched at both ends of every access: orders them for ThreadSanitizer, which does not see the mutex's futex on Linux.
  private let order = Atomic<Bool>(false)

  var current: [Continuation] { access { Array($0.continuations.values) } }

  /// The number of the new listener, none when the list is closed.
  func add(_ continuation: Continuation) -> Int? {
    access { state in
      if state.isClosed { return nil }
      state.next += 1
      state.continuations[state.next] = continuation
      return state.next
    }
  }

  func remove(_ number: Int) {
    // Dropped outside the lock: its end may call back.
    let gone = access { $0.continuations.removeValue(forKey: number) }
    _ = gone
  }

  /// Empties the list for good.
  func close() -> [Continuation] {
    access { state in
      state.isClosed = true
      defer { state.continuations = [:] }
      return Array(state.continuations.values)
    }
  }

  private func access<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      _ = order.load(ordering: .acquiring)
      defer { order.store(true, ordering: .releasing) }
      return body(&state)
    }
  }
}
