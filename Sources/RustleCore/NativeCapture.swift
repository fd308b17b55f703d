internal import CRustle

/// A few frames of captured sound, as the native side gives them.
package struct NativeSoundBlock: RecordElement, Hashable {
  package let sequence: UInt64
  /// The number of the first frame since the capture began; frames that are known to be lost are counted.
  package let position: UInt64
  /// Frames lost just before, between the device and the lane.
  package let lost: UInt64
  package let overruns: Int
  /// Whole frames, interleaved.
  package let samples: [Float]
  /// Blocks that were lost just before this one; 0 on the events lane.
  package let gap: UInt64

  init(_ block: RustleSoundBlock) {
    sequence = block.sequence
    position = block.position
    lost = block.lost
    overruns = Int(block.overruns)
    gap = UInt64(block.gap)
    let count = min(Int(block.frames) * Int(block.channels), Int(RUSTLE_BLOCK_SAMPLES))
    samples = unsafe withUnsafeBytes(of: block.samples) { bytes in
      unsafe Array(bytes.bindMemory(to: Float.self).prefix(count))
    }
  }
}

/// A native capture: the one owner of its handle. Dropping it cancels its sessions.
package struct NativeCapture: ~Copyable, Sendable {
  private static let lanes = unsafe NativeLanes<NativeSoundBlock> {
    unsafe rustle_capture_drain($0, $1, $2, $3, $4, $5)
  }

  private let handle: NativeHandle
  /// Kept for as long as the capture runs on it.
  private let runtime: NativeRuntime?

  /// - Parameter runtime: a manual one for tests; nil for the one that all engines share.
  package init(_ configuration: NativeSoundConfiguration, runtime: NativeRuntime? = nil) throws(NativeError) {
    try NativeLibrary.prepare()
    var raw: UInt64 = 0
    try unsafe configuration.withRecord(runtime: runtime) { record throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_capture_new(record, &raw, $0) }
    }
    handle = NativeHandle(raw) { raw in _ = rustle_capture_free(raw, nil) }
    self.runtime = runtime
  }

  /// Opens the device and starts a session.
  package borrowing func start<Value: Sendable>(
    lane: Lane, reader: ElementReader<NativeSoundBlock, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(NativeError) -> EngineStream<Value> {
    let capture = handle.raw
    return try Self.lanes.start(in: lane, reader: reader, sequenceNumber: sequenceNumber) {
      (context, lane, capacity) throws(NativeError) in
      var raw: UInt64 = 0
      try unsafe context.start { sink throws(NativeError) in
        try unsafe NativeError.check { unsafe rustle_capture_start(capture, lane, capacity, sink, &raw, $0) }
      }
      return NativeSession(raw, context: context)
    }
  }

  /// Cancels every session; later starts are refused.
  package borrowing func shutDown() { _ = rustle_capture_shut_down(handle.raw, nil) }
}
