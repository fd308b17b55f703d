#if WebSocket
import Foundation
import NIOSSL
import RustleWebSocket
import TestSupport
import Testing

/// The refusals of peers and configurations.
@Suite(.releasesNativeObjects) struct WebSocketRefusalTests {
  /// The host and the port of a URL, with which refusals begin.
  private static func host(_ url: String) -> Substring { url.dropFirst("ws://".count).prefix { $0 != "/" } }

  @Test func answersThatAcceptNoWebSocketAreReported() async throws {
    let accepting = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    let key = "handshake: expected the Sec-WebSocket-Accept of the key, got another or none"
    for (answer, expected) in [
      ("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "handshake: expected HTTP status 101, got 403 Forbidden"),
      (
        "HTTP/1.1 301 Moved Permanently\r\nLocation: wss://there/?key=x\r\nContent-Length: 0\r\n\r\n",
        "handshake: expected HTTP status 101, got 301 Moved Permanently, to wss://there/"
      ),
      ("HTTP/1.1 200 OK\r\n\r\nHello", "handshake: expected HTTP status 101, got 200 OK"),
      ("\(accepting)\r\n", key),
      ("\(accepting)Sec-WebSocket-Accept: x\r\n\r\n", key),
      (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
        "handshake: expected Upgrade: websocket, got another protocol"
      ),
      ("SSH-2.0-OpenSSH\r\n", "handshake: expected HTTP, got another protocol; check scheme and port"),
    ] {
      let peer = try await SpeakingPeer.start(answer)
      #expect(try await firstReason(quickFeed(peer.url)) == "\(Self.host(peer.url)): \(expected)")
      try await peer.stop()
    }
    let leaving = try await SpeakingPeer.start(nil, closes: true)
    #expect(
      try await firstReason(quickFeed(leaving.url))
        == "\(Self.host(leaving.url)): handshake: the peer has closed the connection before the HTTP response")
    try await leaving.stop()
    let silent = try await SpeakingPeer.start(nil)
    let late = try await firstReason(quickFeed(silent.url) { $0.connectTimeout = .milliseconds(50) })
    #expect(late == "\(Self.host(silent.url)): handshake: expected HTTP status 101 within 0.05 s, got no response")
    try await silent.stop()
  }

  /// Answers that NIO accepts and RFC 6455 does not.
  @Test func answersThatAcceptMoreThanWasAskedForAreRefused() async throws {
    for (before, after, expected) in [
      ("HTTP/1.1 101", "HTTP/1.0 101", "handshake: expected HTTP/1.1, got HTTP/1.0"),
      ("upgrade\r\n", "keep-alive\r\n", "handshake: expected Connection: Upgrade, got 'keep-alive'"),
      (
        "\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate; x\r\n\r\n",
        "handshake: expected an offered Sec-WebSocket-Extensions, got 'permessage-deflate; x'"
      ),
      (
        "\r\n\r\n", "\r\nSec-WebSocket-Protocol: v3\r\n\r\n",
        "handshake: expected an offered Sec-WebSocket-Protocol, got 'v3'"
      ),
      (
        "\r\n\r\n", "\r\nSec-WebSocket-Protocol: v1, v2\r\n\r\n",
        "handshake: expected an offered Sec-WebSocket-Protocol, got 'v1, v2'"
      ),
    ] {
      let peer = try await WebSocketPeer.start { $0.replacing(before, with: after) }
      let reason = try await firstReason(quickFeed(peer.url) { $0.headers = ["Sec-WebSocket-Protocol": "v1, v2"] })
      #expect(reason == "127.0.0.1:\(peer.port): \(expected)")
      try await peer.stop()
    }
    let peer = try await WebSocketPeer.start {
      $0.replacing("upgrade\r\n", with: "x, upgrade\r\nSec-WebSocket-Protocol: v2\r\n")
    }
    let feed = try quickFeed(peer.url) { $0.headers = ["Sec-WebSocket-Protocol": "v1, v2"] }
    let stream = try await feed.trades()
    try await feed.run()
    var arrivals = peer.arrivals.makeAsyncIterator()
    var trades = stream.makeAsyncIterator()
    try await #require(await arrivals.next()).send(message(3))
    #expect(try await nextTrade(&trades).sequence == 3)
    await feed.shutDown()
    try await peer.stop()
  }

