#if WebSocket
internal import CZlib

/// Decompresses the messages of a connection (RFC 7692, section 7.2.2) by zlib, each as a whole.
///
/// The unsafe expressions hand zlib its state, which has a place of its own because zlib refers to it, and the bytes of two arrays
/// with their counts for the length of a call.
@safe final class Inflater {
  enum Failure: Error {
    case malformed
    /// The message has more bytes than its limit.
    case tooLong
  }

  /// What the sender removed from the end of a message.
  private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]

  private let keepsContext: Bool
  private let state: UnsafeMutablePointer<z_stream>
  private var room = [UInt8](repeating: 0, count: 16_384)

  /// - Parameter keepsContext: whether a message refers to earlier ones.
  init(keepsContext: Bool = true) {
    self.keepsContext = keepsContext
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: z_stream())
    // Deflate without a header, with the largest window.
    let status = unsafe inflateInit2_(state, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "expected memory for zlib, got its status \(status)")
  }

  deinit {
    unsafe inflateEnd(state)
    unsafe state.deallocate()
  }

  /// Returns the bytes of the message that was compressed to `bytes`.
  ///
  /// - Parameter limit: the maximum size of the message in bytes.
  /// - Throws: a failure, after which the messages that refer to this one are lost.
  func message(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    if !keepsContext { _ = unsafe inflateReset(state) }
    let input = bytes + Self.tail
    var message: [UInt8] = []
    var (next, isBetweenBlocks) = (0, false)
    while true {
      let (status, taken, made, flags) = step(input[next...])
      next += taken
      if made > limit - message.count { throw .tooLong }
      message += room[..<made]
      switch status {
      case Z_STREAM_END:
        // A last block; the message may go on (RFC 7692, section 7.2.3.4), and the next one may refer to it.
        _ = unsafe inflateResetKeep(state)
        isBetweenBlocks = true
      // Without progress, where all has been taken and fits.
      case Z_OK, Z_BUF_ERROR: isBetweenBlocks = flags & 128 != 0
      default: throw .malformed
      }
      if next == input.count && made < room.count {
        guard isBetweenBlocks else { throw .malformed }
        return message
      }
    }
  }

  /// Decompresses as much as `room` holds; returns zlib's status, the bytes taken and made, and zlib's `data_type`.
  private func step(_ input: ArraySlice<UInt8>) -> (status: Int32, taken: Int, made: Int, flags: Int32) {
    unsafe input.withUnsafeBufferPointer { source in
      unsafe room.withUnsafeMutableBufferPointer { room in
        // zlib writes nothing there.
        unsafe state.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        unsafe state.pointee.avail_in = UInt32(source.count)
        unsafe state.pointee.next_out = room.baseAddress
        unsafe state.pointee.avail_out = UInt32(room.count)
        let status = unsafe inflate(state, Z_SYNC_FLUSH)
        return unsafe (
          status, source.count - Int(state.pointee.avail_in), room.count - Int(state.pointee.avail_out),
          state.pointee.data_type
        )
      }
    }
  }
}
#endif
