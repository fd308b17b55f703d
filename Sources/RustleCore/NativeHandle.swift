internal import CRustle

/// The one owner of a native object: a generational handle that is freed with its owner.
///
/// The handle is an integer, not a pointer: the native side refuses a copy that outlives the object as stale, so that it cannot
/// reach freed memory.
struct NativeHandle: ~Copyable, Sendable {
  let raw: UInt64

  /// Takes ownership of `raw`.
  init(_ raw: UInt64) { self.raw = raw }

  /// Creates an object.
  ///
  /// - Parameter what: `RUSTLE_NEW_…`, whose record `configuration` is.
  init(_ what: UInt32, _ configuration: some NativeRecord) throws(NativeError) {
    try NativeLibrary.prepare()
    raw = try unsafe configuration.withRecord { (record, size) throws(NativeError) in
      var raw: UInt64 = 0
      try unsafe NativeError.check { unsafe rustle_new(what, record, size, &raw, $0) }
      return raw
    }
  }

  deinit { _ = rustle_free(raw, nil) }

  /// Cancels the sessions of an engine and refuses later starts.
  borrowing func shutDown() { _ = rustle_shut_down(raw, nil) }

  /// Resets the object to its beginning, with the same settings.
  borrowing func reset() throws(NativeError) {
    try unsafe NativeError.check { unsafe rustle_reset(raw, $0) }
  }
}

/// Returns the description of an object or a session.
///
/// - Parameters:
///   - what: `RUSTLE_DESCRIBE_…`, whose record `empty` is.
///   - empty: a record of that type.
func describe<Record: BitwiseCopyable>(
  _ object: UInt64, _ what: UInt32, _ empty: Record
) throws(NativeError) -> Record {
  var record = empty
  try unsafe withUnsafeMutablePointer(to: &record) { record throws(NativeError) in
    try unsafe NativeError.check { unsafe rustle_describe(object, what, record, MemoryLayout<Record>.stride, $0) }
  }
  return record
}

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

  /// Starts a session of another stream of the engine, whose values wait to be drained.
  borrowing func start<Other: RecordElement, Value: Sendable>(
    _ lanes: NativeLanes<Other>, _ request: some NativeRecord, _ reader: ElementReader<Other, Value>
  ) throws(NativeError) -> EngineStream<Value> {
    try lanes.startPulling(on: handle.raw, request) { _, values, buffer in reader.append(values, &buffer) }
  }
}
