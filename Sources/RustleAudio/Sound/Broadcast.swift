internal import Synchronization

/// Shows values to any number of listeners, each of which sees the newest that it has not seen.
package final class Broadcast<Value: Sendable>: Sendable {
  private struct Listeners {
    var next = 0
    var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
  }

  private let listeners = Mutex(Listeners())

  package init() {}

  deinit {
    for continuation in listeners.withLock({ $0.continuations }).values { continuation.finish() }
  }

  /// A stream of what is shown from now on, after `first` if there is one. It ends with this object.
  package func stream(after first: Value? = nil) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    if let first { continuation.yield(first) }
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.continuations[listeners.next] = continuation
      return listeners.next
    }
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  /// Shows a value. Costs little while nobody listens.
  package func show(_ value: @autoclosure () -> Value) {
    let continuations = listeners.withLock { $0.continuations }
    guard !continuations.isEmpty else { return }
    let value = value()
    for continuation in continuations.values { continuation.yield(value) }
  }

  private func forget(_ number: Int) {
    // Dropped outside the lock: its end may call back.
    let gone = listeners.withLock { $0.continuations.removeValue(forKey: number) }
    _ = gone
  }
}
