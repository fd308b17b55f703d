internal import Synchronization

/// A mutex that ThreadSanitizer sees: of the futex of `Synchronization.Mutex` it knows nothing on Linux.
package struct SeenMutex<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  /// Its changes are ordered as those of the value.
  private let turns = Atomic<UInt64>(0)

  package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { value throws(Failure) in
      _ = turns.load(ordering: .acquiring)
      defer { turns.add(1, ordering: .releasing) }
      return try body(&value)
    }
  }
}
