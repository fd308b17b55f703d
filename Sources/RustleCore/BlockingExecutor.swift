internal import Dispatch

/// Runs tasks that make blocking calls on a queue of its own, so that they occupy none of the threads that all tasks share.
///
/// ```swift
/// await withTaskExecutorPreference(BlockingExecutor("rustle.library")) { await reader.run() }
/// ```
package final class BlockingExecutor: TaskExecutor {
  private let queue: DispatchQueue

  /// - Parameter label: the queue's name in a debugger.
  package init(_ label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
