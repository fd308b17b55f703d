/// The runs of a view model, of which the last one counts; dropping it ends them.
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
  /// What the calls before have still to end.
  private var ending: Task<Void, Never>?

  /// Nothing runs.
  package init() {}

  deinit { for task in machine.unfinished { task.cancel() } }

  /// The run that counts: what was begun for another one shows nothing any more.
  package var newest: Run { machine.newest }

  /// Begins a run, or an end, in the place of what ran, whose work is cancelled.
  @discardableResult
  package func overtake() -> Run {
    for task in machine.overtake() { task.cancel() }
    return machine.newest
  }

  /// Does work in a task of its own; nothing when the run was overtaken.
  ///
  /// - Parameter work: does not keep the model, so that the model can go while it waits.
  package func perform(_ run: Run, _ work: @escaping @MainActor () async -> Void) {
    guard let piece = machine.piece(of: run) else { return }
    machine.began(
      piece,
      Task { [weak self] in
        await work()
        self?.machine.left(piece)
      })
  }

  /// Returns when the work so far has left. The caller has overtaken it, or it ends by itself.
  package func finished() async {
    for task in machine.unfinished { await task.value }
  }

  /// Returns when the work so far has left and `end` was called. The ends of several calls come one after the other: one that is
  /// late finds nothing newer.
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
