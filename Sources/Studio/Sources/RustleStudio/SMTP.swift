internal import Foundation
internal import NIOCore
internal import NIOPosix

/// A client of a mail server (RFC 5321). Without the package trait TLS for a relay on this machine or in its network.
struct SMTP: Sendable {
  /// Why a mail was not taken.
  struct Failure: Error, CustomStringConvertible {
    let message: String

    var description: String { message }
  }

  /// Bytes of an answer at most.
  private static let maximumAnswerLength = 16 << 10

  let server: MailServer
  #if TLS
  let encryption: MailEncryption?
  #endif

  /// - Throws: `AccountRefusal` for certificates that cannot be read.
  init(server: MailServer) throws {
    self.server = server
    #if TLS
    encryption = try MailEncryption(server)
    #endif
  }

  /// Hands a mail over.
  func send(_ mail: Mail) async throws {
    #if TLS
    let arrived = ArrivedBytes()
    #endif
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connectTimeout(.seconds(10))
      .connect(host: server.host, port: server.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          #if TLS
          if server.encryption == .implicit { try encryption?.begin(on: channel) }
          try channel.pipeline.syncOperations.addHandler(arrived)
          #endif
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    var isTaken = false
    do {
      try await channel.executeThenClose { inbound, outbound in
        var answers = Answers(inbound.makeAsyncIterator())
        func say(_ line: String, _ expected: Int) async throws -> String {
          try await outbound.write(ByteBuffer(string: line + "\r\n"))
          return try await answers.next(expected)
        }
        _ = try await answers.next(220)
        var abilities = try await say("EHLO rustle-studio", 250).uppercased()
        #if TLS
        if server.encryption == .startTLS {
          guard abilities.split(separator: "\n").contains("STARTTLS") else {
            throw Failure(message: "expected a mail server that offers STARTTLS")
          }
          _ = try await say("STARTTLS", 220)
          try await encryption?.begin(on: channel.channel, arrived, after: answers.length)
          // What was said in clear counts no more.
          abilities = try await say("EHLO rustle-studio", 250).uppercased()
        }
        #endif
        if let login = server.login {
          let secret = Data("\u{0}\(login.name)\u{0}\(login.password)".utf8).base64EncodedString()
          _ = try await say("AUTH PLAIN \(secret)", 235)
        }
        let isASCII = (mail.to + server.sender).utf8.allSatisfy { $0 < 128 }
        guard isASCII || abilities.contains("SMTPUTF8") else {
          throw Failure(message: "expected a mail server that takes addresses beyond ASCII")
        }
        _ = try await say("MAIL FROM:<\(server.sender)>" + (isASCII ? "" : " SMTPUTF8"), 250)
        _ = try await say("RCPT TO:<\(mail.to)>", 250)
        _ = try await say("DATA", 354)
        _ = try await say(Self.message(mail, from: server.sender, date: .now) + "\r\n.", 250)
        // Whatever follows, also at the connection's end.
        isTaken = true
        _ = try await say("QUIT", 221)
      }
    } catch {
      guard isTaken else { throw error }
    }
  }

  /// The headers and the text, its lines ended and its dots doubled as RFC 5321 (4.5.2) demands.
  static func message(_ mail: Mail, from sender: String, date: Date) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, d MMM yyyy HH:mm:ss '+0000'"
    let host = sender.split(separator: "@").last.map(String.init) ?? "localhost"
    let lines =
      [
        "From: <\(sender)>", "To: <\(mail.to)>", "Subject: \(mail.subject)", "Date: \(format.string(from: date))",
        "Message-ID: <\(UUID().uuidString)@\(host)>", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit", "Auto-Submitted: auto-generated", "",
      ] + mail.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return lines.map { $0.hasPrefix(".") ? "." + $0 : $0 }.joined(separator: "\r\n")
  }

  /// The answers of a server, which may have several lines each.
  private struct Answers {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var received = ""
    #if TLS
    private var receivedLength = 0

    /// The bytes of the answers that were read.
    var length: Int { receivedLength - received.utf8.count }
    #endif

    init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) { self.inbound = inbound }

    /// The text of the next answer, which has to have this code.
    mutating func next(_ expected: Int) async throws -> String {
      var answer: [Substring] = []
      while true {
        while let end = received.range(of: "\r\n") {
          let line = received[..<end.lowerBound]
          received = String(received[end.upperBound...])
          answer.append(line.dropFirst(4))
          if line.dropFirst(3).first == "-" { continue }
          guard line.prefix(3) == "\(expected)" else {
            // Its text may quote the recipient.
            throw Failure(message: "expected the code \(expected) of the mail server, got \(line.prefix(3))")
          }
          return answer.joined(separator: "\n")
        }
        guard let bytes = try await inbound.next(), received.utf8.count < maximumAnswerLength else {
          throw Failure(message: "expected an answer of the mail server, got the end of the connection")
        }
        received += String(buffer: bytes)
        #if TLS
        receivedLength += bytes.readableBytes
        #endif
      }
    }
  }
}
