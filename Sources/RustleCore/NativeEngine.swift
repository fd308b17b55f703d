/// The native side of an engine whose sessions deliver through lanes: the one owner of its handle. Dropping it cancels its
/// sessions. `Engines.swift` has a type alias and the starts of each.
package struct NativeEngine<Element: NativeElement>: ~Copyable, Sendable {
  let lanes: NativeLanes<Element>
  /// The handle, for calls specific to the engine.
  let handle: NativeHandle
  /// Retained while the engine runs on it.
  private let runtime: NativeRuntime?

  /// - Parameters:
  ///   - what: `RUSTLE_NEW_…`, whose record `configuration` is; it names `runtime`.
  ///   - lanes: the lanes of its sessions.
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
