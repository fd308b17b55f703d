#if WebSocket
internal import NIOCore

/// The code and the text of a close frame (RFC 6455, sections 5.5.1 and 7.4).
struct WebSocketCloseReason {
  /// The codes that a peer may send: those of the protocol and its registry, of libraries, and of applications.
  private static let codes: [ClosedRange<UInt16>] = [1_000...1_003, 1_007...1_014, 3_000...4_999]

  /// A description: `code 1001, the server restarts`.
  let words: String
  /// Whether the frame has no code, or one that a peer may send with valid UTF-8.
  let isWellFormed: Bool

  init(_ data: ByteBuffer) {
    var rest = data
    guard let code = rest.readInteger(as: UInt16.self) else {
      words = data.readableBytes == 0 ? "no code" : "an incomplete code"
      isWellFormed = data.readableBytes == 0
      return
    }
    let text = String(decoding: rest.readableBytesView, as: UTF8.self)
    words = text.isEmpty ? "code \(code)" : "code \(code), \(text)"
    isWellFormed =
      Self.codes.contains { $0.contains(code) } && String(validating: rest.readableBytesView, as: UTF8.self) != nil
  }
}
#endif
