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
