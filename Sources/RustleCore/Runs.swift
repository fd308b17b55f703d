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
