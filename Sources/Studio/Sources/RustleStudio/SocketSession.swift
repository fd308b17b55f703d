internal import Foundation
internal import NIOCore
internal import NIOWebSocket
internal import ServiceLifecycle
internal import StudioCore
internal import Synchronization

/// A client on its WebSocket: messages in, answers and the newest values out.
struct SocketSession: Sendable {
  /// The most bytes of a message, all of its fragments together.
  static let maximumMessageLength = 64 << 10
  /// The least time between two writes.
  private static let pause = Duration.milliseconds(33)
  /// The time between two pings.
  private static let pingPeriod = Duration.seconds(15)
  /// The time without a frame of the client, not even the answer to a ping, after which it counts as gone.
  private static let silence = Duration.seconds(45)

  /// The time for the last frame.
  private static let farewell = TimeAmount.milliseconds(200)

  let studio: Studio
  let refusal: AccessRules.Refusal?

  typealias Inbound = NIOAsyncChannelInboundStream<WebSocketFrame>
  typealias Outbound = NIOAsyncChannelOutboundWriter<WebSocketFrame>

  /// Serves the client until one of both closes.
  func run(_ channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>) async {
    // An error is the connection's end.
    try? await channel.executeThenClose { inbound, outbound in
      if let refusal {
        try await Self.close(outbound, .policyViolation, refusal.message)
        return
      }
      let client = studio.hub.join()
      defer {
        studio.hub.leave(client)
        Task { await studio.left(client) }
      }
      await studio.greet(client)
      let heard = Heard()
      await withTaskGroup { group in
        group.addTask { try? await read(inbound, outbound, client, heard) }
        group.addTask { try? await write(outbound, client) }
        group.addTask { try? await ping(outbound, heard) }
        group.addTask { try? await gracefulShutdown() }
        // Whichever ends first ends the connection.
        await group.next()
        group.cancelAll()
        client.close()
      }
      // A reader that stalls does not take even that.
      channel.channel.eventLoop.scheduleTask(in: Self.farewell) { channel.channel.close(promise: nil) }
      try await Self.close(outbound, .goingAway, "")
    }
  }

  private func read(_ inbound: Inbound, _ outbound: Outbound, _ client: Client, _ heard: Heard) async throws {
    var message: [UInt8] = []
    var isText = false
    for try await frame in inbound {
      heard.now()
      let bytes = Array(frame.unmaskedData.readableBytesView)
      switch frame.opcode {
      case .ping: try await outbound.write(Self.frame(.pong, bytes))
      case .connectionClose: return
      case .text, .binary, .continuation:
        if frame.opcode != .continuation { (message, isText) = ([], frame.opcode == .text) }
        message += bytes
        guard message.count <= Self.maximumMessageLength else {
          return try await Self.close(outbound, .messageTooLarge, "expected at most 64 KiB")
        }
        guard frame.fin else { continue }
        if isText {
          guard String(validating: message, as: UTF8.self) != nil else {
            return try await Self.close(outbound, .dataInconsistentWithMessage, "expected UTF-8")
          }
          await studio.receive(message, from: client)
        } else {
          await studio.receiveSound(message, from: client)
        }
        message = []
      default: continue
      }
    }
  }

  private func write(_ outbound: Outbound, _ client: Client) async throws {
    for await _ in client.isReady {
      let (answers, values) = client.withOutbox { $0.take() }
      let texts = answers.map { Self.frame(.text, Array($0.utf8)) }
      // Returns when the socket has taken them: nothing queues up behind a reader that stalls.
      try await outbound.write(contentsOf: texts + values.map { Self.frame(.binary, $0.frame.bytes(lost: $0.lost)) })
      try await Task.sleep(for: Self.pause)
    }
  }

  private func ping(_ outbound: Outbound, _ heard: Heard) async throws {
    while heard.elapsed < Self.silence {
      try await Task.sleep(for: Self.pingPeriod)
      try await outbound.write(Self.frame(.ping, []))
    }
  }

  private static func frame(_ opcode: WebSocketOpcode, _ bytes: [UInt8]) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, data: ByteBuffer(bytes: bytes))
  }

  private static func close(_ outbound: Outbound, _ code: WebSocketErrorCode, _ reason: String) async throws {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    data.writeString(reason)
    try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
  }
}

/// When a client was heard last.
private final class Heard: Sendable {
  private let last = Mutex(ContinuousClock.now)

  func now() { last.withLock { $0 = .now } }

  var elapsed: Duration { last.withLock { $0.duration(to: .now) } }
}
