/// The queue of waiters of a mutual exclusion, first in, first out: a value, without a lock and without tasks.
struct TurnQueue<Waiter> {
  /// A place in the queue.
  typealias Number = UInt64

  private var isTaken = false
  private var waiting: [(number: Number, waiter: Waiter)] = []
  private var lastNumber: Number = 0
  /// Places that were abandoned before a waiter waited in them.
  private var abandoned: Set<Number> = []

  /// The answer to a request for a turn.
  enum Place: Equatable {
    /// The turn of the caller.
    case first
    /// A place to wait in: ``wait(in:_:)``.
    case later(Number)
  }

  /// The number of waiters.
  var count: Int { waiting.count }

  /// Requests a turn.
  mutating func enter() -> Place {
    if !isTaken {
      isTaken = true
      return .first
    }
    lastNumber += 1
    return .later(lastNumber)
  }

  /// Waits in a place.
  ///
  /// - Returns: true when the waiter resumes at once with its turn, false when without; nil when it waits.
  mutating func wait(in place: Number, _ waiter: Waiter) -> Bool? {
    if abandoned.remove(place) != nil { return false }
    if !isTaken {
      isTaken = true
      return true
    }
    waiting.append((place, waiter))
    return nil
  }

  /// Abandons a place.
  ///
  /// - Returns: the waiter in it, to be resumed without its turn; nil when the place has no waiter yet.
  mutating func abandon(_ place: Number) -> Waiter? {
    if let index = waiting.firstIndex(where: { $0.number == place }) { return waiting.remove(at: index).waiter }
    abandoned.insert(place)
    return nil
  }

  /// Forgets a place whose task has resumed.
  mutating func forget(_ place: Number) { abandoned.remove(place) }

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
