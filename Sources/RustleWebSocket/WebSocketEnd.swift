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
        "handshake: expected the key's Sec-WebSocket-Accept, got another or none"
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
#endif
