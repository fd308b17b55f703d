internal import CRustle

/// A native value that is converted from a record of the C header.
protocol RecordElement: NativeElement {
  /// The engine's record.
  associatedtype Record: BitwiseCopyable

  init(_ record: Record)
}

/// The lanes' access to the sessions of one kind of engine: the value of an event's record, the values in a ring buffer, and its
/// counts.
///
/// An engine creates one where its own types are known, so that the compiler specializes the code; the lanes, which are generic
/// over the consumer's values, call it once for each event or batch.
@safe struct NativeLanes<Native: NativeElement>: Sendable {
  private let stream: UInt32
  private let eventSize: Int
  private let element: @Sendable (UnsafeRawPointer) -> Native
  let drain: @Sendable (SessionID, Int, (Span<Native>) -> Void) throws(NativeError) -> Int
  private let statistics: @Sendable (SessionID) -> RingStatistics?
  /// Counts the sessions and their values.
  var counts: LaneCounts

  /// - Parameters:
  ///   - stream: `RUSTLE_START_…`, whose record is converted to `Native`.
  ///   - engine: the engine, by its name among the counts of all streams.
  ///   - lane: the lane, likewise.
  init(_ stream: UInt32, of engine: String, _ lane: String = NativeSession.onlyLane) where Native: RecordElement {
    self.stream = stream
    counts = .of(engine, lane)
    eventSize = MemoryLayout<Native.Record>.stride
    unsafe element = { unsafe Native($0.assumingMemoryBound(to: Native.Record.self).pointee) }
    drain = { (session, most, take) throws(NativeError) in
      try drainRing(session, stream, most: most, take)
    }
    statistics = { ringStatistics($0, stream, Native.Record.self) }
  }

  /// Starts a session whose values are buffered in `lane`.
  ///
  /// - Parameters:
  ///   - engine: the engine's handle.
  ///   - reader: creates the consumer's values. Called on native threads for `perValue`, and in the consumer's task for
  ///     `batched`; it must not block.
  ///   - sequenceNumber: returns a value's number in the session.
  ///   - request: creates the request, with the native side's number of the lane.
  func start<Value>(
    on engine: UInt64, in lane: StreamBuffering, reader: ElementReader<Native, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64, _ request: (NativeLaneRequest) -> some NativeRecord
  ) throws(NativeError) -> EngineStream<Value> {
    switch lane {
    case .perValue(let capacity):
      guard StreamBuffering.capacities.contains(capacity) else {
        throw NativeError(
          status: .invalidLength, message: "capacity: expected 1 to 1048576 elements, got \(capacity)")
      }
      let events = PerValueLane(capacity: capacity, sequenceNumber: sequenceNumber)
      let session = try startCalling(
        on: engine, onElement: { events.receive(reader.value($0)) }, onEnd: { _ in events.finish() }, request)
      events.connect(to: session.id)
      return EngineStream(core: .init(session: session, source: .perValue(events)))
    case .batched(let capacity, let overflow):
      let request = request(NativeLaneRequest(capacity: capacity, lane: overflow.native))
      return try startPulling(on: engine, request) { _, values, buffer in reader.append(values, &buffer) }
    }
  }

  /// Starts a session whose values wait in a ring buffer.
  ///
  /// - Parameter append: appends the consumer's values, and before each the gap that it reports. Called in the consumer's task.
  func startPulling<Value>(
    on engine: UInt64, _ request: some NativeRecord,
    append: @escaping @Sendable (SessionID, Span<Native>, inout [StreamElement<Value>]) -> Void
  ) throws(NativeError) -> EngineStream<Value> {
    let bell = Doorbell()
    let session = try NativeSession.start(on: engine, stream, request, eventSize: eventSize, bell: bell, counts: counts)
    // By number: an engine that counts a lane's values must not retain its session.
    let id = session.id
    let frames = BatchedLane<Value>(
      bell: bell,
      drain: { (buffer, most) throws(NativeError) in try drain(id, most) { append(id, $0, &buffer) } },
      statistics: { statistics(id) })
    return EngineStream(core: .init(session: session, source: .batched(frames)))
  }

  /// Starts a session that calls a closure directly for every value.
  ///
  /// - Parameters:
  ///   - onElement: called on native threads, one call at a time; it must not block.
  ///   - onEnd: called once, after the last value.
  func startCalling(
    on engine: UInt64, onElement: @escaping @Sendable (Native) -> Void,
    onEnd: @escaping @Sendable (SessionOutcome) -> Void, _ request: (NativeLaneRequest) -> some NativeRecord
  ) throws(NativeError) -> NativeSession {
    let element = unsafe element
    let context = unsafe SinkContext(
      counts: counts,
      onEvent: { event in
        guard let event = unsafe event else { return }
        onElement(unsafe element(event))
      },
      onEnd: onEnd)
    return try NativeSession.start(
      on: engine, stream, request(NativeLaneRequest(capacity: 0, lane: .perValue)), eventSize: eventSize, context)
  }
}

extension BufferOverflow {
  fileprivate var native: NativeLane {
    switch self {
    case .dropOldest: .dropOldest
    case .dropNewest: .dropNewest
    case .conflate: .conflate
    }
  }
}

/// Passes at most `most` waiting values of a session's ring buffer to `take`, in pieces; returns their number.
private func drainRing<Native: RecordElement>(
  _ session: SessionID, _ stream: UInt32, most: Int, _ take: (Span<Native>) -> Void
) throws(NativeError) -> Int {
  // In pieces of about 16 KiB, so that a large batch needs no large scratch memory.
  let size = MemoryLayout<Native.Record>.stride
  let pieceSize = min(max(1, 16_384 / size), most)
  return try unsafe withUnsafeTemporaryAllocation(of: Native.Record.self, capacity: pieceSize) {
    scratch throws(NativeError) in
    var taken = 0
    var elements: [Native] = []
    elements.reserveCapacity(pieceSize)
    while taken < most {
      var count = 0
      let wanted = min(pieceSize, most - taken)
      do throws(NativeError) {
        try unsafe NativeError.check {
          unsafe rustle_drain(
            session.raw, stream, scratch.baseAddress, size, wanted, &count, nil,
            MemoryLayout<RustleLaneStatistics>.stride, $0)
        }
      } catch {
        // Values that were drained are delivered first: the next call throws again.
        guard taken > 0 else { throw error }
        break
      }
      elements.removeAll(keepingCapacity: true)
      for index in 0..<count { elements.append(Native(unsafe scratch[index])) }
      take(elements.span)
      taken += count
      if count < wanted { break }
    }
    return taken
  }
}

private func ringStatistics<Record>(_ session: SessionID, _ stream: UInt32, _: Record.Type) -> RingStatistics? {
  var count = 0
  var record = RustleLaneStatistics()
  let size = MemoryLayout<Record>.stride
  return NativeError.logging { () throws(NativeError) in
    try unsafe NativeError.check {
      unsafe rustle_drain(
        session.raw, stream, nil, size, 0, &count, &record, MemoryLayout<RustleLaneStatistics>.stride, $0)
    }
    return RingStatistics(
      counts: StreamStatistics(produced: record.produced, delivered: record.delivered, dropped: record.dropped),
      unreported: record.unreported)
  }
}
