import Foundation
@testable import RustleCLI
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct OutputPathTests {
  static func failure(_ output: String) -> CommandFailure? {
    #expect(throws: CommandFailure.self) { try OutputPath.check(output, option: "--png", isNot: "in.wav") }
  }

  @Test func whatCanBeWrittenIsAccepted() throws {
    let folder = try ScratchFolder()
    let there = try folder.write(Data(), as: "there.png")
    for output in [folder.url.path + "/new.png", there, "/dev/null", "new-in-the-current-folder.png"] {
      #expect(throws: Never.self) { try OutputPath.check(output, option: "--png", isNot: "in.wav") }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["there.png"])
  }

  @Test func aMissingFolderIsRefused() throws {
    let folder = try ScratchFolder()
    let file = try folder.write(Data(), as: "file")
    for output in [folder.url.path + "/no/a.png", file + "/a.png"] {
      let failure = Self.failure(output)
      #expect(failure?.status == .unavailable)
      #expect(failure?.message.contains("--png: cannot write \(output): there is no folder") == true)
    }
  }

  @Test func aLinkIsFollowedToAFileThatIsNotThere() throws {
    let folder = try ScratchFolder()
    func link(_ name: String, to other: String) throws -> String {
      try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: other)
      return folder.path(name)
    }
    let links = [
      try link("a.png", to: "new.png"), try link("b.png", to: folder.path("a.png")),
    ]
    for output in links {
      #expect(throws: Never.self) { try OutputPath.check(output, option: "--png", isNot: "in.wav") }
    }
    let failure = #expect(throws: CommandFailure.self) {
      try OutputPath.check(links[0], option: "--svg", isNot: links[1], of: "--png")
    }
    #expect(failure?.status == .usage)
    let lost = try link("lost.png", to: "no/such.png")
    #expect(Self.failure(lost)?.message.contains("there is no folder \(folder.url.path)/no") == true)
    _ = try link("one.png", to: "two.png")
    let circle = try link("two.png", to: "one.png")
    #expect(Self.failure(circle)?.message == "--png: cannot write \(circle): its links lead in a circle")
  }

  @Test func aFolderIsRefused() throws {
    let folder = try ScratchFolder()
    #expect(Self.failure(folder.url.path)?.status == .usage)
  }

  @Test func aPictureIsNamedPNGOrNothing() throws {
    let folder = try ScratchFolder()
    for name in ["a.png", "a.PNG", "a", "a.b"] {
      #expect(throws: Never.self) { try OutputPath.checkPicture(folder.url.path + "/" + name, isNot: "in.wav") }
    }
    for name in ["a.jpg", "a.JPEG", "a.png.svg"] {
      let failure = #expect(throws: CommandFailure.self) { try OutputPath.checkPicture(name, isNot: "in.wav") }
      #expect(failure?.status == .usage)
      #expect(failure?.message == "--png: expected the name of a PNG file, got \(name)")
    }
  }

  @Test func aForbiddenFolderOrFileIsRefused() async throws {
    let folder = try ScratchFolder()
    let base = folder.url.path
    let closed = base + "/closed"
    let file = try folder.write(Data(), as: "file.png")
    try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: closed)
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file)
    await #expect(processExitsWith: .success) { [closed = closed as String, file = file as String] in
      try ProcessLimits.giveUpRoot()
      for output in [closed + "/a.png", file] {
        let failure = Self.failure(output)
        #expect(failure?.status == .unavailable)
        #expect(failure?.message == "--png: cannot write \(output): permission denied")
      }
    }
  }

  /// The input is not looked at: the output is refused before there is any work.
  @Test(arguments: ["spectrum", "spectrogram"]) func anOutputIsRefusedBeforeTheInputIsRead(command: String) throws {
    let result = try RustleProcess.run([command, "no-such-input.wav", "--png", "no/such/folder/a.png"])
    #expect(result.status == 69)
    #expect(result.errors.contains("cannot write no/such/folder/a.png"))
  }
}
