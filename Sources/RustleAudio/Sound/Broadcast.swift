internal import RustleCore

/// A broadcast of values to any number of listeners, each of which gets its newest unseen value.
package final class Broadcast<Value: Sendable>: Sendable {
  private let listeners = Listeners<Value>()

  package init() {}

  deinit { finish() }

  /// Returns a stream of `first`, if there is one, and the values from now on. It ends with this object, or by ``finish()``.
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

  /// Whether there are listeners.
  package var hasListeners: Bool { !listeners.current.isEmpty }

  /// Sends a value, if there is one. Without listeners it is not computed.
  package func show(_ value: @autoclosure () -> Value?) {
    let continuations = listeners.current
    guard !continuations.isEmpty, let value = value() else { return }
    for continuation in continuations { continuation.yield(value) }
  }

  /// Ends every stream, also later ones.
  package func finish() {
    for continuation in listeners.close() { continuation.finish() }
  }
}

/// The listeners of a ``Broadcast``. The streams hold this list, not the broadcast, whose end is theirs too.
private final class Listeners<Value: Sendable>: Sendable {
  typealias Continuation = AsyncStream<Value>.Continuation

  private struct State {
    var next = 0
    var isClosed = false
    var continuations: [Int: Continuation] = [:]
  }

  private let state = SeenMutex(State())

  var current: [Continuation] { state.withLock { Array($0.continuations.values) } }

  /// The number of the new listener; nil when the list is closed.
  func add(_ continuation: Continuation) -> Int? {
    state.withLock { state in
      if state.isClosed { return nil }
      state.next += 1
      state.continuations[state.next] = continuation
      return state.next
    }
  }

  func remove(_ number: Int) {
    // Dropped outside the lock: its end may call back.
    let gone = state.withLock { $0.continuations.removeValue(forKey: number) }
    _ = gone
  }

  /// Empties and closes the list.
  func close() -> [Continuation] {
    state.withLock { state in
      state.isClosed = true
      defer { state.continuations = [:] }
      return Array(state.continuations.values)
    }
  }
}
