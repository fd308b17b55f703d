internal import CRustle

/// A value that the native side reads as a C record.
protocol NativeRecord {
  /// Calls `body` with the record, valid during the call, and its size.
  func withRecord<Result>(
    _ body: (UnsafeRawPointer, Int) throws(NativeError) -> Result
  ) throws(NativeError) -> Result
}

/// Calls `body` with a record whose pointers refer to memory that is lent to the call.
func withLentRecord<Record: BitwiseCopyable, Result>(
  _ make: (LentMemory) -> Record, _ body: (UnsafeRawPointer, Int) throws(NativeError) -> Result
) throws(NativeError) -> Result {
  let lent = LentMemory()
  defer { extendLifetime(lent) }
  var record = make(lent)
  return try unsafe withUnsafePointer(to: &record) { record throws(NativeError) in
    try unsafe body(record, MemoryLayout<Record>.stride)
  }
}

/// Memory that the records of one call lend to the native side; it is freed with this object.
@safe final class LentMemory {
  private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []

  deinit {
    unsafe blocks.forEach { unsafe $0.deallocate() }
  }

  /// Copies the elements; nil when there are none.
  func array<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element>? {
    guard !elements.isEmpty else { return nil }
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: MemoryLayout<Element>.stride * elements.count, alignment: MemoryLayout<Element>.alignment)
    unsafe blocks.append(bytes)
    let copy = unsafe bytes.initializeMemory(as: Element.self, from: elements).initialized
    return unsafe UnsafePointer(copy.baseAddress)
  }

  /// Copies the text.
  func string(_ text: String) -> RustleString {
    let bytes = Array(text.utf8)
    return unsafe RustleString(data: array(bytes), length: bytes.count)
  }

  /// Copies the texts.
  func strings(_ texts: [String]) -> UnsafePointer<RustleString>? {
    unsafe array(texts.map { unsafe string($0) })
  }
}

/// Returns the first elements of a C array, which Swift imports as a tuple.
func arrayOfTuple<Tuple: BitwiseCopyable, Element: BitwiseCopyable>(
  _ tuple: Tuple, of type: Element.Type, count: Int
) -> [Element] {
  unsafe withUnsafeBytes(of: tuple) { bytes in unsafe Array(bytes.bindMemory(to: type).prefix(max(0, count))) }
}

/// Returns the text in the first bytes of a C array.
func textOfTuple<Tuple: BitwiseCopyable>(_ tuple: Tuple, count: Int) -> String {
  unsafe withUnsafeBytes(of: tuple) { bytes in unsafe String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) }
}

/// A value as the native side delivers it.
package protocol NativeElement: Sendable {
  /// Values that were dropped just before this one; 0 on the per-value lane.
  var gap: UInt64 { get }
}

/// Converts native values to a consumer's values.
package struct ElementReader<Native: NativeElement, Value: Sendable>: Sendable {
  /// Converts one value.
  package typealias One = @Sendable (Native) -> Value
  /// Appends the values of many native ones, and before each the gap that it reports, if any.
  package typealias Many = @Sendable (Span<Native>, inout [StreamElement<Value>]) -> Void

  let value: One
  let append: Many

  /// Creates a reader from two functions that a module writes for its own type of value.
  ///
  /// The compiler specializes code for a type only within the type's module. An unspecialized loop over a batch costs more for
  /// each value than all other steps of its delivery (docs/benchmarks.md).
  package init(value: @escaping One, append: @escaping Many) {
    self.value = value
    self.append = append
  }

  /// Creates a reader that converts batches value by value, for streams of low rates.
  package init(_ value: @escaping One) {
    self.init(value: value) { elements, buffer in
      for index in elements.indices {
        let element = elements[index]
        if element.gap > 0 { buffer.append(.gap(element.gap)) }
        buffer.append(.value(value(element)))
      }
    }
  }
}

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
    var offset = 0
    while offset < samples.count {
      var room = records.mutableSpan
      let (taken, written) = try take(samples.extracting(offset...), &room)
      for index in 0..<written { found(room[index]) }
      offset += taken
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

/// The text of an IPv4 address, whose first number is the highest.
package func ipv4Text(_ address: Int) -> String {
  [24, 16, 8, 0].map { String(address >> $0 & 255) }.joined(separator: ".")
}
