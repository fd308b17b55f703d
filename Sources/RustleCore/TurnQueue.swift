/// Who comes next where one is let in at a time: a value, without a lock and without tasks.
struct TurnQueue<Waiter> {
  /// A place in the queue.
  typealias Number = UInt64

  private var isTaken = false
  private var waiting: [(number: Number, waiter: Waiter)] = []
  private var lastNumber: Number = 0
  /// Places that were given up before anybody waited in them.
  private var givenUp: Set<Number> = []

  /// What becomes of a task that asks for its turn.
  enum Place: Equatable {
    /// It is its turn.
    case first
    /// It waits in this place: ``wait(in:_:)``.
    case later(Number)
  }

  /// The number of those who wait.
  var count: Int { waiting.count }

  /// Asks for a turn.
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
  /// - Returns: whether the waiter is let go at once, and how: with its turn (true) or without (false); nil while it waits.
  mutating func wait(in place: Number, _ waiter: Waiter) -> Bool? {
    if givenUp.remove(place) != nil { return false }
    if !isTaken {
      isTaken = true
      return true
    }
    waiting.append((place, waiter))
    return nil
  }

  /// Gives a place up.
  ///
  /// - Returns: the waiter in it, to be let go without its turn; nil when nobody waits in it yet.
  mutating func giveUp(_ place: Number) -> Waiter? {
    if let index = waiting.firstIndex(where: { $0.number == place }) { return waiting.remove(at: index).waiter }
    givenUp.insert(place)
    return nil
  }

  /// Forgets a place: the task that asked for it goes on.
  mutating func forget(_ place: Number) { givenUp.remove(place) }

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
