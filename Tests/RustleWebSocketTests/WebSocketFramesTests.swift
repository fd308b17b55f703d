#if WebSocket
import NIOCore
import NIOEmbedded
import NIOWebSocket
import TestSupport
import Testing

@testable import RustleWebSocket

/// The frames of one connection, on an event loop whose time the test advances.
@Suite(.releasesNativeObjects) struct WebSocketFramesTests {
  /// A connection whose peer is the test.
  private final class Stage {
    let channel = EmbeddedChannel()
    let loop: EmbeddedEventLoop

    init(
      limit: Int = 1_000, silence: TimeAmount? = nil, ping: TimeAmount? = nil, compression: MessageCompression? = nil
    ) throws {
      loop = channel.embeddedEventLoop
      let settings = WebSocketFrames.Settings(messageLimit: limit, silenceLimit: silence, pingInterval: ping)
      try channel.pipeline.syncOperations.addHandler(WebSocketFrames(settings, compression: compression))
      channel.connect(to: try SocketAddress(unixDomainSocketPath: "/peer"), promise: nil)
    }

    /// A channel that is not closed keeps its pipeline, and this the channel. A peer that does not answer is left after a second.
    deinit {
      channel.close(promise: nil)
      loop.advanceTime(by: .seconds(1))
    }

    /// One read brings these frames.
    func receive(_ frames: WebSocketFrame...) {
      for frame in frames { channel.pipeline.fireChannelRead(frame) }
      channel.pipeline.fireChannelReadComplete()
    }

    func read() { channel.pipeline.read() }

    /// The lines that the handler delivered.
    func lines() throws -> [String] {
      var lines: [String] = []
      while let bytes = try channel.readInbound(as: [UInt8].self) {
        lines.append(String(decoding: bytes, as: UTF8.self))
      }
      return lines
    }

    /// The frames that the handler sent, as `pong:text`; a close has its code.
    func sent() throws -> [String] {
      var frames: [String] = []
      while let frame = try channel.readOutbound(as: WebSocketFrame.self) {
        #expect(frame.maskKey != nil && frame.fin, "a client masks")
        var data = frame.data
        switch frame.opcode {
        case .connectionClose: frames.append("close:\(data.readInteger(as: UInt16.self) ?? 0)")
        case .ping: frames.append("ping:\(String(buffer: data))")
        case .pong: frames.append("pong:\(String(buffer: data))")
        case .text: frames.append("text:\(String(buffer: data))")
        default: frames.append("\(frame.opcode)")
        }
      }
      return frames
    }

    /// The reason of the connection's end; nil before it.
    func end() -> String? {
      do {
        try channel.throwIfErrorCaught()
        return nil
      } catch {
        return "\(error)"
      }
    }
  }

  private func frame(_ opcode: WebSocketOpcode, _ text: String = "", fin: Bool = true) -> WebSocketFrame {
    WebSocketFrame(fin: fin, opcode: opcode, data: ByteBuffer(string: text))
  }

  @Test func readIsHandedOnAsOnePieceOfLines() throws {
    let stage = try Stage()
    stage.receive(frame(.text, "a"), frame(.binary, "b\r\nc"), frame(.text, "d", fin: false))
    stage.receive(frame(.ping, "p"), frame(.continuation, "e", fin: false), frame(.pong, "unasked"))
    stage.receive(frame(.continuation, "f"), frame(.text))
    #expect(try stage.lines() == ["a\nb  c\nd", "e", "f\n\n"])
    #expect(try stage.sent() == ["pong:p"])
    #expect(stage.end() == nil)
    try stage.channel.writeOutbound("hello")
    #expect(try stage.sent() == ["text:hello"])
  }

  @Test func silenceEndsTheConnectionAndAnythingBreaksIt() throws {
    let stage = try Stage(silence: .seconds(30))
    stage.loop.advanceTime(by: .seconds(29))
    // A part of a frame breaks the silence too.
    stage.channel.pipeline.fireChannelReadComplete()
    stage.read()
    stage.loop.advanceTime(by: .seconds(29))
    #expect(stage.end() == nil)
    stage.receive(frame(.pong))
    stage.read()
    stage.loop.advanceTime(by: .nanoseconds(29_999_999_999))
    #expect(stage.end() == nil)
    stage.loop.advanceTime(by: .nanoseconds(1))
    #expect(stage.end() == "expected data within 30 s, got nothing")
    #expect(try stage.sent() == ["close:1001"])
  }

