/// The memory to which a native object writes its records, allocated once so that calls on sound do not allocate.
struct RecordRoom<Record: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
  /// The number of samples that a call took, and of records that it wrote.
  typealias Progress = (taken: Int, written: Int)

  private var records: [Record]

  /// - Parameters:
  ///   - empty: the initial record.
  ///   - count: the maximum number of records of one call, 1 or more.
  init(of empty: Record, count: Int = 64) { records = [Record](repeating: empty, count: count) }

  /// The address of the memory, which does not change.
  var address: UInt { records.address }

  /// Processes a signal by as many calls as necessary, and passes each record to `found`.
  ///
  /// - Parameter take: takes the beginning of its samples, at least one, and writes records from the beginning of the memory on.
  mutating func fill(
    from samples: Span<Float>, found: (Record) -> Void,
    take: (Span<Float>, inout MutableSpan<Record>) throws(NativeError) -> Progress
  ) throws(NativeError) {
    var place = 0
    while place < samples.count {
      var room = records.mutableSpan
      let (taken, written) = try take(samples.extracting(place...), &room)
      for index in 0..<written { found(room[index]) }
      place += taken
    }
  }

  /// Takes the records of a signal's end by as many calls as necessary, and passes each to `found`.
  ///
  /// - Parameter take: writes records from the beginning of the memory on, and returns their number: as many as fit while there
  ///   may be more.
  mutating func fillFromEnd(
    found: (Record) -> Void, take: (inout MutableSpan<Record>) throws(NativeError) -> Int
  ) throws(NativeError) {
    var isFull = true
    while isFull {
      var room = records.mutableSpan
      let written = try take(&room)
      for index in 0..<written { found(room[index]) }
      isFull = written == room.count
    }
  }
}

extension Array where Element: BitwiseCopyable {
  /// The address of the memory, for tests that it is kept.
  package var address: UInt { unsafe span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
}
