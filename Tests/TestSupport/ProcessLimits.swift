internal import Foundation

/// The limits that the body of an exit test sets for its process.
public enum ProcessLimits {
  /// Why a limit could not be set.
  public struct Failure: Error {}

  /// Sets the maximum file size of this process; the system refuses more by an error and not by a signal. The part that fits is
  /// written, as on a full disk.
  public static func largestFile(_ bytes: Int) throws {
    _ = signal(SIGXFSZ, SIG_IGN)
    // Of util-linux, and so of every Linux.
    let prlimit = try Process.run(
      URL(filePath: "/usr/bin/prlimit"), arguments: ["--pid", "\(getpid())", "--fsize=\(bytes):"])
    prlimit.waitUntilExit()
    guard prlimit.terminationStatus == 0 else { throw Failure() }
  }

  /// Leaves the processors to other processes for a twentieth of a second.
  public static func awaitOthers() throws {
    try Process.run(URL(filePath: "/bin/sleep"), arguments: ["0.05"]).waitUntilExit()
  }

  /// Changes a process of root to the user nobody, for whom permissions apply. Any other process is unchanged.
  public static func giveUpRoot() throws {
    // The number of nobody, 65534, is the kernel's own for "no user here" (its overflowuid).
    guard getuid() != 0 || setuid(65_534) == 0 else { throw Failure() }
  }
}