  @Test func timeInWhichNothingIsReadIsNoSilence() throws {
    let stage = try Stage(silence: .milliseconds(250))
    stage.read()
    stage.loop.advanceTime(by: .milliseconds(200))
    stage.receive(frame(.text, "a"))
    // The reader requests no further read.
    stage.loop.advanceTime(by: .hours(1))
    #expect(stage.end() == nil)
    stage.read()
    stage.loop.advanceTime(by: .milliseconds(249))
    #expect(stage.end() == nil)
    stage.loop.advanceTime(by: .milliseconds(1))
    #expect(stage.end() == "expected data within 0.25 s, got nothing")
  }

  @Test func codeThatMayNotBeSentIsAnsweredAsAnError() throws {
    for (bytes, words, answer) in [
      ([], "no code", 0), ([3, 233], "code 1001", 1_001), ([0x0B, 0xB8, 0x68, 0x69], "code 3000, hi", 3_000),
      ([3], "an incomplete code", 1_002), ([3, 237], "code 1005", 1_002), ([0, 1], "code 1", 1_002),
      ([0x13, 0x88], "code 5000", 1_002),
      ([3, 232, 0xFF], "code 1000, \u{FFFD}", 1_002),
    ] as [([UInt8], String, Int)] {
      let stage = try Stage()
      stage.receive(WebSocketFrame(fin: true, opcode: .connectionClose, data: ByteBuffer(bytes: bytes)))
      #expect(stage.end() == "the peer has closed the connection: \(words)")
      #expect(try stage.sent() == ["close:\(answer)"])
    }
  }

  /// A read is under way when the handler comes, and the upgrade completes what came with the answer.
  @Test func silenceAfterAGreetingWithTheAnswerEndsTheConnection() throws {
    let stage = try Stage(silence: .seconds(30))
    stage.receive(frame(.text, "welcome"))
    stage.loop.advanceTime(by: .seconds(30))
    #expect(stage.end() == "expected data within 30 s, got nothing")
  }

  @Test func pingsAreSentAtTheirIntervalToAPeerThatReads() throws {
    let stage = try Stage(ping: .seconds(10))
    stage.loop.advanceTime(by: .seconds(35))
    #expect(try stage.sent() == ["ping:", "ping:", "ping:"])
    stage.channel.isWritable = false
    stage.loop.advanceTime(by: .hours(1))
    #expect(try stage.sent().isEmpty)
    stage.channel.isWritable = true
    stage.loop.advanceTime(by: .seconds(10))
    #expect(try stage.sent() == ["ping:"])
  }

  @Test func newestPingAloneIsAnsweredOnceThePeerReads() throws {
    let stage = try Stage()
    stage.channel.isWritable = false
    stage.receive(frame(.ping, "1"), frame(.ping, "2"))
    stage.receive(frame(.ping, "3"))
    #expect(try stage.sent().isEmpty)
    stage.channel.isWritable = true
    stage.channel.pipeline.fireChannelWritabilityChanged()
    #expect(try stage.sent() == ["pong:3"])
    stage.channel.pipeline.fireChannelWritabilityChanged()
    #expect(try stage.sent().isEmpty)
  }

