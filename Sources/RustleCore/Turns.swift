/// A mutual exclusion of tasks in the order of their requests, which lasts across suspensions, unlike an actor's.
package final class Turns: Sendable {
  private let queue = SeenMutex(TurnQueue<CheckedContinuation<Bool, Never>>())

  package init() {}

  /// The number of tasks that wait for their turn.
  package var waitingCount: Int { queue.withLock { $0.count } }

  /// Returns true when it is the task's turn, which ``leave()`` ends; false when the task is cancelled while it waits.
  package func take(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    guard case .later(let number) = queue.withLock({ $0.enter() }) else { return true }
    let isMine = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        if let isMine = queue.withLock({ $0.wait(for: number, turn) }) { turn.resume(returning: isMine) }
      }
    } onCancel: {
      queue.withLock { $0.abandon(number) }?.resume(returning: false)
    }
    queue.withLock { $0.forget(number) }
    return isMine
  }

  /// Ends the turn.
  package func leave() { queue.withLock { $0.leave() }?.resume(returning: true) }
}

/// The queue of waiters of a mutual exclusion, first in, first out: a value, without a lock and without tasks.
struct TurnQueue<Waiter> {
  /// A number in the queue.
  typealias Number = UInt64

  private var isTaken = false
  private var waiting: [(number: Number, waiter: Waiter)] = []
  private var lastNumber: Number = 0
  /// Turns that were abandoned before a waiter waited for them.
  private var abandoned: Set<Number> = []

  /// The answer to a request for a turn.
  enum Answer: Equatable {
    /// The turn of the caller.
    case first
    /// The number to wait with: ``wait(for:_:)``.
    case later(Number)
  }

  /// The number of waiters.
  var count: Int { waiting.count }

  /// Requests a turn.
  mutating func enter() -> Answer {
    if !isTaken {
      isTaken = true
      return .first
    }
    lastNumber += 1
    return .later(lastNumber)
  }

  /// Waits for a turn.
  ///
  /// - Returns: true when the waiter resumes at once with its turn, false when without; nil when it waits.
  mutating func wait(for number: Number, _ waiter: Waiter) -> Bool? {
    if abandoned.remove(number) != nil { return false }
    if !isTaken {
      isTaken = true
      return true
    }
    waiting.append((number, waiter))
    return nil
  }

  /// Abandons a turn.
  ///
  /// - Returns: its waiter, to be resumed without its turn; nil when it has no waiter yet.
  mutating func abandon(_ number: Number) -> Waiter? {
    if let index = waiting.firstIndex(where: { $0.number == number }) { return waiting.remove(at: index).waiter }
    abandoned.insert(number)
    return nil
  }

  /// Forgets a turn whose task has resumed.
  mutating func forget(_ number: Number) { abandoned.remove(number) }

  /// Ends a turn.
  ///
  /// - Returns: the waiter whose turn it is now.
  mutating func leave() -> Waiter? {
    if waiting.isEmpty {
      isTaken = false
      return nil
    }
    return waiting.removeFirst().waiter
  }
}
