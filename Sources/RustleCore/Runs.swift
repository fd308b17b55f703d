/// The runs of a view model, of which only the newest is shown; dropping this object ends them.
///
/// ```swift
/// func start() {
///   let run = runs.overtake()
///   isRunning = true
///   runs.perform(run) { [weak self] in
///     for await value in values {
///       guard let self, runs.newest == run else { return }
///       show(value)
///     }
///   }
/// }
///
/// func stop() async {
///   runs.overtake()
///   isRunning = false
///   await runs.finished()
/// }
/// ```
@MainActor
package final class Runs {
  /// A run, or the time after an end.
  package typealias Run = RunMachine<Task<Void, Never>>.Run

  private var machine = RunMachine<Task<Void, Never>>()
  /// The unfinished ends of previous calls.
  private var ending: Task<Void, Never>?

  /// Creates an object without runs.
  package init() {}

  deinit { for task in machine.unfinished { task.cancel() } }

  /// The current run; work of other runs shows nothing any more.
  package var newest: Run { machine.newest }

  /// Begins a run, or an end, and cancels the work of the current run.
  @discardableResult
  package func overtake() -> Run {
    for task in machine.overtake() { task.cancel() }
    return machine.newest
  }

  /// Performs work in a new task; does nothing when the run was replaced.
  ///
  /// - Parameter work: does not retain the model, so that the model can be freed while the work waits.
  package func perform(_ run: Run, _ work: @escaping @MainActor () async -> Void) {
    guard let operation = machine.operation(of: run) else { return }
    machine.began(
      operation,
      Task { [weak self] in
        await work()
        self?.machine.finished(operation)
      })
  }

  /// Shows the values of a stream until it ends or the run is replaced.
  ///
  /// - Parameters:
  ///   - stream: opens it.
  ///   - show: shows a value. Like `end`, it does not retain the model.
  ///   - end: takes the stream, or the error that prevented it; not called for a run that was replaced.
  package func perform<Value, Failure: Error>(
    _ run: Run, of stream: @escaping @Sendable () async throws(Failure) -> EngineStream<Value>,
    show: @escaping @MainActor (Value) -> Void,
    end: @escaping @MainActor (Result<EngineStream<Value>, Failure>) -> Void
  ) {
    perform(run) { [weak self] in
      let result: Result<EngineStream<Value>, Failure>
      do throws(Failure) {
        let stream = try await stream()
        for await element in stream {
          guard self?.newest == run else { return }
          if let value = element.value { show(value) }
        }
        result = .success(stream)
      } catch {
        result = .failure(error)
      }
      if self?.newest == run { end(result) }
    }
  }

  /// Returns when the work so far has finished. The caller has replaced its run, or the work ends on its own.
  package func finished() async {
    for task in machine.unfinished { await task.value }
  }

  /// Returns when the work so far has finished and `end` has returned. The ends of several calls run one after the other, so that
  /// a late one affects no newer run.
  package func finished(by end: @escaping @MainActor () async -> Void) async {
    let (before, tasks) = (ending, machine.unfinished)
    let mine = Task {
      await before?.value
      await end()
      for task in tasks { await task.value }
    }
    ending = mine
    await mine.value
  }
}

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
