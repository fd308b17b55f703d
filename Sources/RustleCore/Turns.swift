internal import Synchronization

/// A mutual exclusion of tasks in the order of their requests, which lasts across suspensions, unlike an actor's.
package final class Turns: Sendable {
  private let queue = Mutex(TurnQueue<CheckedContinuation<Bool, Never>>())
  /// Accessed at both ends of every critical section: orders them for ThreadSanitizer, which does not see the mutex's futex on
  /// Linux.
  private let order = Atomic<Bool>(false)

  package init() {}

  /// The number of tasks that wait for their turn.
  package var waitingCount: Int { access { $0.count } }

  /// Returns true when it is the task's turn, which ``leave()`` ends; false when the task is cancelled while it waits.
  package func take(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    guard case .later(let place) = access({ $0.enter() }) else { return true }
    let isMine = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        if let isMine = access({ $0.wait(in: place, turn) }) { turn.resume(returning: isMine) }
      }
    } onCancel: {
      access { $0.abandon(place) }?.resume(returning: false)
    }
    access { $0.forget(place) }
    return isMine
  }

  /// Ends the turn.
  package func leave() { access { $0.leave() }?.resume(returning: true) }

  private func access<Result: Sendable>(
    _ body: (inout TurnQueue<CheckedContinuation<Bool, Never>>) -> Result
  ) -> Result {
    queue.withLock { queue in
      _ = order.load(ordering: .acquiring)
      defer { order.store(true, ordering: .releasing) }
      return body(&queue)
    }
  }
}
