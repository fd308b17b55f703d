internal import CRustle

/// A native runtime whose time stands still until it is advanced, for tests.
package final class NativeRuntime: Sendable {
  private let handle: NativeHandle

  /// A runtime of one thread at time 0.
  ///
  /// - Parameter wallMilliseconds: its calendar: milliseconds since 1970-01-01T00:00:00Z.
  package init(wallMilliseconds: Int64) throws(NativeError) {
    handle = try NativeHandle(
      RUSTLE_NEW_RUNTIME_MANUAL, NativeManualRuntime(wallMilliseconds: wallMilliseconds))
  }

  /// Moves the time on and returns when everything that was due by then is done, each thing at its own time. Inside a
  /// callback it returns at once, and the work follows.
  ///
  /// - Parameter nanoseconds: by how much.
  package func advance(nanoseconds: UInt64) {
    // Refused are a stale handle, and this object owns it, and a fork, in which nothing is due.
    _ = rustle_runtime_advance(handle.raw, nanoseconds, nil)
    extendLifetime(self)
  }

  var raw: UInt64 { handle.raw }
}
