internal import Foundation
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import ServiceLifecycle
internal import StudioCore
internal import Synchronization

/// A connection: HTTP, until it asks for the WebSocket.
struct StudioChannel: HTTPChannelHandler {
  /// What a connection has become.
  enum Kind: Sendable {
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    case webSocket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, refusal: AccessRules.Refusal?, token: String?)
  }

  struct Value: ServerChildChannelValue {
    let kind: EventLoopFuture<Kind>
    let channel: any Channel
  }

  /// The most bytes of a head.
  private static let maximumHeadLength = 16 << 10
  /// The time for a whole request, from its first byte; that of the first one from the connection.
  static let requestTime = TimeAmount.seconds(10)
  /// The time for what is being sent when the server stops: a reader may have stalled.
  private static let farewellTime = TimeAmount.milliseconds(300)
  /// The time in which nothing needs to be read or written. A long response is written; a stalled reader takes nothing.
  private static let idleTime = TimeAmount.seconds(45)

  let responder: Responder
  let rules: AccessRules
  let proxies: TrustedProxies
  let studio: Studio
  let accounts: AccountService?
  let addresses: AddressCounts

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let (rules, proxies, accounts) = (rules, proxies, accounts)
    let address = channel.remoteAddress?.ipAddress ?? ""
    guard addresses.enter(address) else {
      return channel.close().flatMapThrowing { throw ChannelError.alreadyClosed }
    }
    channel.closeFuture.whenComplete { [addresses] _ in addresses.leave(address) }
    return channel.eventLoop.makeCompletedFuture {
      let upgrader = NIOTypedWebSocketServerUpgrader<Kind>(
        maxFrameSize: SocketSession.maximumMessageLength,
        shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
        upgradePipelineHandler: { channel, head in
          channel.pipeline.removeHandler(name: RequestGuard.name).flatMapThrowing {
            // A refusal before the upgrade would close the connection without an answer: it is a close frame instead.
            try channel.pipeline.syncOperations.handler(type: RequestDeadline.self).requestsEnded()
            let isSecure = proxies.forwarded(head, peer: address)?.isSecure ?? false
            let isSocket = head.uri.split(separator: "?").first == "/ws"
            let refusal = isSocket ? rules.refusal(of: .init(head, isSecure: isSecure)) : .site
            return .webSocket(
              try NIOAsyncChannel(wrappingChannelSynchronously: channel), refusal: refusal,
              token: accounts?.token(head, isSecure: isSecure))
          }
        })
      var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Kind>(
        upgradeConfiguration: .init(
          upgraders: [upgrader],
          notUpgradingCompletionHandler: { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandlers(AnswerGuard(), HTTP1ToHTTPServerCodec(secure: false))
              return .http(
                try NIOAsyncChannel(
                  wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)))
            }
          }))
      configuration.enablePipelining = false
      configuration.decoderConfiguration.maxHeaderListSize = Self.maximumHeadLength
      let pipeline = channel.pipeline.syncOperations
      let deadline = RequestDeadline()
      try pipeline.addHandlers(IdleStateHandler(allTimeout: Self.idleTime), IdleCloser(), deadline)
      let kind = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
      let upgrade = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Kind>.self)
      try pipeline.addHandler(
        RequestGuard(deadline: deadline), name: RequestGuard.name, position: .before(upgrade))
      return Value(kind: kind, channel: channel)
    }
  }

  func handle(value: Value, logger: Logger) async {
    // Of a connection without a request nothing is left to wait for when the server stops; one with a request gets its answer.
    let kind = await withGracefulShutdownHandler {
      try? await value.kind.get()
    } onGracefulShutdown: {
      value.channel.close(promise: nil)
    }
    switch kind {
    case .http(let channel):
      await withGracefulShutdownHandler {
        await handleHTTP(asyncChannel: channel, logger: logger)
      } onGracefulShutdown: {
        let channel = channel.channel
        channel.close(mode: .input, promise: nil)
        channel.eventLoop.scheduleTask(in: Self.farewellTime) { channel.close(promise: nil) }
      }
    case .webSocket(let channel, let refusal, let token):
      await SocketSession(studio: studio, accounts: accounts, refusal: refusal, token: token).run(channel)
    case nil: break
    }
  }
}

/// Closes a connection that was silent for too long.
private final class IdleCloser: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent {
      context.close(promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }
}

/// Closes a connection whose request is not there in time: however slowly its bytes arrive, it is never idle.
private final class RequestDeadline: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var closing: Scheduled<Void>?
  private var hasRequests = true

  func handlerAdded(context: ChannelHandlerContext) { begin(context) }

  func handlerRemoved(context: ChannelHandlerContext) { requestEnded() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if closing == nil, hasRequests { begin(context) }
    context.fireChannelRead(data)
  }

  /// A request is there, with its body.
  func requestEnded() {
    closing?.cancel()
    closing = nil
  }

  /// The connection has become something else.
  func requestsEnded() {
    hasRequests = false
    requestEnded()
  }

  private func begin(_ context: ChannelHandlerContext) {
    let channel = context.channel
    closing = context.eventLoop.scheduleTask(in: StudioChannel.requestTime) { channel.close(promise: nil) }
  }
}

