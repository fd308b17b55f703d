internal import Dispatch

/// Runs tasks that open and close sound devices, on a thread of their own: the system may not answer for long, or never.
final class DeviceExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "rustle.studio.devices")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
