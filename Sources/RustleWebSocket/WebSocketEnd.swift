#if WebSocket
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket

/// The reason why a connection could not be established, or ended, for display. A notice holds about 100 bytes of it.
struct WebSocketEnd: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = reason }

  /// The description of an error of the network library.
  init(_ error: any Error) {
    description =
      switch error {
      case let end as WebSocketEnd: end.description
      case let error as NIOConnectionError:
        // One error for each address of the host, or none when there is no address.
        error.connectionErrors.last.map { Self.words($0.error) } ?? "unknown host '\(error.host)'"
      case let error as NIOHTTPClientUpgradeError where error == .responseProtocolNotFound:
        "handshake: expected Upgrade: websocket, got another protocol"
      case is NIOHTTPClientUpgradeError:
        "handshake: expected the Sec-WebSocket-Accept of the key, got another or none"
      case is HTTPParserError: "handshake: expected HTTP, got another protocol; check scheme and port"
      case ChannelError.inappropriateOperationForState, ChannelError.eof, ChannelError.ioOnClosedChannel:
        "handshake: the peer has closed the connection before the HTTP response"
      default: Self.words(error)
      }
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case let error as IOError: words(ofSystemError: error.errnoCode)
    case NIOSSLError.handshakeFailed(let cause): "TLS: \(words(ofTLS: "\(cause)"))"
    case NIOSSLError.uncleanShutdown: "TLS: the peer has closed the connection without close_notify"
    case let error as NIOSSLError: "TLS: \(error)"
    case let error as NIOSSLExtraError where error == .failedToValidateHostname: "TLS: certificate of another host"
    case let error as NIOSSLExtraError: "TLS: \(error)"
    default: "\(error)"
    }
  }

  /// The library's reason, in capital letters after its name: `OPENSSL_internal:CERTIFICATE_VERIFY_FAILED`.
  private static func words(ofTLS text: String) -> String {
    guard let name = text.range(of: "OPENSSL_internal:") else { return text }
    let reason = text[name.upperBound...].prefix { $0.isUppercase || $0.isNumber || $0 == "_" }
    return reason.replacing("_", with: " ").lowercased()
  }

  private static func words(ofSystemError code: CInt) -> String {
    // `The operation could not be completed. Connection refused`
    let text = POSIXErrorCode(rawValue: code).map { POSIXError($0).localizedDescription } ?? ""
    let words = text.components(separatedBy: ". ").last ?? ""
    return words.isEmpty ? "os error \(code)" : "\(words) (os error \(code))"
  }
}

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
