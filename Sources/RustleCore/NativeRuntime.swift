internal import CRustle

/// A native runtime whose time advances only on request, for tests.
package final class NativeRuntime: Sendable {
  private let handle: NativeHandle

  /// Creates a runtime of one thread at time 0.
  ///
  /// - Parameter wallMilliseconds: the calendar time at 0: milliseconds since 1970-01-01T00:00:00Z.
  package init(wallMilliseconds: Int64) throws(NativeError) {
    handle = try NativeHandle(
      RUSTLE_NEW_RUNTIME_MANUAL, NativeManualRuntime(wallMilliseconds: wallMilliseconds))
  }

  /// Advances the time and returns when everything due by then is done, each at its own time. Inside a callback it returns at
  /// once, and the work follows.
  ///
  /// - Parameter nanoseconds: the step.
  package func advance(nanoseconds: UInt64) {
    // The only refusals are a stale handle, which this object owns, and a fork, in which nothing is due.
    _ = rustle_runtime_advance(handle.raw, nanoseconds, nil)
    extendLifetime(self)
  }

  var raw: UInt64 { handle.raw }
}
