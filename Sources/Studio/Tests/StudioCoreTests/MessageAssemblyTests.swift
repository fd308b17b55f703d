import StudioCore
import Testing

@Suite struct MessageAssemblyTests {
  @Test func fragmentsAreOneMessage() throws {
    var assembly = MessageAssembly(maximumLength: 4)
    #expect(try assembly.append([65], as: .text, isLast: false) == nil)
    #expect(try assembly.append([66], as: nil, isLast: false) == nil)
    #expect(try assembly.append([67], as: nil, isLast: true) == .text([65, 66, 67]))
    #expect(try assembly.append([1, 2, 3, 4], as: .binary, isLast: true) == .binary([1, 2, 3, 4]))
    #expect(try assembly.append([], as: .text, isLast: true) == .text([]))
  }

  @Test func faultsHaveTheCodesOfTheProtocol() throws {
    var assembly = MessageAssembly(maximumLength: 4)
    var fault = #expect(throws: MessageAssembly.Fault.self) { try assembly.append([], as: nil, isLast: true) }
    #expect(fault?.code == 1_002)
    _ = try assembly.append([1, 2], as: .binary, isLast: false)
    fault = #expect(throws: MessageAssembly.Fault.self) { try assembly.append([], as: .text, isLast: true) }
    #expect(fault?.code == 1_002)
    fault = #expect(throws: MessageAssembly.Fault.self) { try assembly.append([3, 4, 5], as: nil, isLast: true) }
    #expect(fault?.code == 1_009 && fault?.message == "expected at most 4 bytes")
    var texts = MessageAssembly(maximumLength: 4)
    // A character that two fragments share is whole.
    _ = try texts.append([0xC3], as: .text, isLast: false)
    #expect(try texts.append([0xA4], as: nil, isLast: true) == .text([0xC3, 0xA4]))
    fault = #expect(throws: MessageAssembly.Fault.self) { try texts.append([0xC3], as: .text, isLast: true) }
    #expect(fault?.code == 1_007)
  }

  @Test(
    arguments: [
      ([], nil), ([3], 1_002), ([3, 232], 1_000), ([3, 236], 1_002), ([3, 237], 1_002), ([3, 247], 1_002),
      ([11, 184, 98], 3_000), ([11, 184, 255], 1_002), ([19, 135], 4_999), ([19, 136], 1_002), ([0, 1], 1_002),
    ] as [([UInt8], UInt16?)])
  func closeFramesAreAnsweredWithTheirCode(payload: [UInt8], code: UInt16?) {
    #expect(CloseCode.answer(to: payload) == code)
  }
}
