#if TLS
internal import NIOCore
internal import NIOSSL
internal import RustleAccounts
internal import Synchronization

/// TLS with a mail server, whose certificate has to have its name.
struct MailEncryption: Sendable {
  private let context: NIOSSLContext
  /// Nil: the certificate has to have the address instead.
  private let name: String?

  /// Nil for a server without encryption.
  ///
  /// - Throws: `AccountRefusal` for certificates that cannot be read.
  init?(_ server: MailServer) throws {
    guard server.encryption != .none else { return nil }
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    do {
      if let roots = server.roots {
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(roots))
      }
      context = try NIOSSLContext(configuration: configuration)
    } catch {
      throw AccountRefusal(.validation, "--mail-roots: expected certificates in PEM")
    }
    let isAddress = (try? SocketAddress(ipAddress: server.host, port: server.port)) != nil
    name = isAddress ? nil : server.host
  }

  /// Encrypts a connection from here on; called on its event loop.
  func begin(on channel: any Channel) throws {
    try channel.pipeline.syncOperations.addHandler(
      NIOSSLClientHandler(context: context, serverHostname: name), position: .first)
  }

  /// Encrypts a connection from here on, unless more than `count` bytes have arrived: who put them behind the answer in clear would speak
  /// as the server.
  func begin(on channel: any Channel, _ arrived: ArrivedBytes, after count: Int) async throws {
    try await channel.eventLoop.submit {
      guard arrived.count == count else {
        throw SMTP.Failure(message: "expected nothing in clear after the answer to STARTTLS")
      }
      try begin(on: channel)
    }.get()
  }
}

/// Counts the bytes that arrive.
final class ArrivedBytes: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let counted = Atomic(0)

  var count: Int { counted.load(ordering: .relaxed) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    counted.add(unwrapInboundIn(data).readableBytes, ordering: .relaxed)
    context.fireChannelRead(data)
  }
}
#endif
