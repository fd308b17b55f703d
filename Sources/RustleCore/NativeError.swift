internal import CRustle

/// A call that the native library refused: the status, and the text that says what was expected and what came.
///
/// Domains turn it into an error type of their own before anyone outside the package sees it.
package struct NativeError: Error, Sendable, Hashable {
  /// The kind of refusal.
  package let status: NativeStatus
  /// One sentence, as the native library wrote it.
  package let message: String

  package init(status: NativeStatus, message: String) {
    self.status = status
    self.message = message
  }

  /// Calls into the native library and throws what it refuses.
  ///
  /// - Parameter body: makes the call, with the record that it hands in as the last argument.
  static func check(_ body: (UnsafeMutablePointer<RustleError>) -> Int32) throws(NativeError) {
    var record = RustleError()
    let status = unsafe withUnsafeMutablePointer(to: &record) { unsafe body($0) }
    guard status != RUSTLE_OK else { return }
    let length = min(Int(record.message_length), Int(RUSTLE_ERROR_CAPACITY))
    let message = unsafe withUnsafeBytes(of: &record.message) { bytes in
      unsafe String(decoding: bytes.prefix(length), as: UTF8.self)
    }
    throw NativeError(status: NativeStatus(status), message: message)
  }
}
