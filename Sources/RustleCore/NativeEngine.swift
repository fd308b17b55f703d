/// The native side of an engine whose sessions need nothing but a lane: the one owner of its handle. Dropping it cancels its
/// sessions. `Generated/Engines.swift` has a name for that of each.
package struct NativeEngine<Element: NativeElement>: ~Copyable, Sendable {
  private let lanes: NativeLanes<Element>
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

  /// Starts a session.
  ///
  /// - Parameters:
  ///   - lane: how the values travel.
  ///   - reader: makes the consumer's values. Called on native threads for the events lane, and in the consumer's task for a
  ///     frame lane; it must not block.
  ///   - sequenceNumber: gives back a value's number in the session.
  package borrowing func start<Value: Sendable>(
    lane: Lane, reader: ElementReader<Element, Value>, sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(NativeError) -> EngineStream<Value> {
    try lanes.start(on: handle.raw, in: lane, reader: reader, sequenceNumber: sequenceNumber) { $0 }
  }

  /// Cancels every session; later starts are refused.
  package borrowing func shutDown() { handle.shutDown() }
}
