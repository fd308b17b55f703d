/// The native side of an engine whose sessions travel in a lane: the one owner of its handle. Dropping it cancels its
/// sessions. `Engines.swift` has a name for that of each, and its starts.
package struct NativeEngine<Element: NativeElement>: ~Copyable, Sendable {
  let lanes: NativeLanes<Element>
  /// For calls of the engine's own.
  let handle: NativeHandle
  /// Kept for as long as the engine runs on it.
  private let runtime: NativeRuntime?

  /// - Parameters:
  ///   - what: `RUSTLE_NEW_…`, whose record `configuration` is; it names `runtime`.
  ///   - lanes: those of its sessions.
  init(
    _ what: UInt32, _ lanes: NativeLanes<Element>, _ configuration: some NativeRecord, _ runtime: NativeRuntime?
  ) throws(NativeError) {
    handle = try NativeHandle(what, configuration)
    self.lanes = lanes
    self.runtime = runtime
  }

  /// Cancels every session; later starts are refused.
  package borrowing func shutDown() { handle.shutDown() }
}
