internal import Foundation

/// What the body of an exit test takes away from its process.
public enum ProcessLimits {
  /// Why a limit could not be set.
  public struct Failure: Error {}

  /// Sets the largest file that this process may write; the system refuses a larger one by an error and not by a signal. What
  /// fits is written, as on a disk that is full.
  public static func largestFile(_ bytes: Int) throws {
    _ = signal(SIGXFSZ, SIG_IGN)
    // Of util-linux, and so of every Linux.
    let prlimit = try Process.run(
      URL(filePath: "/usr/bin/prlimit"), arguments: ["--pid", "\(getpid())", "--fsize=\(bytes):"])
    prlimit.waitUntilExit()
    guard prlimit.terminationStatus == 0 else { throw Failure() }
  }

  /// Makes a process of root one of nobody, for whom permissions count. Any other process stays what it is.
  public static func giveUpRoot() throws {
    // The number of nobody, 65534, is the kernel's own for "no user here" (its overflowuid).
    guard getuid() != 0 || setuid(65_534) == 0 else { throw Failure() }
  }
}
