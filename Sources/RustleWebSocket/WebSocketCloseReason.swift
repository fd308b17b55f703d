#if WebSocket
internal import NIOCore

/// What the data of a frame that closes a connection says (RFC 6455, sections 5.5.1 and 7.4).
struct WebSocketCloseReason {
  /// The codes that a peer may send: those of the protocol and its registry, of libraries, and of applications.
  private static let codes: [ClosedRange<UInt16>] = [1_000...1_003, 1_007...1_014, 3_000...4_999]

  /// For people to read: `code 1001, the server restarts`.
  let words: String
  /// Whether there is no code or one that a peer may send, and the text is one.
  let isWellFormed: Bool

  init(_ data: ByteBuffer) {
    var rest = data
    guard let code = rest.readInteger(as: UInt16.self) else {
      words = data.readableBytes == 0 ? "no code" : "half a code"
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
