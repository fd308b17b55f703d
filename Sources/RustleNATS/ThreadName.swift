#if NATS
internal import Foundation

/// The name of the calling thread, which the threads have that it makes.
enum ThreadName {
  /// Runs `work` while the thread has a name of 15 bytes at most; on Linux only.
  static func with<Result>(_ name: String, _ work: () -> Result) -> Result {
    let file = "/proc/thread-self/comm"
    let before = try? String(contentsOfFile: file, encoding: .utf8)
    try? Data(name.utf8).write(to: URL(filePath: file))
    defer { if let before { try? Data(before.dropLast().utf8).write(to: URL(filePath: file)) } }
    return work()
  }
}
#endif
