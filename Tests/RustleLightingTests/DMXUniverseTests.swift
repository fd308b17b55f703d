import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct DMXUniverseTests {
  @Test func eachProtocolHasItsOwnNumbersAndNothingIsClamped() throws {
    for (number, kind) in [(1, DMXProtocol.sacn), (63_999, .sacn), (0, .artNet), (32_767, .artNet)] {
      #expect(try DMXUniverse(number, of: kind).number == number)
    }
    for (number, kind) in [(0, DMXProtocol.sacn), (64_000, .sacn), (64_214, .sacn), (-1, .artNet), (32_768, .artNet)] {
      let error = #expect(throws: LightingError.self) { try DMXUniverse(number, of: kind) }
      #expect(error?.code == .universe)
      #expect(error?.message.hasSuffix("got \(number)") == true)
    }
  }

  @Test func portAddressesAreShownAndReadInBothForms() throws {
    let address = try DMXUniverse("1.2.3", of: .artNet)
    #expect(address.number == 291)
    #expect("\(address)" == "1.2.3 (291)")
    #expect(try DMXUniverse("291", of: .artNet) == address)
    #expect("\(try DMXUniverse("7", of: .sacn))" == "7")
    for text in ["", "1.2", "128.0.0", "0.16.0", "0.0.16", "1..3", "-1", "+1", " 1", "x"] {
      #expect(throws: LightingError.self, "\(text)") { try DMXUniverse(text, of: .artNet) }
    }
    #expect(throws: LightingError.self) { try DMXUniverse("1.2.3", of: .sacn) }
  }

  @Test func listsHaveEachUniverseOnceInOrder() throws {
    #expect(try DMXUniverse.list("7,1-4,3", of: .sacn).map(\.number) == [1, 2, 3, 4, 7])
    #expect(try DMXUniverse.list("0.0.15-0.1.1", of: .artNet).map(\.number) == [15, 16, 17])
    for text in ["", "1,", "4-1", "0-3", "1-2-3"] {
      #expect(throws: LightingError.self, "\(text)") { try DMXUniverse.list(text, of: .sacn) }
    }
  }

  @Test func levelsAreOfOneTo512SlotsAndFineOnesAreTwoSlots() throws {
    #expect(throws: LightingError.self) { try DMXLevels([]) }
    #expect(throws: LightingError.self) { try DMXLevels([UInt8](repeating: 0, count: 513)) }
    var levels = DMXLevels(slots: 4)
    levels[1] = 9
    try levels.setFine(0.5, at: 2)
    #expect(levels.bytes == [9, 0x80, 0x00, 0])
    try levels.setFine(1, at: 3)
    #expect(levels.bytes == [9, 0x80, 255, 255])
    for (value, slot) in [(0.5, 4), (0.5, 0), (1.1, 1), (.nan, 1)] {
      #expect(throws: LightingError.self) { try levels.setFine(value, at: slot) }
    }
    #expect(DMXLevels(slots: 900, at: 3).bytes == [UInt8](repeating: 3, count: 512))
  }
}