  @Test func framesThatCannotBeEndTheConnectionAfterWhatCameBefore() throws {
    var reserved = frame(.text, "x")
    reserved.rsv1 = true
    var masked = frame(.text, "x")
    masked.maskKey = [1, 2, 3, 4]
    let unknown = WebSocketFrame(
      fin: true, opcode: try #require(WebSocketOpcode(encodedWebSocketOpcode: 3)), data: ByteBuffer())
    for (frames, expected) in [
      ([reserved], "expected frames without masks and extensions, got one with a reserved bit"),
      ([masked], "expected frames without masks and extensions, got one with a mask"),
      ([unknown], "expected a known opcode, got 3"),
      ([frame(.continuation, "x")], "expected a message, got the rest of one"),
      (
        [frame(.text, "x", fin: false), frame(.text, "y")],
        "expected the rest of a message, got the beginning of another one"
      ),
    ] {
      let stage = try Stage()
      stage.channel.pipeline.fireChannelRead(frame(.text, "good"))
      for frame in frames { stage.channel.pipeline.fireChannelRead(frame) }
      stage.receive(frame(.text, "late"))
      #expect(stage.end()?.hasPrefix(expected) == true)
      #expect(try stage.sent() == ["close:1002"])
      #expect(try stage.lines().first?.hasPrefix("good\n") == true)
      #expect(try stage.lines().isEmpty, "nothing follows the end")
    }
  }

  private func compressed(
    _ opcode: WebSocketOpcode, _ bytes: [UInt8], rsv1: Bool = true, fin: Bool = true
  ) -> WebSocketFrame {
    WebSocketFrame(fin: fin, rsv1: rsv1, opcode: opcode, data: ByteBuffer(bytes: bytes))
  }

  @Test func compressedMessagesAreLinesAsOthersAre() throws {
    let stage = try Stage(compression: MessageCompression(answer: ["permessage-deflate"]))
    let hello = InflaterTests.bytes("f248cdc9c90700")
    stage.receive(
      compressed(.text, hello), frame(.text, "plain"), compressed(.binary, Array(hello[..<3]), fin: false),
      frame(.ping, "1"), compressed(.continuation, Array(hello[3...]), rsv1: false),
      compressed(.text, InflaterTests.bytes("f200110000")))
    #expect(try stage.lines() == ["Hello\nplain\nHello\nHello\n"])
    #expect(try stage.sent() == ["pong:1"])
  }

  @Test func compressedMessagesThatCannotBeEndTheConnection() throws {
    // 1,024 zeros.
    let zeros = "62601805a360148c540000"
    for (frame, code, expected) in [
      (compressed(.text, [0xFF]), 1_007, "expected messages compressed by permessage-deflate"),
      (compressed(.text, InflaterTests.bytes(zeros)), 1_009, "expected messages of at most 1000 bytes"),
      (compressed(.ping, [0]), 1_002, "expected frames without masks and extensions, got one with a reserved bit"),
    ] {
      let stage = try Stage(compression: MessageCompression(answer: ["permessage-deflate"]))
      stage.receive(compressed(.text, InflaterTests.bytes("f248cdc9c90700")), frame)
      #expect(stage.end()?.hasPrefix(expected) == true)
      #expect(try stage.sent() == ["close:\(code)"])
      #expect(try stage.lines() == ["Hello\n"])
    }
  }

  @Test func decodersRefusalsHaveTheirCodes() throws {
    for (error, code) in [
      (NIOWebSocketError.invalidFrameLength, 1_009), (.fragmentedControlFrame, 1_002),
      (.multiByteControlFrameLength, 1_002),
    ] {
      let stage = try Stage()
      stage.channel.pipeline.fireErrorCaught(error)
      #expect(stage.end()?.hasPrefix("expected ") == true)
      #expect(try stage.sent() == ["close:\(code)"])
    }
  }

  @Test func endIsAHandshakeWithAPeerThatAnswers() throws {
    let stage = try Stage(silence: .seconds(1), ping: .milliseconds(100))
    let closed = stage.channel.close()
    #expect(try stage.sent() == ["close:1000"])
    #expect(stage.channel.isActive)
    stage.receive(frame(.text, "on its way"))
    #expect(stage.channel.isActive)
    stage.receive(frame(.connectionClose))
    #expect(!stage.channel.isActive)
    try closed.wait()
    #expect(try stage.lines().isEmpty && stage.sent().isEmpty)
    #expect(stage.end() == nil, "it is this side's own")
  }

  @Test func peerThatDoesNotAnswerTheEndIsLeftAfterASecond() throws {
    let stage = try Stage()
    let (first, second) = (stage.channel.close(), stage.channel.close())
    stage.loop.advanceTime(by: .milliseconds(999))
    #expect(stage.channel.isActive)
    stage.loop.advanceTime(by: .milliseconds(1))
    #expect(!stage.channel.isActive)
    try first.wait()
    try second.wait()
  }

  @Test func endOfThePeerIsAnsweredAndReported() throws {
    let stage = try Stage()
    stage.receive(
      WebSocketFrame(fin: true, opcode: .connectionClose, data: ByteBuffer(bytes: [0x03, 0xE9] + Array("bye".utf8))))
    #expect(stage.end() == "the peer has closed the connection: code 1001, bye")
    #expect(try stage.sent() == ["close:1001"])
    stage.channel.close(promise: nil)
    #expect(!stage.channel.isActive, "there is nothing to wait for")
    let wordless = try Stage()
    wordless.receive(frame(.connectionClose))
    #expect(wordless.end() == "the peer has closed the connection: no code")
    let lost = try Stage()
    lost.channel.pipeline.fireChannelInactive()
    #expect(lost.end() == "the peer has closed the connection without a close frame")
  }
}
#endif
