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
    case webSocket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, refusal: AccessRules.Refusal?)
  }

  struct Value: ServerChildChannelValue {
    let kind: EventLoopFuture<Kind>
    let channel: any Channel
  }

  /// The most connections of one address.
  static let maximumPerAddress = 32
  /// The most bytes of a head.
  private static let maximumHeadLength = 16 << 10
  /// The time for the first head.
  private static let headDeadline = TimeAmount.seconds(10)
  /// The time in which nothing needs to be read or written. A long response is written; a stalled reader takes nothing.
  private static let idleTime = TimeAmount.seconds(45)

  let responder: Responder
  let rules: AccessRules
  let studio: Studio
  let addresses: AddressCounts

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let rules = rules
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
          channel.eventLoop.makeCompletedFuture {
            // A refusal before the upgrade would close the connection without an answer: it is a close frame instead.
            let refusal = head.uri.split(separator: "?").first == "/ws" ? rules.refusal(of: .init(head)) : .site
            return .webSocket(try NIOAsyncChannel(wrappingChannelSynchronously: channel), refusal: refusal)
          }
        })
      var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Kind>(
        upgradeConfiguration: .init(
          upgraders: [upgrader],
          notUpgradingCompletionHandler: { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
              return .http(
                try NIOAsyncChannel(
                  wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)))
            }
          }))
      configuration.enablePipelining = false
      configuration.decoderConfiguration.maxHeaderListSize = Self.maximumHeadLength
      try channel.pipeline.syncOperations.addHandlers(
        IdleStateHandler(allTimeout: Self.idleTime), IdleCloser())
      let kind = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(configuration: configuration)
      let deadline = channel.eventLoop.scheduleTask(in: Self.headDeadline) { channel.close(promise: nil) }
      kind.whenComplete { _ in deadline.cancel() }
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
        channel.channel.close(mode: .input, promise: nil)
      }
    case .webSocket(let channel, let refusal):
      await SocketSession(studio: studio, refusal: refusal).run(channel)
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

/// The connections of each address.
final class AddressCounts: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// Counts a connection; false: the address has as many as it may.
  func enter(_ address: String) -> Bool {
    counts.withLock { counts in
      guard counts[address, default: 0] < StudioChannel.maximumPerAddress else { return false }
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
  static let cookie = "rustle_token"

  /// The head of an upgrade.
  init(_ head: HTTPRequestHead) {
    self.init(method: head.method.rawValue)
    host = head.headers.first(name: "host")
    origin = head.headers.first(name: "origin")
    fetchSite = head.headers.first(name: "sec-fetch-site")
    setCookies(head.headers.first(name: "cookie"))
    isUpgrade = true
  }

  /// The head of a request.
  init(_ head: HTTPRequest) {
    self.init(method: head.method.rawValue)
    host = head.authority
    origin = head.headerFields[.origin]
    fetchSite = HTTPField.Name("Sec-Fetch-Site").flatMap { head.headerFields[$0] }
    contentType = head.headerFields[.contentType]
    setCookies(head.headerFields[.cookie])
  }

  private mutating func setCookies(_ text: String?) {
    hasCookies = text != nil
    let pairs = (text ?? "").split(separator: ";").map { $0.split(separator: "=", maxSplits: 1) }
    let token = pairs.first { $0.count == 2 && $0[0].drop { $0 == " " } == Self.cookie }
    cookieToken = token.map { String($0[1]) }
  }
}
