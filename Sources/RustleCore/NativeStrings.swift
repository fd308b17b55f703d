internal import CRustle

/// Calls `body` with the texts as native records, which are valid during the call.
func withNativeStrings<Result>(
  _ texts: [String], _ body: (UnsafeBufferPointer<RustleString>) throws(NativeError) -> Result
) throws(NativeError) -> Result {
  var bytes: [UInt8] = []
  let ends = texts.map { text in
    bytes.append(contentsOf: text.utf8)
    return bytes.count
  }
  let span = bytes.span
  return try unsafe span.withUnsafeBufferPointer { bytes throws(NativeError) in
    var start = 0
    let records = unsafe ends.map { end in
      defer { start = end }
      return unsafe RustleString(data: bytes.baseAddress.map { unsafe $0 + start }, length: end - start)
    }
    return try unsafe records.span.withUnsafeBufferPointer(body)
  }
}
