internal import Synchronization

/// An event that happens once, on any thread, and the tasks that wait for it.
///
/// It fires on the callback path, where `Synchronization.Mutex` is not an option (ThreadSanitizer does not see its futex on
/// Linux): the waiting tasks are in a list that is linked by atomic exchange. Cancelling a waiting task does not end its wait, as
/// the event always happens.
package final class OneShot: Sendable {
  /// 0: not fired, no waiter. 1: fired. Otherwise the address of the newest waiter, retained by the list.
  private let head = Atomic<UInt>(0)
  private static let fired: UInt = 1

  package init() {}

  /// Whether it has happened.
  package var isFired: Bool { head.load(ordering: .acquiring) == Self.fired }

  /// Resumes every waiting task, present and future. Only the first call has an effect.
  package func fire() {
    var next = head.exchange(Self.fired, ordering: .acquiringAndReleasing)
    while next != 0 && next != Self.fired {
      let waiter = Waiter.adopt(next)
      next = waiter.next
      waiter.continuation.resume()
    }
  }

  /// Returns once it has happened.
  package func wait() async {
    await withCheckedContinuation { continuation in
      let waiter = Waiter(continuation)
      let address = waiter.retainedAddress()
      var seen = head.load(ordering: .acquiring)
      while seen != Self.fired {
        waiter.next = seen
        let (exchanged, original) = head.weakCompareExchange(
          expected: seen, desired: address, ordering: .acquiringAndReleasing)
        if exchanged { return }
        seen = original
      }
      Waiter.adopt(address).continuation.resume()
    }
  }

  /// A waiting task. One thread at a time owns it: the waiting one until the exchange, the firing one after.
  private final class Waiter: Addressed {
    let continuation: CheckedContinuation<Void, Never>
    var next: UInt = 0

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
  }
}

/// A final class whose objects are passed between threads by address, in an atomic.
protocol Addressed: AnyObject {}

extension Addressed {
  /// Returns the object's address, with a reference to it.
  func retainedAddress() -> UInt { unsafe UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()) }

  /// Takes back the reference of `retainedAddress`.
  static func adopt(_ address: UInt) -> Self {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else {
      preconditionFailure("an object's address is 0")
    }
    return unsafe Unmanaged<Self>.fromOpaque(pointer).takeRetainedValue()
  }
}

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
