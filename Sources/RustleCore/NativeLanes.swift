internal import CRustle

/// A native value that is made from a record of the C header.
protocol RecordElement: NativeElement {
  /// The engine's record.
  associatedtype Record: BitwiseCopyable

  init(_ record: Record)
}

/// The C function `rustle_NAME_drain`.
typealias RingDrain<Record> =
  @Sendable (
    UInt64, UnsafeMutablePointer<Record>?, Int, UnsafeMutablePointer<Int>?,
    UnsafeMutablePointer<RustleLaneStatistics>?, UnsafeMutablePointer<RustleError>?
  ) -> RustleStatus

/// How the lanes reach the sessions of one kind of engine: what an event's record says, what waits in a ring, and its counts.
///
/// An engine makes one with its own types at hand, so that the compiler makes code for them; the lanes, which are generic over
/// the consumer's values, call it once for each event or batch.
@safe struct NativeLanes<Native: NativeElement>: Sendable {
  /// Makes the sink's context into a session, in a lane and with a capacity as the header numbers them.
  typealias Start = (SinkContext, UInt32, Int) throws(NativeError) -> NativeSession

  private let element: @Sendable (UnsafeRawPointer) -> Native
  private let drain: @Sendable (SessionID, Int, (Span<Native>) -> Void) -> Int
  private let statistics: @Sendable (SessionID) -> RingStatistics?

  init(_ cDrain: @escaping RingDrain<Native.Record>) where Native: RecordElement {
    unsafe element = { unsafe Native($0.assumingMemoryBound(to: Native.Record.self).pointee) }
    drain = { unsafe drainRing($0, most: $1, cDrain, $2) }
    statistics = { unsafe ringStatistics($0, cDrain) }
  }

  /// Starts a session whose values travel in `lane`.
  ///
  /// - Parameters:
  ///   - reader: makes the consumer's values. Called on native threads for the events lane, and in the consumer's task for a
  ///     frame lane; it must not block.
  ///   - sequenceNumber: gives back a value's number in the session.
  ///   - start: starts the session.
  func start<Value>(
    in lane: Lane, reader: ElementReader<Native, Value>, sequenceNumber: @escaping @Sendable (Value) -> UInt64,
    _ start: Start
  ) throws(NativeError) -> EngineStream<Value> {
    switch lane {
    case .events(let capacity):
      guard Lane.capacities.contains(capacity) else {
        throw NativeError(
          status: .invalidLength, message: "expected a lane of 1 to 1048576 elements, got \(capacity)")
      }
      let events = EventLane(capacity: capacity, sequenceNumber: sequenceNumber)
      let session = try startCalling(
        onElement: { events.receive(reader.value($0)) }, onEnd: { _ in events.finish() }, start)
      events.connect(to: session.id)
      return EngineStream(core: .init(session: session, source: .events(events)))
    case .frames(let capacity, let overflow):
      return try startPulling(append: { _, values, buffer in reader.append(values, &buffer) }) {
        context throws(NativeError) in
        try start(context, overflow.native, max(0, capacity))
      }
    }
  }

  /// Starts a session whose values wait in a ring.
  ///
  /// - Parameters:
  ///   - append: appends the consumer's values, and before each the gap that it tells of. Called in the consumer's task.
  ///   - start: starts the session.
  func startPulling<Value>(
    append: @escaping @Sendable (SessionID, Span<Native>, inout [StreamElement<Value>]) -> Void,
    _ start: (SinkContext) throws(NativeError) -> NativeSession
  ) throws(NativeError) -> EngineStream<Value> {
    let bell = Doorbell()
    let context = unsafe SinkContext(onEvent: { _ in bell.ring() }, onEnd: { _ in bell.finish() })
    let session = try start(context)
    // By number: an engine that counts a lane's values must not keep its session.
    let id = session.id
    let frames = FrameLane<Value>(
      bell: bell, drain: { buffer, most in drain(id, most) { append(id, $0, &buffer) } },
      statistics: { statistics(id) })
    return EngineStream(core: .init(session: session, source: .frames(frames)))
  }

  /// Starts a session that calls for every value, with nothing in between.
  ///
  /// - Parameters:
  ///   - onElement: called on native threads, one call at a time; it must not block.
  ///   - onEnd: called once, after the last value.
  ///   - start: starts the session.
  func startCalling(
    onElement: @escaping @Sendable (Native) -> Void, onEnd: @escaping @Sendable (SessionOutcome) -> Void,
    _ start: Start
  ) throws(NativeError) -> NativeSession {
    let element = unsafe element
    let context = unsafe SinkContext(
      onEvent: { event in
        guard let event = unsafe event else { return }
        onElement(unsafe element(event))
      },
      onEnd: onEnd)
    return try start(context, UInt32(RUSTLE_LANE_EVENTS), 0)
  }
}

extension LaneOverflow {
  fileprivate var native: UInt32 {
    switch self {
    case .dropOldest: UInt32(RUSTLE_LANE_DROP_OLDEST)
    case .dropNewest: UInt32(RUSTLE_LANE_DROP_NEWEST)
    case .keepLatest: UInt32(RUSTLE_LANE_KEEP_LATEST)
    }
  }
}

/// Hands at most `most` waiting values of a session's ring to `take`, in pieces; returns how many there were.
private func drainRing<Native: RecordElement>(
  _ session: SessionID, most: Int, _ cDrain: RingDrain<Native.Record>, _ take: (Span<Native>) -> Void
) -> Int {
  // Fetched in pieces of about 16 KiB: a large batch needs no large scratch.
  let pieceSize = min(max(1, 16_384 / MemoryLayout<Native.Record>.stride), most)
  return unsafe withUnsafeTemporaryAllocation(of: Native.Record.self, capacity: pieceSize) { scratch in
    var taken = 0
    var elements: [Native] = []
    elements.reserveCapacity(pieceSize)
    while taken < most {
      var count = 0
      let wanted = min(pieceSize, most - taken)
      // The one refusal is a stale session, which has nothing to drain.
      guard unsafe cDrain(session.raw, scratch.baseAddress, wanted, &count, nil, nil) == RUSTLE_OK else { break }
      elements.removeAll(keepingCapacity: true)
      for index in 0..<count { elements.append(Native(unsafe scratch[index])) }
      take(elements.span)
      taken += count
      if count < wanted { break }
    }
    return taken
  }
}

private func ringStatistics<Record>(_ session: SessionID, _ cDrain: RingDrain<Record>) -> RingStatistics? {
  var count = 0
  var record = RustleLaneStatistics()
  guard unsafe cDrain(session.raw, nil, 0, &count, &record, nil) == RUSTLE_OK else { return nil }
  return RingStatistics(
    counts: StreamStatistics(produced: record.produced, delivered: record.delivered, dropped: record.dropped),
    untold: record.untold)
}
