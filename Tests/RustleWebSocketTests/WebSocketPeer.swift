#if WebSocket
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// A WebSocket server of this process, on the loopback address.
final class WebSocketPeer: Sendable {
  /// A connection that was accepted.
  struct Arrival: Sendable {
    /// The head of the request.
    let head: HTTPRequestHead
    let channel: any Channel
    /// The received frames.
    let frames: AsyncStream<WebSocketFrame>

    /// Sends a message in one frame.
    func send(_ text: String) async throws { try await send(.text, Array(text.utf8)) }

    /// Sends a frame, whatever a server may.
    func send(
      _ opcode: WebSocketOpcode, _ bytes: [UInt8] = [], fin: Bool = true, isCompressed: Bool = false
    ) async throws {
      let frame = WebSocketFrame(fin: fin, rsv1: isCompressed, opcode: opcode, data: ByteBuffer(bytes: bytes))
      try await channel.writeAndFlush(frame)
    }

    /// Ends the connection without a close frame.
    func kill() async { try? await channel.close() }
  }

  let port: Int
  /// The accepted connections.
  let arrivals: AsyncStream<Arrival>
  private let listener: any Channel
  private let scheme: String

  /// The URL of the server.
  var url: String { "\(scheme)://127.0.0.1:\(port)" }

  private init(listener: any Channel, arrivals: AsyncStream<Arrival>, isSecure: Bool) throws {
    self.listener = listener
    self.arrivals = arrivals
    guard let port = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
    self.port = port
    scheme = isSecure ? "wss" : "ws"
  }

  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - closes: whether it answers a frame that closes the connection.
  ///   - extensions: those that it accepts.
  ///   - answer: makes another answer to a request of the one that it would send.
  static func start(
    port: Int = 0, tls: NIOSSLContext? = nil, closes: Bool = true, extensions: String? = nil,
    answer: (@Sendable (String) -> String)? = nil
  ) async throws -> WebSocketPeer {
    let (arrivals, continuation) = AsyncStream.makeStream(of: Arrival.self)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
          if let answer { try channel.pipeline.syncOperations.addHandler(AnswerChanger(answer)) }
          let upgrader = NIOTypedWebSocketServerUpgrader<Void>(
            maxFrameSize: 1 << 24, enableAutomaticErrorHandling: false,
            shouldUpgrade: { channel, _ in
              let headers = HTTPHeaders(extensions.map { [("Sec-WebSocket-Extensions", $0)] } ?? [])
              return channel.eventLoop.makeSucceededFuture(headers)
            },
            upgradePipelineHandler: { channel, head in
              channel.eventLoop.makeCompletedFuture {
                let (frames, sender) = AsyncStream.makeStream(of: WebSocketFrame.self)
                try channel.pipeline.syncOperations.addHandler(FrameRecorder(sender, closes: closes))
                continuation.yield(Arrival(head: head, channel: channel, frames: frames))
              }
            })
          _ = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: NIOUpgradableHTTPServerPipelineConfiguration(
              upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: [upgrader], notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededVoidFuture() })))
        }
      }
      .bind(host: "127.0.0.1", port: port).get()
    return try WebSocketPeer(listener: listener, arrivals: arrivals, isSecure: tls != nil)
  }

  /// Accepts no more connections; established ones continue.
  func stop() async throws { try await listener.close() }
}

/// Changes the first thing that is written.
private final class AnswerChanger: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private var change: ((String) -> String)?

  init(_ change: @escaping (String) -> String) { self.change = change }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard let change = change.take() else { return context.write(data, promise: promise) }
    let answer = ByteBuffer(string: change(String(buffer: Self.unwrapOutboundIn(data))))
    context.write(Self.wrapOutboundOut(answer), promise: promise)
  }
}

/// Delivers received frames unmasked.
private final class FrameRecorder: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let sender: AsyncStream<WebSocketFrame>.Continuation
  private let closes: Bool

  init(_ sender: AsyncStream<WebSocketFrame>.Continuation, closes: Bool) {
    self.sender = sender
    self.closes = closes
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = Self.unwrapInboundIn(data)
    sender.yield(frame)
    guard case .connectionClose = frame.opcode, closes else { return }
    let answer = WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)
    context.writeAndFlush(Self.wrapOutboundOut(answer), promise: nil)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { sender.finish() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// A server that sends the same answer to every client; nil: none.
final class SpeakingPeer: Sendable {
  private let listener: any Channel
  let url: String

  static func start(_ answer: String?, closes: Bool = false) async throws -> SpeakingPeer {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Speaker(answer, closes: closes))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return try SpeakingPeer(listener)
  }

  private init(_ listener: any Channel) throws {
    self.listener = listener
    guard let port = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
    url = "ws://127.0.0.1:\(port)"
  }

  func stop() async throws { try await listener.close() }
}

private final class Speaker: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let answer: String?
  private let closes: Bool

  init(_ answer: String?, closes: Bool) {
    self.answer = answer
    self.closes = closes
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if let answer { context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: answer)), promise: nil) }
    if closes { context.close(promise: nil) }
  }
}
#endif
