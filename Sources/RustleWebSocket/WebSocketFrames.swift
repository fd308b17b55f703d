#if WebSocket
internal import NIOCore
internal import NIOWebSocket

/// Converts the frames of a connection to lines for the feed, one per message, and maintains the connection: answers and sends
/// pings, detects silence, and closes with a handshake (RFC 6455, section 7).
///
/// It runs on its channel's event loop. It delivers the lines of one read together, and reports the reason of the connection's
/// end as an error, a ``WebSocketEnd``.
final class WebSocketFrames: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = [UInt8]
  typealias OutboundIn = String
  typealias OutboundOut = WebSocketFrame

  struct Settings: Sendable {
    /// The maximum size of a message in bytes.
    var messageLimit: Int
    var silenceLimit: TimeAmount?
    var pingInterval: TimeAmount?
  }

  /// The time limit for the peer to close its side after this side has.
  static let closingPatience = TimeAmount.seconds(1)

  private enum State {
    case open
    /// The connection has ended; the channel stays open for the peer's answer.
    case over
  }

  private let settings: Settings
  private var state = State.open
  /// The bytes of the present read, and the length of the present message so far; nil: no message has begun.
  private var lines: [UInt8] = []
  private var messageLength: Int?
  /// The compressed bytes of the present message so far; nil: it is not compressed.
  private var compressed: [UInt8]?
  /// nil where messages are not compressed.
  private let inflater: Inflater?
  /// Whether a read was requested and is not completed, as when the handler is added.
  private var isReading = true
  /// Whether a read was requested since the handler was added. Until then a completion is an earlier one: the upgrade completes
  /// the bytes after the answer once more, while the next read is under way.
  private var hasAsked = false
  /// The time of the last bytes, or of the last resumed read.
  private var heard = NIODeadline.uptimeNanoseconds(0)
  /// The newest unanswered ping, kept until the peer reads.
  private var ping: ByteBuffer?
  private var hasSentClose = false
  private var hasReceivedClose = false
  private var closing: EventLoopPromise<Void>?
  private var silenceTimer: Scheduled<Void>?
  private var pingTimer: Scheduled<Void>?
  private var closingTimer: Scheduled<Void>?

  init(_ settings: Settings, compression: MessageCompression? = nil) {
    self.settings = settings
    inflater = compression.map { Inflater(keepsContext: $0.keepsContext) }
  }

  // MARK: Reading

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = Self.unwrapInboundIn(data)
    switch state {
    case .open: take(frame, context)
    case .over: if case .connectionClose = frame.opcode { peerHasClosed(context) }
    }
  }

  private func take(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
    // The first bit marks the first frame of a compressed message (RFC 7692, section 6), and a server does not mask.
    let isCompressed = frame.rsv1 && inflater != nil && [.text, .binary].contains(frame.opcode)
    if frame.rsv1 != isCompressed || frame.rsv2 || frame.rsv3 || frame.maskKey != nil {
      let got = frame.maskKey != nil ? "a mask" : "a reserved bit"
      return end(.protocolError, "expected frames without masks and extensions, got one with \(got)", context)
    }
    switch frame.opcode {
    case .text, .binary:
      if messageLength != nil {
        return end(.protocolError, "expected the rest of a message, got the beginning of another one", context)
      }
      messageLength = 0
      compressed = isCompressed ? [] : nil
      append(frame, context)
    case .continuation:
      if messageLength == nil { return end(.protocolError, "expected a message, got the rest of one", context) }
      append(frame, context)
    case .ping:
      ping = frame.unmaskedData
      answerPing(context)
    case .pong: break
    case .connectionClose:
      let said = WebSocketCloseReason(frame.unmaskedData)
      hasReceivedClose = true
      // A well-formed code is sent back.
      end(said.isWellFormed ? nil : .protocolError, "the peer has closed the connection: \(said.words)", context)
      sendClose(frame.unmaskedData, context)
    default:
      end(.protocolError, "expected a known opcode, got \(UInt8(webSocketOpcode: frame.opcode))", context)
    }
  }

  /// Appends to the message's line, once the message is complete if it is compressed.
  private func append(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
    let data = frame.unmaskedData
    let length = (messageLength ?? 0) + data.readableBytes
    if length > settings.messageLimit { return endTooLong(context) }
    messageLength = length
    if compressed != nil {
      compressed? += data.readableBytesView
      if frame.fin, !inflate(context) { return }
    } else {
      append(data.readableBytesView)
    }
    if frame.fin {
      lines.append(10)
      (messageLength, compressed) = (nil, nil)
    }
  }

  /// Line breaks within a message, which JSON has only between tokens, become spaces.
  private func append(_ bytes: some Collection<UInt8>) {
    let start = lines.count
    lines.append(contentsOf: bytes)
    for index in start..<lines.count where lines[index] == 10 || lines[index] == 13 { lines[index] = 32 }
  }

  /// Decompresses the present message; returns whether the connection goes on.
  private func inflate(_ context: ChannelHandlerContext) -> Bool {
    do throws(Inflater.Failure) {
      guard let bytes = try inflater?.message(compressed ?? [], limit: settings.messageLimit) else { return true }
      append(bytes)
      return true
    } catch {
      switch error {
      case .tooLong: endTooLong(context)
      case .malformed:
        end(
          .dataInconsistentWithMessage,
          "expected messages compressed by permessage-deflate, got one that cannot be decompressed (1007)",
          context)
      }
      return false
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if hasAsked { isReading = false }
    heard = context.eventLoop.now
    handOn(context)
    context.fireChannelReadComplete()
  }

  private func handOn(_ context: ChannelHandlerContext) {
    if lines.isEmpty { return }
    var piece: [UInt8] = []
    swap(&piece, &lines)
    context.fireChannelRead(Self.wrapInboundOut(piece))
  }

  func read(context: ChannelHandlerContext) {
    hasAsked = true
    if !isReading {
      isReading = true
      heard = context.eventLoop.now
    }
    context.read()
  }

  // MARK: Writing

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard state == .open else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    let text = context.channel.allocator.buffer(string: Self.unwrapOutboundIn(data))
    context.write(Self.wrapOutboundOut(frame(.text, text)), promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    answerPing(context)
    context.fireChannelWritabilityChanged()
  }

  /// Answers only the newest ping when the peer does not read (RFC 6455, section 5.5.3), so that answers do not accumulate.
  private func answerPing(_ context: ChannelHandlerContext) {
    guard state == .open, context.channel.isWritable, let data = ping.take() else { return }
    context.writeAndFlush(Self.wrapOutboundOut(frame(.pong, data)), promise: nil)
  }

  private func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
  }

  // MARK: Time

  func handlerAdded(context: ChannelHandlerContext) {
    heard = context.eventLoop.now
    if let limit = settings.silenceLimit { watch(limit, in: limit, context) }
    if let interval = settings.pingInterval { ping(every: interval, context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { stopTimers() }

  private func watch(_ limit: TimeAmount, in time: TimeAmount, _ context: ChannelHandlerContext) {
    silenceTimer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
      // The time in which nothing is read does not count.
      let silence = isReading ? context.eventLoop.now - heard : .zero
      if silence < limit {
        watch(limit, in: limit - silence, context)
      } else {
        end(.goingAway, "expected data within \(limit.words), got nothing", context)
      }
    }
  }

  private func ping(every interval: TimeAmount, _ context: ChannelHandlerContext) {
    pingTimer = context.eventLoop.assumeIsolated().scheduleTask(in: interval) { [self] in
      if context.channel.isWritable {
        context.writeAndFlush(Self.wrapOutboundOut(frame(.ping, ByteBuffer())), promise: nil)
      }
      ping(every: interval, context)
    }
  }

  private func stopTimers() {
    for timer in [silenceTimer, pingTimer, closingTimer] { timer?.cancel() }
    (silenceTimer, pingTimer, closingTimer) = (nil, nil, nil)
  }

  // MARK: The end

  /// Ends the connection for a reason, which the reader receives after the lines before it.
  ///
  /// - Parameter code: the code of the close frame; nil: none is sent.
  private func end(_ code: WebSocketErrorCode?, _ reason: String, _ context: ChannelHandlerContext) {
    guard state == .open else { return }
    state = .over
    stopTimers()
    handOn(context)
    if let code {
      var data = context.channel.allocator.buffer(capacity: 2)
      data.write(webSocketErrorCode: code)
      sendClose(data, context)
    }
    context.fireErrorCaught(WebSocketEnd(reason))
  }

  private func endTooLong(_ context: ChannelHandlerContext) {
    end(
      .messageTooLarge, "expected messages of at most \(settings.messageLimit) bytes, got a longer one (1009)", context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case NIOWebSocketError.invalidFrameLength: endTooLong(context)
    case NIOWebSocketError.fragmentedControlFrame:
      end(.protocolError, "expected a ping, pong or close in one frame, got a part of one", context)
    case NIOWebSocketError.multiByteControlFrameLength:
      end(.protocolError, "expected a ping, pong or close of at most 125 bytes, got a longer one", context)
    case is NIOWebSocketError:
      end(.protocolError, "expected WebSocket frames, got a malformed one (1002)", context)
    default: end(nil, "the connection was lost: \(WebSocketEnd(error))", context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(nil, "the peer has closed the connection without a close frame", context)
    closing.take()?.succeed()
    context.fireChannelInactive()
  }

  /// Closes the channel once the peer has closed its side or the time limit has passed.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode == .all else { return context.close(mode: mode, promise: promise) }
    if let closing {
      // A close is under way.
      closing.futureResult.cascade(to: promise)
      return
    }
    if state == .open {
      state = .over
      stopTimers()
      var data = context.channel.allocator.buffer(capacity: 2)
      data.write(webSocketErrorCode: .normalClosure)
      sendClose(data, context)
    }
    // A lost connection receives no answer.
    guard hasSentClose, !hasReceivedClose, context.channel.isActive else {
      return context.close(mode: .all, promise: promise)
    }
    let closed = context.eventLoop.makePromise(of: Void.self)
    closed.futureResult.cascade(to: promise)
    closing = closed
    closingTimer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closingPatience) { [self] in
      closeNow(context)
    }
    // The previous reader no longer requests reads.
    context.read()
  }

  private func peerHasClosed(_ context: ChannelHandlerContext) {
    hasReceivedClose = true
    closeNow(context)
  }

  private func closeNow(_ context: ChannelHandlerContext) {
    guard let closing = closing.take() else { return }
    stopTimers()
    context.close(mode: .all, promise: closing)
  }

  private func sendClose(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
    if hasSentClose { return }
    hasSentClose = true
    context.writeAndFlush(Self.wrapOutboundOut(frame(.connectionClose, data)), promise: nil)
  }
}

extension TimeAmount {
  /// The time in seconds, with as few digits as possible: `30 s`, `0.25 s`.
  fileprivate var words: String {
    let seconds = Double(nanoseconds) / 1e9
    return seconds == seconds.rounded() ? "\(Int64(seconds)) s" : "\(seconds) s"
  }
}
#endif
