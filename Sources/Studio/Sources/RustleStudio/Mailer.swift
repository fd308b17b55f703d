internal import Logging
internal import NIOCore
internal import NIOPosix

/// The server that takes the studio's mails.
public struct MailServer: Sendable, Hashable {
  /// The host, such as a relay on this machine.
  public var host: String
  /// The port.
  public var port: Int
  /// The address that mails come from.
  public var sender: String
  /// The name and the password; nil: none are asked for. Without encryption they are sent in clear: only to the loopback.
  public var login: Login?
  #if TLS
  /// How the connection is encrypted.
  public var encryption = Encryption.none
  /// A file of the certificates that are trusted, in PEM; nil: those of the system.
  public var roots: String?

  /// How a connection is encrypted.
  public enum Encryption: String, Sendable, Hashable, CaseIterable {
    /// Not at all.
    case none
    /// By STARTTLS (RFC 3207), mostly at port 587: a server that does not offer it gets nothing.
    case startTLS = "starttls"
    /// From the first byte on (RFC 8314), mostly at port 465.
    case implicit
  }
  #endif

  /// A name and a password.
  public struct Login: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The password.
    public var password: String

    /// A name and a password.
    public init(name: String, password: String) { (self.name, self.password) = (name, password) }
  }

  /// A server without a login.
  public init(host: String, port: Int, sender: String) { (self.host, self.port, self.sender) = (host, port, sender) }
}

/// A mail of plain text.
struct Mail: Sendable, Hashable {
  let to: String
  let subject: String
  let text: String
}

/// Sends mails one after the other.
final class Mailer: Sendable {
  /// The mails that wait at most.
  private static let capacity = 64
  /// The time for one mail.
  private static let deadline = Duration.seconds(30)

  typealias Composition = @Sendable () async throws -> Mail?

  private let logger: Logger
  private let waiting: AsyncStream<Composition>.Continuation
  private let sending: Task<Void, Never>

  /// - Throws: `AccountRefusal` for certificates that cannot be read.
  init(server: MailServer, logger: Logger) throws {
    let client = try SMTP(server: server)
    let (stream, continuation) = AsyncStream<Composition>.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    (self.logger, waiting) = (logger, continuation)
    sending = Task {
      for await compose in stream {
        do {
          guard let mail = try await compose() else { continue }
          try await Self.send(mail, by: client)
        } catch {
          // Without the address: logs are read by more people than mails.
          logger.warning("a mail was not sent: \(error)")
        }
      }
    }
  }

  func stop() {
    waiting.finish()
    sending.cancel()
  }

  /// Composes and sends a mail after those that wait; with as many as may wait it is not sent.
  func enqueue(_ compose: @escaping Composition) {
    if case .dropped = waiting.yield(compose) {
      logger.warning("a mail was not sent: expected at most \(Self.capacity) to wait")
    }
  }

  private static func send(_ mail: Mail, by client: SMTP) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await client.send(mail) }
      group.addTask {
        try await Task.sleep(for: deadline)
        throw SMTP.Failure(message: "expected an answer of the mail server within \(deadline)")
      }
      try await group.next()
      group.cancelAll()
    }
  }
}
