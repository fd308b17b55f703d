/// The memory that a native object writes its records to, for as long as the object lives: a call on sound allocates nothing.
struct RecordRoom<Record: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
  /// How much of a signal a call took, and how many records it wrote.
  typealias Progress = (taken: Int, written: Int)

  private var records: [Record]

  /// - Parameters:
  ///   - empty: what stands in the room before the first call.
  ///   - count: the records that one call writes at most, 1 or more.
  init(of empty: Record, count: Int = 64) { records = [Record](repeating: empty, count: count) }

  /// Where the room is: the same for as long as it lives.
  var address: UInt { unsafe records.span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }

  /// Has a signal taken in by as many calls as it takes, and hands each record to `found`.
  ///
  /// - Parameter take: takes the beginning of what it is given, at least a sample, and writes records from the room's beginning
  ///   on.
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
}
