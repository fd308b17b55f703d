internal import Synchronization

/// A mutex that ThreadSanitizer sees: of the futex of `Synchronization.Mutex` it knows nothing on Linux.
package struct SeenMutex<Value: Sendable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  /// Its changes are ordered as those of the value.
  private let turns = Atomic<UInt64>(0)

  package init(_ value: Value) { mutex = Mutex(value) }

  package borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { value in
      _ = turns.load(ordering: .acquiring)
      defer { turns.add(1, ordering: .releasing) }
      return body(&value)
    }
  }
}
