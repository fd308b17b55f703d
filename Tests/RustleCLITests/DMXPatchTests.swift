import Foundation
import TestSupport
import Testing

@testable import RustleCLI

/// The command dmx patch check.
@Suite(.releasesNativeObjects) struct DMXPatchTests {
  private let fine = """
    {"v":1,"fixtures":[{"id":1,"profile":"bar-16","protocol":"artnet","universe":"0.1.2","address":1},
    {"id":2,"profile":"dimmer","protocol":"artnet","universe":18,"address":49}]}
    """

  @Test func aRigWithoutFaultsIsCountedOnStandardError() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data(fine.utf8), as: "rig.json")
    let checked = try RustleProcess.run(["dmx", "patch", "check", path])
    #expect(checked.status == 0 && checked.output == "")
    #expect(checked.errors == "rustle: no faults; 2 fixtures, 49 slots, universes: 1\n")
  }

  @Test func faultsAreLinesAndBadData() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data(fine.replacing(":49}", with: ":48}").utf8), as: "rig.json")
    let message = "Art-Net 0.1.2 (18): fixtures[0] (id 1, slots 1 to 48) and fixtures[1] (id 2, slot 48) share slot 48"
    let text = try RustleProcess.run(["dmx", "patch", "check", path])
    #expect(text.status == 65 && text.output == message + "\n")
    #expect(text.errors.contains(": 1 fault"))
    let lines = try RustleProcess.run(["dmx", "patch", "check", path, "--json"])
    #expect(lines.output == "{\"v\":1,\"kind\":\"overlap\",\"fixtures\":[0,1],\"message\":\"\(message)\"}\n")
  }

  @Test func aFileThatIsNoRigIsNamed() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("{\"v\":1}".utf8), as: "none.json")
    let checked = try RustleProcess.run(["dmx", "patch", "check", path])
    #expect(checked.status == 65 && checked.errors.contains("none.json: fixtures: expected an array"))
    let missing = try RustleProcess.run(["dmx", "patch", "check", path + ".missing"])
    #expect(missing.status == 66 && missing.errors.contains("no such file"))
  }
}