/// Refuses a request of two hosts, of which one would be checked and the other one meant, or of no path, and a WebSocket of another version, without a
/// key or with a body; ignores an upgrade to anything else. Closes the connection of what is no request, once it is answered.
private final class RequestGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  static let name = "RequestGuard"
  private static let webSocketVersion = "13"
  /// The bytes of a WebSocket's key.
  private static let keyLength = 16

  private let deadline: RequestDeadline
  /// Whether what follows are the bytes of a WebSocket, once the handlers of HTTP have left.
  private var isUpgrading = false

  init(deadline: RequestDeadline) { self.deadline = deadline }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isUpgrading { return context.fireChannelRead(data) }
    switch unwrapInboundIn(data) {
    case .head(var head):
      guard head.headers["host"].count < 2, Self.makeRelative(&head) else { return refuse(context, .badRequest) }
      if Self.has(head, "connection", "upgrade"), Self.has(head, "upgrade", "websocket") {
        guard head.headers["sec-websocket-version"] == [Self.webSocketVersion] else {
          return refuse(context, .upgradeRequired, ["sec-websocket-version": Self.webSocketVersion])
        }
        let hasBody =
          head.headers.contains(name: "transfer-encoding") || head.headers["content-length"].contains { $0 != "0" }
        let keys = head.headers["sec-websocket-key"]
        guard head.method == .GET, head.version == .http1_1, !hasBody, keys.count == 1,
          Data(base64Encoded: keys[0])?.count == Self.keyLength
        else { return refuse(context, .badRequest) }
        isUpgrading = true
      } else {
        head.headers.remove(name: "upgrade")
        if head.version == .http1_1, Self.has(head, "expect", "100-continue") {
          // Otherwise the client would wait a while before it sends the body.
          let answer = HTTPResponseHead(version: .http1_1, status: .continue)
          context.writeAndFlush(wrapOutboundOut(.head(answer)), promise: nil)
        }
        // The next layer knows no versions, and keeps connections.
        if head.version != .http1_1 { head.headers.replaceOrAdd(name: "connection", value: "close") }
      }
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body: context.fireChannelRead(data)
    case .end:
      deadline.requestEnded()
      context.fireChannelRead(data)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// Of a target in absolute form, what the rules check and the routes take: its authority is the host, whatever `Host` says (RFC 9112,
  /// section 3.2.2). False for a target of another form.
  private static func makeRelative(_ head: inout HTTPRequestHead) -> Bool {
    if head.uri.hasPrefix("/") || head.uri == "*" { return true }
    let parts = head.uri.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, ["http:", "https:"].contains(parts[0].lowercased()), parts[1].isEmpty else { return false }
    head.headers.replaceOrAdd(name: "host", value: String(parts[2]))
    head.uri = "/" + (parts.count == 4 ? parts[3] : "")
    return true
  }

  private static func has(_ head: HTTPRequestHead, _ name: String, _ value: String) -> Bool {
    head.headers[canonicalForm: name].contains { $0.lowercased() == value }
  }

  private func refuse(
    _ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ headers: HTTPHeaders = [:]
  ) {
    var head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    head.headers.add(contentsOf: ["content-length": "0", "connection": "close"])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }
}

/// Passes one answer to each request, and none to what is no request: the next one would be taken for the answer to another.
private final class AnswerGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private var unanswered = 0
  private var isDropping = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head = unwrapInboundIn(data) { unanswered += 1 }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head(let head) = unwrapOutboundIn(data), head.status.code >= 200 {
      isDropping = unanswered == 0
      unanswered = max(0, unanswered - 1)
    }
    guard isDropping else { return context.write(data, promise: promise) }
    promise?.fail(ChannelError.alreadyClosed)
    context.close(promise: nil)
  }
}

/// The connections of each address.
final class AddressCounts: Sendable {
  private let maximum: Int
  private let counts = Mutex<[String: Int]>([:])

  init(maximum: Int) { self.maximum = maximum }

  /// Counts a connection; false: the address has as many as it may.
  func enter(_ address: String) -> Bool {
    counts.withLock { counts in
      guard counts[address, default: 0] < maximum else { return false }
      counts[address, default: 0] += 1
      return true
    }
  }

  /// Counts the end of a connection.
  func leave(_ address: String) {
    counts.withLock { counts in
      let left = counts[address, default: 0] - 1
      counts[address] = left > 0 ? left : nil
    }
  }
}

extension AccessRules.Head {
  /// The name of the cookie with the token.
  static func cookie(ofHost host: String?, isSecure: Bool) -> String {
    CookieName.of("rustle_token", host: host, isSecure: isSecure)
  }

  /// The head of an upgrade.
  ///
  /// - Parameter isSecure: whether the client uses https.
  init(_ head: HTTPRequestHead, isSecure: Bool) {
    self.init(method: head.method.rawValue)
    let hosts = head.headers["host"]
    host = hosts.count == 1 ? hosts.first : nil
    // Two are another one: one would be checked, and the other one meant.
    func whole(_ name: String) -> String? {
      let values = head.headers[name]
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
    origin = whole("origin")
    fetchSite = whole("sec-fetch-site")
    setCookies(head.headers.first(name: "cookie"), isSecure)
    isUpgrade = true
  }

  /// The head of a request.
  ///
  /// - Parameter isSecure: whether the client uses https.
  init(_ head: HTTPRequest, isSecure: Bool) {
    self.init(method: head.method.rawValue)
    host = head.authority
    origin = head.headerFields[.origin]
    fetchSite = HTTPField.Name("Sec-Fetch-Site").flatMap { head.headerFields[$0] }
    isNavigation = HTTPField.Name("Sec-Fetch-Mode").flatMap { head.headerFields[$0] } == "navigate"
    contentType = head.headerFields[.contentType]
    setCookies(head.headerFields[.cookie], isSecure)
  }

  private mutating func setCookies(_ text: String?, _ isSecure: Bool) {
    hasCookies = text != nil
    cookieToken = CookieName.values(of: Self.cookie(ofHost: host, isSecure: isSecure), in: text).first
  }
}
