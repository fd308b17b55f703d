internal import CRustle

/// How far a playback has come, as the native side gives it.
package struct NativePlaybackProgress: RecordElement, Hashable {
  package let sequence: UInt64
  package let position: UInt64
  package let played: UInt64
  package let queued: UInt64
  package let starved: UInt64
  package let underruns: Int
  /// Records that were lost just before this one; 0 on the events lane.
  package let gap: UInt64

  init(_ progress: RustlePlaybackProgress) {
    sequence = progress.sequence
    position = progress.position
    played = progress.played
    queued = progress.queued
    starved = progress.starved
    underruns = Int(progress.underruns)
    gap = UInt64(progress.gap)
  }
}

/// A native playback: the one owner of its handle. Dropping it cancels its sessions.
package struct NativePlayback: ~Copyable, Sendable {
  private static let lanes = unsafe NativeLanes<NativePlaybackProgress> {
    unsafe rustle_playback_drain($0, $1, $2, $3, $4, $5)
  }

  private let handle: NativeHandle
  /// Kept for as long as the playback runs on it.
  private let runtime: NativeRuntime?

  /// - Parameter runtime: a manual one for tests; nil for the one that all engines share.
  package init(_ configuration: NativeSoundConfiguration, runtime: NativeRuntime? = nil) throws(NativeError) {
    try NativeLibrary.prepare()
    var raw: UInt64 = 0
    try unsafe configuration.withRecord(runtime: runtime) { record throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_playback_new(record, &raw, $0) }
    }
    handle = NativeHandle(raw) { raw in _ = rustle_playback_free(raw, nil) }
    self.runtime = runtime
  }

  /// Opens the device and starts a session, whose sound is given to it by its number.
  package borrowing func start<Value: Sendable>(
    lane: Lane, reader: ElementReader<NativePlaybackProgress, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(NativeError) -> (stream: EngineStream<Value>, session: PlaybackID) {
    let playback = handle.raw
    let stream = try Self.lanes.start(in: lane, reader: reader, sequenceNumber: sequenceNumber) {
      (context, lane, capacity) throws(NativeError) in
      var raw: UInt64 = 0
      try unsafe context.start { sink throws(NativeError) in
        try unsafe NativeError.check { unsafe rustle_playback_start(playback, lane, capacity, sink, &raw, $0) }
      }
      return NativeSession(raw, context: context)
    }
    return (stream, PlaybackID(session: stream.core.session.id))
  }

  /// Cancels every session; later starts are refused.
  package borrowing func shutDown() { _ = rustle_playback_shut_down(handle.raw, nil) }
}

/// A playback's session by its number. A number that outlives its session is stale: a call with it is refused.
package struct PlaybackID: Sendable, Hashable {
  let session: SessionID

  /// Gives the session the first of the samples, as many whole frames as there is room for; returns how many samples that is.
  package func write(_ samples: Span<Float>) throws(NativeError) -> Int {
    var taken = 0
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_playback_write(session.raw, samples.baseAddress, samples.count, &taken, $0)
      }
    }
    return taken
  }

  /// Asks for the session's end; does nothing when it is gone.
  package func cancel() { session.cancel() }

  /// Says that there is no more; does nothing when the session is gone.
  package func finish() { _ = rustle_playback_finish(session.raw, nil) }
}
