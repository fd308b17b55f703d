import StudioCore
import Testing

@Suite struct MessageTests {
  private func fault(_ text: String) -> String? {
    do throws(ClientMessage.Fault) {
      _ = try ClientMessage(Array(text.utf8))
      return nil
    } catch {
      return error.message
    }
  }

  @Test func messagesAreRead() throws {
    let text =
      #"{"v":1,"subscribe":["meter","prices"],"unsubscribe":"tempo","pause":true,"id":7,"do":"tempo/set","with":{"bpm":99}}"#
    let message = try ClientMessage(Array(text.utf8))
    #expect(message.subscribe == [.meter, .prices] && message.unsubscribe == [.tempo] && message.pause == true)
    let action = try #require(message.action)
    #expect(action.id == 7 && action.name == "tempo/set" && action.arguments == ["bpm": .number(99)])
    let account = try ClientMessage(Array(#"{"v":1,"subscribe":["account","meter"]}"#.utf8))
    #expect(account.account == true && account.subscribe == [.meter])
    #expect(try ClientMessage(Array(#"{"v":1,"unsubscribe":"account"}"#.utf8)).account == false)
    let empty = try ClientMessage(Array(#"{"v":1}"#.utf8))
    #expect(empty.subscribe.isEmpty && empty.pause == nil && empty.account == nil && empty.action == nil)
  }

  @Test(arguments: [
    ("", "expected a JSON object, got other text"), ("[1]", "expected a JSON object, got other text"),
    ("{}", "v: expected 1, got null"), (#"{"v":2}"#, "v: expected 1, got 2"),
    (#"{"v":1,"subscribe":["weather"]}"#, "subscribe: expected names of topics"),
    (#"{"v":1,"unsubscribe":[3]}"#, "unsubscribe: expected names of topics"),
    (#"{"v":1,"do":"tempo/set"}"#, "expected do with the name of an action, and id with a number"),
    (#"{"v":1,"pause":"on"}"#, "pause: expected true or false, got"),
  ]) func faultsSayWhatWasExpected(text: String, expected: String) {
    #expect(fault(text)?.hasPrefix(expected) == true)
  }

  @Test func deepNestingIsRefused() {
    func nested(_ depth: Int) -> String {
      #"{"v":1,"with":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
    }
    #expect(fault(nested(JSON.maximumDepth - 1)) == nil)
    for depth in [JSON.maximumDepth, 30_000] { #expect(fault(nested(depth)) != nil) }
    #expect(fault(String(repeating: "[", count: 60_000)) != nil)
    // Brackets of a text do not count.
    #expect(fault(#"{"v":1,"with":"\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}"#) == nil)
  }

  private func block(_ change: (inout [UInt8]) -> Void = { _ in }) -> MicrophoneBlock? {
    var bytes: [UInt8] = [1, 1, 1, 0]
    bytes.append(integer: 5 as UInt32)
    bytes.append(integer: 44_100 as UInt32)
    bytes.append(integer: 128 as UInt32)
    for sample in [0.25, -2, Float.nan] + [Float](repeating: 0, count: 125) { bytes.append(number: sample) }
    change(&bytes)
    return MicrophoneBlock(bytes)
  }

  @Test func soundOfABrowserIsRead() throws {
    let block = try #require(self.block())
    #expect(block.sequence == 5 && block.sampleRate == 44_100)
    // Beyond full scale it is cut, and what is no number is silence.
    #expect(block.samples == [0.25, -1, 0] + [Float](repeating: 0, count: 125))
  }

  @Test func otherBinaryMessagesAreNoSound() {
    let (shorter, longer) = (block { $0.removeLast() }, block { $0.append(0) })
    #expect(MicrophoneBlock([]) == nil && shorter == nil && longer == nil)
    for (place, value) in [(0, 2), (1, 2), (2, 2), (10, 0xFF), (12, 0)] as [(Int, UInt8)] {
      let other = block { $0[place] = value }
      #expect(other == nil, "byte \(place)")
    }
  }

  @Test(arguments: [(127, false), (128, true), (4_096, true), (4_097, false)]) func blocksHaveALength(
    frames: Int, isBlock: Bool
  ) {
    var bytes: [UInt8] = [1, 1, 1, 0]
    for value in [5, 44_100, frames] { bytes.append(integer: UInt32(value)) }
    let block = MicrophoneBlock(bytes + [UInt8](repeating: 0, count: 4 * frames))
    #expect((block != nil) == isBlock)
  }

  @Test func framesOfACameraAreRead() throws {
    func frame(_ width: Int, _ height: Int, pixels: Int? = nil, _ change: (inout [UInt8]) -> Void = { _ in })
      -> CameraFrame?
    {
      var bytes: [UInt8] = [1, 2]
      for value in [width, height, 0] { bytes.append(integer: UInt16(value)) }
      bytes += (0..<(pixels ?? width * height)).map { UInt8(truncatingIfNeeded: $0) }
      change(&bytes)
      return CameraFrame(bytes)
    }
    let read = try #require(frame(20, 16))
    #expect(read.width == 20 && read.height == 16 && Array(read.pixels) == (0..<320).map { UInt8($0 & 255) })
    #expect(frame(256, 255) != nil && CameraFrame.maximumPixelCount == 65_528)
    for (width, height) in [(15, 16), (16, 15), (4_097, 16), (0, 0)] { #expect(frame(width, height) == nil) }
    #expect(frame(20, 16, pixels: 319) == nil && frame(20, 16, pixels: 321) == nil && CameraFrame([1, 2]) == nil)
    for (place, value) in [(0, 2), (1, 1), (6, 1)] as [(Int, UInt8)] {
      let other = frame(20, 16) { $0[place] = value }
      #expect(other == nil, "byte \(place)")
    }
  }

  @Test func numbersWithoutJSONAreNull() {
    let value: JSON = [
      "a": .number(.infinity), "b": .number(2.5), "c": .integer(3), "d": .optional(nil), "e": .strings(["x"]),
    ]
    #expect(value.text == #"{"a":null,"b":2.5,"c":3,"d":null,"e":["x"]}"#)
    #expect(JSON(text: Array(value.text.utf8))?["b"] == .number(2.5))
    #expect(value["b"]["deeper"] == .null && value["e"].array?.first?.string == "x" && value["b"].bool == nil)
  }
}
