internal import Foundation
internal import NIOCore
internal import NIOWebSocket
internal import ServiceLifecycle
internal import StudioCore

/// A client on its WebSocket: messages in, answers and the newest values out.
struct SocketSession: Sendable {
  /// The most bytes of a message, all of its fragments together.
  static let maximumMessageLength = 64 << 10
  /// The time for the last frame.
  private static let farewellTime = TimeAmount.milliseconds(200)

  /// The reason of the last frame when the session of the account has ended: the page goes on without it.
  private static let endedReason = "the session has ended"

  let studio: Studio
  let accounts: AccountService?
  let refusal: AccessRules.Refusal?
  /// Of the account's session; nil: none.
  let token: String?

  typealias Inbound = NIOAsyncChannelInboundStream<WebSocketFrame>
  typealias Outbound = NIOAsyncChannelOutboundWriter<WebSocketFrame>

  /// Serves the client until one of both closes.
  func run(_ channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>) async {
    // An error is the connection's end.
    try? await channel.executeThenClose { inbound, outbound in
      if let refusal {
        return try await Self.close(outbound, Farewell(.policyViolation, refusal.message))
      }
      let client = studio.hub.join(canAct: true)
      defer {
        studio.hub.leave(client)
        Task { await studio.left(client) }
      }
      let account = await AccountSocket(accounts, token: token, client: client)
      defer { account?.leave() }
      await studio.greet(client)
      let heartbeat = Heartbeat(clock: .continuous)
      await withTaskGroup { group in
        group.addTask { (isReader: true, farewell: await read(inbound, outbound, client, account, heartbeat)) }
        group.addTask { (isReader: false, farewell: await serve(outbound, client, account, heartbeat)) }
        // Whichever ends first ends the connection.
        guard let (isReader, farewell) = await group.next() else { return }
        client.close()
        // A reader that stalls does not take even the last frame.
        channel.channel.eventLoop.scheduleTask(in: Self.farewellTime) { channel.channel.close(promise: nil) }
        // What is being written comes before the last frame.
        if isReader { await group.waitForAll() }
        try? await Self.close(outbound, farewell)
        // Until the client closes, too: bytes that nobody reads would make the system discard the last frame.
        await group.waitForAll()
      }
    }
  }

  /// Writes to the client until it is closed, silent for too long, or the server stops.
  private func serve(
    _ outbound: Outbound, _ client: Client, _ account: AccountSocket?, _ heartbeat: Heartbeat<ContinuousClock>
  ) async -> Farewell {
    await withTaskGroup(of: Farewell.self) { group in
      if let account {
        group.addTask {
          await account.ended()
          return Farewell(.policyViolation, Self.endedReason)
        }
      }
      group.addTask { await write(outbound, client) }
      group.addTask { await ping(outbound, heartbeat) }
      group.addTask {
        try? await gracefulShutdown()
        return Farewell(.goingAway, "the server stops")
      }
      let farewell = await group.next()
      group.cancelAll()
      return farewell ?? Farewell(nil)
    }
  }

  /// Reads messages until the client closes, or sends what no client may.
  private func read(
    _ inbound: Inbound, _ outbound: Outbound, _ client: Client, _ account: AccountSocket?,
    _ heartbeat: Heartbeat<ContinuousClock>
  ) async -> Farewell {
    var message = MessageAssembly(maximumLength: Self.maximumMessageLength)
    var pace = MessagePace(rate: MicrophoneBlock.maximumRate)
    do {
      for try await frame in inbound {
        heartbeat.heard()
        guard !client.isClosed else {
          // Of one that has answered the last frame no more bytes come.
          if frame.opcode == .connectionClose { break }
          continue
        }
        let bytes = Array(frame.unmaskedData.readableBytesView)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
          return Farewell(.protocolError, "expected a masked frame without extensions")
        }
        switch frame.opcode {
        case .ping: try await outbound.write(Self.frame(.pong, bytes))
        case .pong: break
        case .connectionClose: return Farewell(answering: bytes)
        case .text, .binary, .continuation:
          let kind: MessageAssembly.Kind? =
            switch frame.opcode {
            case .text: .text
            case .binary: .binary
            default: nil
            }
          switch try message.append(bytes, as: kind, isLast: frame.fin) {
          case .text(let text): await studio.receive(text, from: client, account)
          case .binary(let bytes):
            guard pace.take(at: .now) else {
              let most = Int(MicrophoneBlock.maximumRate)
              return Farewell(
                .init(codeNumber: Farewell.tryAgainLater), "expected at most \(most) binary messages a second")
            }
            // Those of other clients than the source would take the time of what is the lamps'.
            if let kind = BinaryKind(of: bytes), studio.hub.source(of: kind) != client.id {
              if kind == .camera, let frame = CameraFrame(bytes) { client.sees(frame) }
              continue
            }
            await studio.receive(binary: bytes, from: client)
          case nil: break
          }
          guard await client.hasRoom() else {
            return Farewell(.init(codeNumber: Farewell.tryAgainLater), "expected a reader of the answers")
          }
        default: return Farewell(.protocolError, "expected an opcode of RFC 6455")
        }
      }
      return Farewell(nil)
    } catch let fault as MessageAssembly.Fault {
      return Farewell(.init(codeNumber: fault.code), fault.message)
    } catch {
      return Farewell(nil)
    }
  }

  /// Writes what waits until the client is closed.
  private func write(_ outbound: Outbound, _ client: Client) async -> Farewell {
    do {
      for await _ in client.isReady {
        let (waiting, values) = client.take()
        let texts = waiting.map { Self.frame(.text, Array($0.utf8)) }
        // Returns when the socket has taken them: nothing queues up behind a reader that stalls.
        let frames = texts + values.map { Self.frame(.binary, $0.frame.bytes(lost: $0.lost)) }
        try await outbound.write(contentsOf: frames)
        let lost = values.reduce(0) { $0 + UInt64($1.lost) }
        studio.hub.sent(bytes: frames.reduce(0) { $0 + $1.data.readableBytes }, lost: lost)
      }
      return Farewell(nil)
    } catch {
      return Farewell(nil)
    }
  }

  private func ping(_ outbound: Outbound, _ heartbeat: Heartbeat<ContinuousClock>) async -> Farewell {
    do {
      // A page does not see the pings.
      let here = Self.frame(.text, Array(#"{"type":"here","v":1}"#.utf8))
      try await heartbeat.run { try await outbound.write(contentsOf: [Self.frame(.ping, []), here]) }
      return Farewell(.goingAway, "expected an answer to a ping")
    } catch {
      return Farewell(nil)
    }
  }

  private static func frame(_ opcode: WebSocketOpcode, _ bytes: [UInt8]) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, data: ByteBuffer(bytes: bytes))
  }

  private static func close(_ outbound: Outbound, _ farewell: Farewell) async throws {
    var data = ByteBuffer()
    if let code = farewell.code {
      data.write(webSocketErrorCode: code)
      data.writeString(farewell.reason)
    }
    try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
  }
}

/// What the last frame of a connection says.
private struct Farewell: Sendable {
  /// 1013: the client has more to take than it may.
  static let tryAgainLater = 1_013

  /// The code; nil: a frame without one.
  let code: WebSocketErrorCode?
  let reason: String

  init(_ code: WebSocketErrorCode?, _ reason: String = "") { (self.code, self.reason) = (code, reason) }

  /// The answer to a client's last frame: its code.
  init(answering bytes: [UInt8]) {
    switch CloseCode.answer(to: bytes) {
    case nil: self.init(nil)
    case let code?: self.init(.init(codeNumber: Int(code)))
    }
  }
}
