import Foundation
import RustleFiles
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct FileStatusTests {
  @Test func aFileIsAsItWasMade() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data([1, 2, 3]), as: "a")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let status = try #require(FileStatus(of: path, followsLink: false))
    #expect(status.kind == .regular && status.size == 3 && status.permissions == 0o640)
    let modified = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    #expect(abs(status.modified.timeIntervalSince(try #require(modified))) < 0.001)
  }

  @Test func aLinkIsOneOrTheFileBehindIt() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data([1]), as: "a")
    for (link, target) in [("b", "a"), ("c", "nothing")] {
      try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: target)
      #expect(FileStatus(of: folder.path(link), followsLink: false)?.kind == .link)
    }
    let behind = try #require(FileStatus(of: folder.path("b"), followsLink: true))
    #expect(behind.kind == .regular && behind.identity == FileStatus(of: path, followsLink: false)?.identity)
    #expect(FileStatus(of: folder.path("c"), followsLink: true) == nil)
  }

  @Test func otherThingsAreNoFiles() throws {
    let folder = try ScratchFolder()
    #expect(FileStatus(of: folder.url.path, followsLink: false)?.kind == .folder)
    #expect(FileStatus(of: "/dev/null", followsLink: false)?.kind == .other)
    #expect(FileStatus(of: folder.path("nothing"), followsLink: false) == nil)
    #expect(FileStatus(of: "", followsLink: false) == nil)
  }
}
