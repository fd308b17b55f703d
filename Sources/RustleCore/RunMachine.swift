/// The state of successive runs, each of which replaces the previous one: a value, without tasks.
///
/// A run has any number of operations. Another run or an end replaces it and cancels its work; cancelled work takes a moment
/// to finish, and an end waits for all unfinished work.
package struct RunMachine<Work> {
  /// A run, or the time after an end.
  package struct Run: Sendable, Hashable {
    fileprivate let number: UInt64
  }

  /// An operation of a run.
  package struct Operation: Sendable, Hashable {
    fileprivate let run: Run
    fileprivate let number: UInt64
  }

  /// The current run.
  package private(set) var newest = Run(number: 0)
  private var operations: [(operation: Operation, work: Work)] = []
  private var lastNumber: UInt64 = 0

  /// Creates a machine without runs.
  package init() {}

  /// The unfinished work, the oldest first.
  package var unfinished: [Work] { operations.map(\.work) }

  /// Begins a run, or an end, and replaces the current run.
  ///
  /// - Returns: the work to cancel, without that of runs replaced before.
  package mutating func overtake() -> [Work] {
    let overtaken = operations.filter { $0.operation.run == newest }.map(\.work)
    newest = Run(number: newest.number + 1)
    return overtaken
  }

  /// Returns a new operation of a run; nil, with nothing to begin, when the run was replaced.
  package mutating func operation(of run: Run) -> Operation? {
    guard run == newest else { return nil }
    lastNumber += 1
    return Operation(run: run, number: lastNumber)
  }

  /// Records that work began.
  package mutating func began(_ operation: Operation, _ work: Work) { operations.append((operation, work)) }

  /// Records that work finished.
  package mutating func finished(_ operation: Operation) { operations.removeAll { $0.operation == operation } }
}

extension RunMachine: Sendable where Work: Sendable {}
