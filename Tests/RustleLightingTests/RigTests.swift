import Foundation
import RustleLighting
import TestSupport
import Testing

@Suite(.serialized, .releasesNativeObjects) struct RigTests {
  private func rig(_ fixtures: [String]) throws -> Rig {
    try Rig(json: Data("{\"v\":1,\"fixtures\":[\(fixtures.joined(separator: ","))]}".utf8))
  }

  private func par(_ id: String, at address: Int, in universe: Int = 1) -> String {
    "{\"id\":\(id),\"profile\":\"rgb-par\",\"protocol\":\"sacn\",\"universe\":\(universe),\"address\":\(address)}"
  }

  @Test func aRigWithoutFaultsIsCounted() throws {
    let head =
      "{\"id\":\"head\",\"profile\":\"moving-head\",\"protocol\":\"artnet\",\"universe\":\"0.0.1\",\"address\":1}"
    let rig = try rig([par("1", at: 1), par("2", at: 4), head])
    #expect(rig.faults.isEmpty)
    #expect(rig.fixtureCount == 3 && rig.universeCount == 2 && rig.slotCount == 3 + 3 + 10)
  }

  @Test func everyFaultIsNamedAtOnce() throws {
    let rig = try rig([par("4", at: 600), par("1", at: 1), par("2", at: 3), par("3", at: 512), par("1", at: 1, in: 2)])
    #expect(rig.fixtureCount == 4)
    #expect(rig.faults.map(\.kind) == [.value, .overlap, .pastEnd, .duplicateID])
    #expect(rig.faults.map(\.fixtures) == [[], [1, 2], [3], [1, 4]])
    #expect(
      rig.faults.map(\.description) == [
        "fixtures[0].address: expected 1 to 512, got 600",
        "sACN 1: fixtures[1] (id 1, slots 1 to 3) and fixtures[2] (id 2, slots 3 to 5) share slot 3",
        "sACN 1: fixtures[3] (id 3, slots 512 to 514) reaches past slot 512",
        "fixtures[1] and fixtures[4] have the same id, 1",
      ])
  }

  @Test func aFaultLongerThanTheFirstRoomIsWhole() throws {
    let key = String(repeating: "\u{1F4A1}", count: 64)
    let name = String(repeating: "\u{7}", count: 64)
    let long = "{\"id\":\"\(key.prefix(16))\",\"profile\":\"wash\",\"protocol\":\"sacn\",\"universe\":1,\"address\":1}"
    let escaped = name.unicodeScalars.map { String(format: "\\u%04x", $0.value) }.joined()
    let other = "{\"id\":\"\(escaped)\",\"profile\":\"wash\",\"protocol\":\"sacn\",\"universe\":1,\"address\":1}"
    let again = other.replacingOccurrences(of: "\\u0007\"", with: "\\u0008\"")
    let faults = try rig([long, other, again]).faults
    #expect(faults.count == 3 && faults.allSatisfy { $0.description.hasSuffix("share slots 1 to 6") })
    #expect(faults.map(\.description.utf8.count).max() ?? 0 > 512)
  }

  @Test(arguments: [
    ("", "rig: expected JSON in UTF-8, got nothing"), ("{", "rig: expected JSON, got EOF while parsing"),
    ("[]", "rig: expected an object, got an array of 0"), ("{\"v\":3}", "v: expected 1, got 3"),
    ("{\"v\":1,\"fixtures\":{}}", "fixtures: expected an array of at most 65536 fixtures, got an object"),
  ]) func aTextThatIsNoRigIsRefused(text: String, message: String) throws {
    let error = try #require(throws: LightingError.self) { _ = try Rig(json: Data(text.utf8)) }
    #expect(error.code == .malformedInput && error.message.hasPrefix(message), "\(error.message)")
    #expect(error.advice.contains("\"fixtures\":[]"))
  }

  @Test func bytesThatAreNoUTF8AreRefused() throws {
    let error = try #require(throws: LightingError.self) { _ = try Rig(json: Data([0x7B, 0xFF])) }
    #expect(error.code == .malformedInput && error.message == "rig: expected JSON in UTF-8, got other bytes")
  }
}
