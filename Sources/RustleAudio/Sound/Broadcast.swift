internal import Synchronization

/// Shows values to any number of listeners, each of which sees the newest that it has not seen.
package final class Broadcast<Value: Sendable>: Sendable {
  private struct Listeners {
    var next = 0
    var isFinished = false
    var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
  }

  private let listeners = Mutex(Listeners())
  /// Touched at both ends of every access: orders them for ThreadSanitizer, which does not see the mutex's futex on Linux.
  private let order = Atomic<Bool>(false)

  package init() {}

  deinit {
    for continuation in access({ $0.continuations }).values { continuation.finish() }
  }

  /// A stream of what is shown from now on, after `first` if there is one. It ends with this object, or by ``finish()``.
  package func stream(after first: Value? = nil) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    if let first { continuation.yield(first) }
    let number = access { listeners -> Int? in
      if listeners.isFinished { return nil }
      listeners.next += 1
      listeners.continuations[listeners.next] = continuation
      return listeners.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  /// Shows a value, if there is one. It is not even made while nobody listens.
  package func show(_ value: @autoclosure () -> Value?) {
    let continuations = access { $0.continuations }
    guard !continuations.isEmpty, let value = value() else { return }
    for continuation in continuations.values { continuation.yield(value) }
  }

  /// Ends every stream, also those that are asked for later.
  package func finish() {
    let continuations = access { listeners in
      listeners.isFinished = true
      defer { listeners.continuations = [:] }
      return listeners.continuations
    }
    for continuation in continuations.values { continuation.finish() }
  }

  private func access<Result: Sendable>(_ body: (inout Listeners) -> Result) -> Result {
    listeners.withLock { listeners in
      _ = order.load(ordering: .acquiring)
      defer { order.store(true, ordering: .releasing) }
      return body(&listeners)
    }
  }

  private func forget(_ number: Int) {
    // Dropped outside the lock: its end may call back.
    let gone = access { $0.continuations.removeValue(forKey: number) }
    _ = gone
  }
}
