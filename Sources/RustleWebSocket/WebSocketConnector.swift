#if WebSocket
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket

/// Opens connections, one at a time: name resolution, TLS and the upgrade request.
struct WebSocketConnector: Sendable {
  /// An established connection: inbound lines, outbound messages.
  typealias Connection = NIOAsyncChannel<[UInt8], String>

  private static let protocols = "Sec-WebSocket-Protocol"
  private static let extensions = "Sec-WebSocket-Extensions"

  let address: WebSocketAddress
  let headers: HTTPHeaders
  /// nil for a connection without TLS.
  let tls: NIOSSLContext?
  let serverName: String?
  let patience: TimeAmount
  let frames: WebSocketFrames.Settings

  /// - Throws: ``WebSocketEnd``; `CancellationError`.
  func open() async throws -> Connection {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let attempt = Attempt(eventLoop)
    // One deadline for all steps: the system's own timeout takes minutes.
    let patience = patience
    let deadline = eventLoop.scheduleTask(in: patience) {
      attempt.fail(
        WebSocketEnd(
          "handshake: expected HTTP status 101 within \(Double(patience.nanoseconds) / 1e9) s, got no response"))
    }
    defer { deadline.cancel() }
    ClientBootstrap(group: eventLoop)
      .connectTimeout(patience)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { attempt.add(channel, answer: try request(on: channel, of: attempt)) }
      }
      .connect(host: address.host, port: address.port)
      .whenComplete { attempt.connected($0) }
    do {
      return try await withTaskCancellationHandler {
        try await attempt.connection.get()
      } onCancel: {
        attempt.fail(CancellationError())
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      throw WebSocketEnd(error)
    }
  }

  /// Prepares a channel before it connects. The answer is nil when the peer refuses.
  private func request(on channel: any Channel, of attempt: Attempt) throws -> EventLoopFuture<Connection?> {
    let pipeline = channel.pipeline.syncOperations
    if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: serverName)) }
    let (frames, headers) = (frames, headers)
    let upgrader = NIOTypedWebSocketClientUpgrader<Connection?>(
      // A frame is a whole message at most, and a control frame has up to 125 bytes.
      maxFrameSize: max(125, frames.messageLimit), enableAutomaticErrorHandling: false
    ) { channel, answer in
      channel.eventLoop.makeCompletedFuture {
        let compression = try Self.check(answer, to: headers)
        let pipeline = channel.pipeline.syncOperations
        // From now on the bytes are not HTTP.
        pipeline.removeHandler(try pipeline.handler(type: Refusal.self), promise: nil)
        try pipeline.addHandler(WebSocketFrames(frames, compression: compression))
        // At most two reads are buffered.
        return try Connection(
          wrappingChannelSynchronously: channel,
          configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2)))
      }
    }
    var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: address.target, headers: headers)
    head.headers.replaceOrAdd(name: "Host", value: address.authority)
    head.headers.replaceOrAdd(name: Self.extensions, value: MessageCompression.offer)
    var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
        upgradeRequestHead: head, upgraders: [upgrader],
        notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(nil) }))
    // A peer may send frames right after its answer.
    configuration.leftOverBytesStrategy = .forwardBytes
    let answer = try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
    try pipeline.addHandler(Refusal(attempt))
    return answer
  }

  /// Refuses an answer that accepts what was not requested (RFC 6455, section 4.1); the rest has been checked.
  ///
  /// - Returns: the compression of the server's messages; nil without one.
  private static func check(
    _ answer: HTTPResponseHead, to headers: HTTPHeaders
  ) throws(WebSocketEnd) -> MessageCompression? {
    func words(_ name: String, of headers: HTTPHeaders) -> [String] {
      headers[canonicalForm: name].filter { !$0.isEmpty }.map(String.init)
    }
    guard answer.version == .http1_1 else {
      throw WebSocketEnd("handshake: expected HTTP/1.1, got \(answer.version)")
    }
    let connection = words("Connection", of: answer.headers)
    guard connection.contains(where: { $0.lowercased() == "upgrade" }) else {
      throw WebSocketEnd("handshake: expected Connection: Upgrade, got '\(connection.joined(separator: ", "))'")
    }
    let accepted = words(Self.extensions, of: answer.headers)
    let compression = accepted.isEmpty ? nil : MessageCompression(answer: accepted)
    if compression == nil, !accepted.isEmpty {
      let got = accepted.joined(separator: ", ")
      throw WebSocketEnd("handshake: expected an offered \(Self.extensions), got '\(got)'")
    }
    let (chosen, offered) = (words(Self.protocols, of: answer.headers), words(Self.protocols, of: headers))
    if chosen.count > 1 || !Set(chosen).isSubset(of: offered) {
      throw WebSocketEnd(
        "handshake: expected an offered Sec-WebSocket-Protocol, got '\(chosen.joined(separator: ", "))'")
    }
    return compression
  }
}

/// An attempt to connect: the first outcome counts.
private final class Attempt: Sendable {
  private typealias Answer = EventLoopFuture<WebSocketConnector.Connection?>

  private struct State {
    var isOver = false
    /// One for each address of the host, until one is connected.
    var channels: [(channel: any Channel, answer: Answer)] = []
  }

  private let promise: EventLoopPromise<WebSocketConnector.Connection>
  private let state = NIOLockedValueBox(State())

  init(_ eventLoop: any EventLoop) { promise = eventLoop.makePromise() }

  var connection: EventLoopFuture<WebSocketConnector.Connection> { promise.futureResult }

  func add(_ channel: any Channel, answer: EventLoopFuture<WebSocketConnector.Connection?>) {
    let isLate = state.withLockedValue { state in
      state.channels.append((channel, answer))
      return state.isOver
    }
    if isLate { channel.close(promise: nil) }
  }

  /// Waits for the answer to the request, once one of the channels is connected.
  func connected(_ result: Result<any Channel, any Error>) {
    switch result {
    case .failure(let error): fail(error)
    case .success(let channel):
      let answer = state.withLockedValue { $0.channels.first { $0.channel === channel }?.answer }
      answer?.whenComplete { [self] result in
        switch result {
        case .success(let connection?): succeed(connection)
        // The head of the answer follows and has the details.
        case .success(nil): break
        case .failure(let error): fail(error)
        }
      }
    }
  }

  private func succeed(_ connection: WebSocketConnector.Connection) {
    // A late one was closed with the others.
    let isLate = state.withLockedValue { state in
      defer { state.isOver = true }
      return state.isOver
    }
    if !isLate { promise.succeed(connection) }
  }

  func fail(_ error: any Error) {
    let channels = state.withLockedValue { state -> [any Channel]? in
      if state.isOver { return nil }
      state.isOver = true
      return state.channels.map(\.channel)
    }
    guard let channels else { return }
    promise.fail(error)
    for channel in channels { channel.close(promise: nil) }
  }
}

/// Reports an answer that is not an upgrade.
private final class Refusal: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let attempt: Attempt

  init(_ attempt: Attempt) { self.attempt = attempt }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = Self.unwrapInboundIn(data) else { return }
    let location = head.headers.first(name: "Location").map { ", to \($0.prefix { $0 != "?" })" } ?? ""
    attempt.fail(
      WebSocketEnd(
        "handshake: expected HTTP status 101, got \(head.status.code) \(head.status.reasonPhrase)\(location)"))
  }
}
#endif
