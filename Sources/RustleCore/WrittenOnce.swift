internal import Synchronization

/// A value that is written at most once, by any thread, and read by others.
final class WrittenOnce<Value: Sendable>: Sendable {
  private let box = AtomicLazyReference<Box>()
  /// Set after the value and read before it: orders the two for ThreadSanitizer, which does not instrument the box's type.
  private let isWritten = Atomic<Bool>(false)

  /// The value; nil before it is written.
  var value: Value? { isWritten.load(ordering: .acquiring) ? box.load()?.value : nil }

  /// Writes the value; returns false when there is one already.
  @discardableResult
  func write(_ value: Value) -> Bool {
    let mine = Box(value)
    guard box.storeIfNil(mine) === mine else { return false }
    isWritten.store(true, ordering: .releasing)
    return true
  }

  private final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