  @Test func peerIsKnownByItsCertificate() async throws {
    let certificates = try NIOSSLCertificate.fromPEMBytes(Array(TestCertificate.certificate.utf8))
    let key = try NIOSSLPrivateKey(bytes: Array(TestCertificate.key.utf8), format: .pem)
    let server = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
    let peer = try await WebSocketPeer.start(tls: try NIOSSLContext(configuration: server))
    let folder = try ScratchFolder()
    let path = try folder.write(Data(TestCertificate.certificate.utf8), as: "root.pem")
    let (text, file) = (WebSocketFeed.TLS.Roots.pem(TestCertificate.certificate), WebSocketFeed.TLS.Roots.file(path))
    for (url, tls) in [
      ("wss://localhost:\(peer.port)", WebSocketFeed.TLS(roots: text)),
      ("wss://localhost:\(peer.port)", WebSocketFeed.TLS(roots: file)),
      (peer.url, WebSocketFeed.TLS(roots: text, serverName: "localhost")),
      (peer.url, WebSocketFeed.TLS(acceptsAnyCertificate: true)),
    ] {
      let feed = try quickFeed(url) { $0.tls = tls }
      let stream = try await feed.trades()
      try await feed.run()
      var arrivals = peer.arrivals.makeAsyncIterator()
      var trades = stream.makeAsyncIterator()
      let arrival = try #require(await arrivals.next())
      try await arrival.send(message(7))
      #expect(try await nextTrade(&trades).sequence == 7)
      await feed.shutDown()
    }
    for tls in [WebSocketFeed.TLS(roots: text), WebSocketFeed.TLS(roots: text, serverName: "other.example")] {
      let other = try await firstReason(quickFeed(peer.url) { $0.tls = tls })
      #expect(
        other.hasPrefix("127.0.0.1:\(peer.port): TLS: ") && FeedConnection.isCertificateRefused(other), "\(other)")
    }
    let unknown = try await firstReason(quickFeed(peer.url))
    #expect(
      unknown == "127.0.0.1:\(peer.port): TLS: certificate verify failed"
        && FeedConnection.isCertificateRefused(unknown))
    try await peer.stop()
    let plain = try await WebSocketPeer.start()
    let wrong = try await firstReason(quickFeed("wss://127.0.0.1:\(plain.port)"))
    #expect(
      wrong.hasPrefix("127.0.0.1:\(plain.port): TLS: ") && !FeedConnection.isCertificateRefused(wrong), "\(wrong)")
    try await plain.stop()
  }

  @Test func configurationsThatCannotBeAreRefused() throws {
    func refusal(_ url: String = "ws://a", _ change: (inout WebSocketFeed) -> Void = { _ in }) -> FeedError? {
      do {
        _ = try quickFeed(url, change)
        return nil
      } catch {
        return error as? FeedError
      }
    }
    #expect(refusal() == nil)
    for url in ["", "a:1", "http://a", "ws://", "ws:///a", "ws://u:p@a", "ws://a#b", "ws://a:0", "ws://a:70000"] {
      #expect(refusal(url)?.code == .malformedAddress, "\(url)")
    }
    #expect(refusal("ftp://a/b?key=x")?.message.contains("key") == false)
    #expect(refusal("ws://name:word@a")?.message == "url: expected no user in it, got '…@a'")
    #expect(refusal { $0.schema = "s" }?.code == .malformedSchema)
    #expect(refusal { $0.connectTimeout = .zero }?.code == .valueOutOfRange)
    #expect(refusal { $0.silenceLimit = .seconds(90_000) }?.code == .valueOutOfRange)
    #expect(refusal { $0.pingInterval = .milliseconds(9) }?.code == .valueOutOfRange)
    #expect(refusal { $0.backoff.base = .seconds(60) }?.code == .valueOutOfRange)
    #expect(refusal { $0.backoff.attemptLimit = 0 }?.code == .valueOutOfRange)
    for limit in [-1, 0, 16_777_217] { #expect(refusal { $0.messageLimit = limit }?.code == .capacityOutOfRange) }
    for name in ["", "a b", "Ä", "Upgrade", "Sec-WebSocket-Key", "host"] {
      #expect(refusal { $0.headers = [name: "x"] }?.code == .malformedHeader, "\(name)")
    }
    #expect(refusal { $0.headers = ["a": "x\r\nb: y"] }?.code == .malformedHeader)
    for text in ["", "{}", "$symbol $symbols", "$x", "$"] {
      #expect(refusal { $0.subscription = .messages(subscribe: text) }?.code == .malformedTemplate, "\(text)")
    }
    #expect(
      refusal { $0.subscription = .messages(subscribe: "$symbol", unsubscribe: "x") }?.message
        == "unsubscribe: expected $symbol or $symbols in it, got 'x'")
    let roots = refusal("wss://a") { $0.tls.roots = .file("/there-is-none.pem") }
    #expect(roots?.code == .unreadableFile)
    let text = refusal("wss://a") { $0.tls.roots = .pem("x") }
    #expect(text?.code == .unreadableFile)
    #expect(text?.message == "roots: expected certificates in PEM in the text, got none")
  }

  @Test func feedThatIsFilledFromAConnectionIsNotFilledByItsUser() async throws {
    let feed = try quickFeed("ws://127.0.0.1:1")
    do throws(FeedError) {
      try await feed.push([1])
      Issue.record("expected a refusal, got none")
    } catch {
      #expect(error.code == .wrongSource)
    }
    let same = FeedConfiguration.webSocket(WebSocketFeed("wss://a/b?key=x"))
    #expect(
      same == .webSocket(WebSocketFeed("wss://a/b?key=x")) && same != .webSocket(WebSocketFeed("wss://a/b?key=y")))
    if case .hosted(let source) = same { #expect(source.origin == "wss://a/b") }
  }
}
#endif
