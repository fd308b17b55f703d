import Foundation
import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct ImportedRigTests {
  private func scene(_ addresses: [Int]) -> Data {
    let fixtures = addresses.enumerated().map { index, address in
      """
      <Fixture name="par \(index)" uuid="0"><Matrix>{1,0,0}{0,1,0}{0,0,1}{\(index)000,0,4000}</Matrix><GDTFSpec>rgb-par</GDTFSpec>
      <GDTFMode></GDTFMode><Addresses><Address break="0">\(address)</Address></Addresses><FixtureID>\(index)</FixtureID></Fixture>
      """
    }
    let text = """
      <?xml version="1.0"?><GeneralSceneDescription verMajor="1" verMinor="5"><UserData/><Scene><Layers>
      <Layer name="Truss" uuid="1"><ChildList>\(fixtures.joined())</ChildList></Layer></Layers></Scene></GeneralSceneDescription>
      """
    return StoredZIP.archive([("GeneralSceneDescription.xml", text)])
  }

  @Test(arguments: [("sacn", 7), ("artnet", 0)]) func sceneIsARigOfTheUniversesFromTheFirst(name: String, first: Int)
    throws
  {
    let kind = try #require(DMXProtocol(rawValue: name))
    // The last one has no address.
    let imported = try ImportedRig(mvr: scene([1, 516, 0]), from: DMXUniverse(first, of: kind))
    #expect(imported.fixtureCount == 2 && imported.notes.contains { $0.hasPrefix("1 fixtures without an address") })
    let rig = try Rig(json: Data(imported.json.utf8))
    #expect(rig.fixtureCount == 2 && rig.universeCount == 2, "\(rig.faults) \(imported.json)")
    let show = try LightShow(rig: Data(imported.json.utf8))
    #expect(show.fixtureCount == 2 && show.universeCount == 2)
    #expect(imported.json.contains(#""protocol":"\#(name)""#) && imported.json.contains(#""group":"Truss""#))
  }

  @Test func writtenShowIsTheSameShow() throws {
    let text =
      #"{"v":1,"name":"a","faders":["key"],"scenes":[{"name":"full","layers":[{"effect":"wave"}]}],"cues":[{"scene":"full"}]}"#
    let show = try LightShow(show: Data(text.utf8), demo: .heads)
    let folder = try ScratchFolder()
    let file = URL(filePath: folder.path("show.json"))
    try show.write(to: file)
    let again = try LightShow(show: Data(contentsOf: file), demo: .heads)
    #expect(again.name == "a" && again.faders == ["key"] && again.scenes == ["full"] && again.cues == show.cues)
    try again.write(to: file)
    #expect(try LightShow(show: Data(contentsOf: file), demo: .heads) == again)
    #expect(throws: (any Error).self) { try show.write(to: URL(filePath: folder.path("missing/show.json"))) }
  }

  @Test func otherFilesAreNoScenes() throws {
    let par = Data(#"{"v":1,"name":"x"}"#.utf8)
    #expect(ImportedRig.isScene(scene([1])) && !ImportedRig.isScene(par) && !ImportedRig.isScene(Data()))
    for file in [Data(), StoredZIP.archive([("other.xml", "")]), par] {
      let error = try #require(throws: LightingError.self) {
        _ = try ImportedRig(mvr: file, from: DMXUniverse(1, of: .sacn))
      }
      #expect(error.code == .malformedInput)
    }
    let error = try #require(throws: LightingError.self) { _ = try FixtureProfile(file: scene([1])) }
    #expect(error.message == "fixture file: expected one fixture, got a scene")
  }
}
