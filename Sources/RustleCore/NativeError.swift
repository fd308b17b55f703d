internal import CRustle
internal import Logging

/// An error of the native library: the status, and a text with the expected and the actual value.
///
/// Domains convert it to their own error type before it leaves the package.
package struct NativeError: Error, Sendable, Hashable {
  /// The kind of error.
  package let status: NativeStatus
  /// The native library's text, one sentence.
  package let message: String

  package init(status: NativeStatus, message: String) {
    self.status = status
    self.message = message
  }

  /// Calls into the native library and throws its error.
  ///
  /// - Parameter body: makes the call, with the given record as the last argument.
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

  /// Returns the result of `work`; nil after an error, which is logged.
  package static func logging<Result>(_ work: () throws(NativeError) -> Result) -> Result? {
    do { return try work() } catch {
      error.log()
      return nil
    }
  }

  /// Logs the error, unless the object was freed.
  func log() {
    if status != .staleHandle { Logger(label: "rustle").error("\(message)") }
  }
}
