internal import Synchronization

/// The counts of all streams of one lane that this process has started, ended ones included.
///
/// The callback path adds to them without a lock.
final class LaneCounts: Sendable {
  /// How a stream ended.
  enum End: String, CaseIterable {
    case ended, cancelled, failed, panicked

    init(_ outcome: SessionOutcome) {
      self =
        switch outcome {
        case .ended: .ended
        case .cancelled: .cancelled
        case .failed: .failed
        case .panicked: .panicked
        }
    }
  }

  /// The counts of values at a moment.
  struct Values: Sendable, Hashable {
    var produced: UInt64 = 0
    var delivered: UInt64 = 0
    var dropped: UInt64 = 0
    var waiting: UInt64 = 0

    mutating func add(_ counts: StreamStatistics) {
      produced += counts.produced
      delivered += counts.delivered
      dropped += counts.dropped
      waiting += counts.waiting
    }
  }

  /// The streams whose counts are read when they are asked for, and those of the others.
  private struct Book: Sendable {
    var present: [ObjectIdentifier: @Sendable () -> StreamStatistics] = [:]
    var past = Values()
    /// The most values of callbacks that were seen to be delivered. A callback adds to several counts one by one, and a reading in
    /// between is not to be lower than the one before.
    var delivered: UInt64 = 0
  }

  private static let lanes = SeenMutex<[String: LaneCounts]>([:])

  /// The engine, and the lane of its values.
  let (engine, lane): (String, String)
  private let starts = Atomic<UInt64>(0)
  private let ends = Atomic<UInt64>(0)
  private let cancels = Atomic<UInt64>(0)
  private let failures = Atomic<UInt64>(0)
  private let panics = Atomic<UInt64>(0)
  private let book = SeenMutex(Book())
  /// Those of streams that count by their callbacks.
  private let called = Atomic<UInt64>(0)
  private let lost = Atomic<UInt64>(0)
  private let held = Atomic<Int>(0)

  private init(_ engine: String, _ lane: String) { (self.engine, self.lane) = (engine, lane) }

  /// The counts of a lane.
  static func of(_ engine: String, _ lane: String) -> LaneCounts {
    lanes.withLock { lanes in
      if let known = lanes["\(engine)/\(lane)"] { return known }
      let counts = LaneCounts(engine, lane)
      lanes["\(engine)/\(lane)"] = counts
      return counts
    }
  }

  /// The lanes of which a stream was started, in the order of their names.
  static var all: [LaneCounts] {
    lanes.withLock { $0.filter { $0.value.started > 0 }.sorted { $0.key < $1.key }.map(\.value) }
  }

  var started: UInt64 { starts.load(ordering: .acquiring) }

  var running: UInt64 {
    let over = End.allCases.reduce(0) { $0 + ended($1) }
    let started = started
    // A stream may end before its start is counted.
    return started - min(started, over)
  }

  func ended(_ end: End) -> UInt64 {
    switch end {
    case .ended: ends.load(ordering: .acquiring)
    case .cancelled: cancels.load(ordering: .acquiring)
    case .failed: failures.load(ordering: .acquiring)
    case .panicked: panics.load(ordering: .acquiring)
    }
  }

  /// A stream has started.
  func begin() { starts.add(1, ordering: .releasing) }

  /// A stream has ended.
  func end(_ outcome: SessionOutcome) {
    switch End(outcome) {
    case .ended: ends.add(1, ordering: .releasing)
    case .cancelled: cancels.add(1, ordering: .releasing)
    case .failed: failures.add(1, ordering: .releasing)
    case .panicked: panics.add(1, ordering: .releasing)
    }
  }

  /// Reads the counts of a stream's values from now on.
  func add(_ stream: ObjectIdentifier, _ statistics: @escaping @Sendable () -> StreamStatistics) {
    book.withLock { $0.present[stream] = statistics }
  }

  /// Keeps the last counts of a stream that nobody reads any more: what waits is dropped.
  func remove(_ stream: ObjectIdentifier) {
    book.withLock { book in
      guard let last = book.present.removeValue(forKey: stream)?() else { return }
      book.past.add(last)
      book.past.dropped += book.past.waiting
      book.past.waiting = 0
    }
  }

  /// Counts a value of a callback: whether it was dropped, and by how much the number of waiting values has changed.
  func call(isDropped: Bool, waiting change: Int) {
    if isDropped { lost.add(1, ordering: .releasing) }
    if change != 0 { held.add(change, ordering: .releasing) }
    called.add(1, ordering: .releasing)
  }

  /// Counts waiting values as delivered.
  func empty(_ waiting: Int) { held.subtract(waiting, ordering: .releasing) }

  /// The counts so far.
  var values: Values {
    book.withLock { book in
      var values = book.past
      for statistics in book.present.values { values.add(statistics()) }
      let calls = called.load(ordering: .acquiring)
      let lost = min(lost.load(ordering: .acquiring), calls - book.delivered)
      let held = min(UInt64(max(0, held.load(ordering: .acquiring))), calls - lost)
      book.delivered = max(book.delivered, calls - lost - held)
      values.produced += calls
      values.dropped += lost
      values.delivered += book.delivered
      values.waiting += calls - lost - book.delivered
      return values
    }
  }
}
