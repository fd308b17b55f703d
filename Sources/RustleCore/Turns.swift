internal import Synchronization

/// Lets one task in at a time, in the order in which they ask, also where an actor would let the next one in while the one before
/// it waits.
package final class Turns: Sendable {
  private let queue = Mutex(TurnQueue<CheckedContinuation<Bool, Never>>())
  /// Touched at both ends of every access: orders them for ThreadSanitizer, which does not see the mutex's futex on Linux.
  private let order = Atomic<Bool>(false)

  package init() {}

  /// The number of tasks that wait for their turn.
  package var waitingCount: Int { access { $0.count } }

  /// Returns when it is the task's turn; whoever gets true calls ``leave()``. A task that is cancelled while it waits gets false.
  package func take(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    guard case .later(let place) = access({ $0.enter() }) else { return true }
    let isMine = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        if let isMine = access({ $0.wait(in: place, turn) }) { turn.resume(returning: isMine) }
      }
    } onCancel: {
      access { $0.giveUp(place) }?.resume(returning: false)
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
