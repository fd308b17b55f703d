#if WebSocket
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import RustleMarket

/// Fills a feed from a WebSocket: connects, reads, and reconnects.
struct WebSocketClient: Sendable {
  /// The range of a connection's time limits.
  private static let patience = Duration.milliseconds(10)...Duration.seconds(86_400)

  private let address: WebSocketAddress
  private let connector: WebSocketConnector
  private let backoff: LiveFeed.Backoff
  private let subscription: SubscriptionMessages

  /// - Throws: `FeedError`: the configuration is refused.
  init(_ feed: WebSocketFeed) throws(FeedError) {
    address = try WebSocketAddress(feed.url)
    subscription = try SubscriptionMessages(feed.subscription)
    backoff = feed.backoff
    // For its validation.
    _ = try backoff.wait(afterFailures: 1, seed: 0)
    try backoff.checkAttemptLimit()
    let times = [
      ("connect timeout", feed.connectTimeout), ("silence limit", feed.silenceLimit),
      ("ping interval", feed.pingInterval),
    ]
    for case (let name, let time?) in times where !Self.patience.contains(time) {
      throw FeedError(code: .valueOutOfRange, message: "\(name): expected 10 ms to a day, got \(time)")
    }
    connector = WebSocketConnector(
      address: address, headers: try RequestHeaders.checked(feed.headers),
      tls: address.isSecure ? try feed.tls.context() : nil, serverName: feed.tls.name(of: address),
      patience: TimeAmount(feed.connectTimeout),
      frames: WebSocketFrames.Settings(
        messageLimit: feed.messageLimit, silenceLimit: feed.silenceLimit.map { TimeAmount($0) },
        pingInterval: feed.pingInterval.map { TimeAmount($0) }))
  }

  /// Returns when the task is cancelled or the feed has ended.
  func run(filling writer: FeedWriter) async {
    var failures = 0
    var carried: UInt64 = 0
    do {
      while !Task.isCancelled {
        try writer.report(.connecting(to: address.origin, failures: failures))
        let (reason, held) = await hold(writer)
        if Task.isCancelled { return }
        // The last trades of a connection may be counted during the next one. A source that begins anew has duplicates at first.
        let (before, counts) = (carried, try writer.counts)
        carried = counts.trades + counts.duplicates
        if carried > before || held >= backoff.healthyAfter { failures = 0 }
        failures += 1
        if let limit = backoff.attemptLimit, failures >= limit {
          try writer.report(.closed(reason: "no attempt to connect is left after \(failures): \(reason)"))
          return
        }
        let wait = try backoff.wait(afterFailures: failures)
        try writer.report(.reconnecting(after: wait, failures: failures, reason: reason))
        try await Task.sleep(for: wait)
      }
    } catch {
      // Cancelled during the backoff, or the feed has ended, unless a fault has to end it.
      guard let fault = error as? FeedError, fault.code == .internal else { return }
      try? writer.report(.closed(reason: fault.message))
    }
  }

  /// Connects, reads until the connection ends, and returns the reason and the duration of the connection.
  private func hold(_ writer: FeedWriter) async -> (reason: String, held: Duration) {
    let connection: WebSocketConnector.Connection
    do {
      connection = try await connector.open()
    } catch {
      return ("\(address.authority): \(WebSocketEnd(error))", .zero)
    }
    let begun = ContinuousClock.now
    let reason: String
    do {
      reason = try await connection.executeThenClose { lines, messages in
        try writer.report(.connected(to: address.origin))
        return try await withThrowingTaskGroup(of: String.self) { tasks in
          tasks.addTask {
            for try await piece in lines { try await writer.push(piece) }
            return "the peer has closed the connection"
          }
          tasks.addTask {
            var subscription = subscription
            for await change in try writer.subscriptionChanges() {
              for message in subscription.messages(for: change) { try await messages.write(message) }
            }
            return "the feed has ended"
          }
          defer { tasks.cancelAll() }
          return try await tasks.next() ?? ""
        }
      }
    } catch {
      reason = "\(WebSocketEnd(error))"
    }
    return (reason, ContinuousClock.now - begun)
  }
}

/// The user's additional headers of a request.
enum RequestHeaders {
  private static let ours = ["connection", "content-length", "host", "transfer-encoding", "upgrade"]

  /// - Throws: `FeedError.Code.malformedHeader`.
  static func checked(_ headers: [String: String]) throws(FeedError) -> HTTPHeaders {
    var checked = HTTPHeaders()
    // Sorted, so that equal headers make equal requests.
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      // A token, and a field value (RFC 9110, sections 5.6.2 and 5.5). A value may be a secret.
      let isToken = !name.isEmpty && name.utf8.allSatisfy(isTokenByte)
      guard isToken, value.utf8.allSatisfy({ $0 == 9 || (32...126).contains($0) }) else {
        throw FeedError(
          code: .malformedHeader, message: "headers: expected printable characters, got others in '\(name.prefix(40))'")
      }
      let lower = name.lowercased()
      if ours.contains(lower) || lower.hasPrefix("sec-websocket-") && lower != "sec-websocket-protocol" {
        throw FeedError(code: .malformedHeader, message: "headers: expected none of the protocol's own, got '\(name)'")
      }
      checked.add(name: name, value: value)
    }
    return checked
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension WebSocketFeed.TLS {
  /// - Throws: `FeedError.Code.unreadableFile` for roots that cannot be read.
  fileprivate func context() throws(FeedError) -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if acceptsAnyCertificate { configuration.certificateVerification = .none }
    // A WebSocket is requested over HTTP/1.1.
    configuration.applicationProtocols = ["http/1.1"]
    do {
      switch roots {
      case .system: break
      case .file(let path): configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
      case .pem(let text):
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)))
      }
      return try NIOSSLContext(configuration: configuration)
    } catch {
      let reason = (error as? NIOSSLError) == .failedToLoadCertificate ? "none" : "\(WebSocketEnd(error))"
      let expected =
        switch roots {
        // As in a small container: SwiftNIO has no reason then.
        case .system: "the certificates of the system, as of its package ca-certificates, got none"
        case .file(let path): "certificates in PEM in \(path), got \(reason)"
        case .pem: "certificates in PEM in the text, got \(reason)"
        }
      throw FeedError(code: .unreadableFile, message: "roots: expected \(expected)")
    }
  }

  /// The name that the certificate has to have; nil for an IP address, which the certificate then has to have.
  fileprivate func name(of address: WebSocketAddress) -> String? {
    if let serverName { return serverName }
    return (try? SocketAddress(ipAddress: address.host, port: 0)) == nil ? address.host : nil
  }
}

extension TimeAmount {
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
#endif
