package import Foundation

/// The bytes that a file or a pipe has.
package enum AvailableBytes {
  /// The reason why nothing could be read, in one clause.
  package struct Failure: Error, Equatable {
    package let reason: String
  }

  /// Reads the bytes that are there, 1 to `limit`; waits for the first one. None: the end.
  package static func read(from handle: FileHandle, atMost limit: Int) throws(Failure) -> Data {
    var bytes = Data(count: limit)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe Foundation.read(handle.fileDescriptor, $0.baseAddress, limit)
      }
      if count >= 0 { return bytes.prefix(count) }
      let number = errno
      guard number == EINTR else { throw Failure(reason: SystemError.reason(number)) }
    }
  }
}
