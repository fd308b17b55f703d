import Foundation
import RustlePlot
import TestSupport
import Testing

@Suite struct PictureFileTests {
  static func map() -> HeatMap {
    let values = (0..<10_000).map { Float($0 * 7_919 % 90) - 90 }
    let grid = HeatGrid(columns: 100, rows: 100, x: 0...1, y: 0...1, values: values)
    return HeatMap(
      title: "", x: HeatMapTests.axis(0...1), y: HeatMapTests.axis(0...1), values: .level(-90...0), grid: grid)
  }

  @Test func aPictureTakesThePlaceOfAnOlderOne() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data([1, 2, 3]), as: "a.png")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    try Self.map().writePNG(to: path, width: 300, height: 200)
    #expect(try PNGImage(contentsOf: URL(filePath: path)).width == 300)
    let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(permissions?.intValue == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.png"])
  }

  @Test func aLinkStaysALink() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data([1, 2, 3]), as: "a.png")
    let link = folder.url.appending(path: "link.png").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    try Self.map().writePNG(to: link, width: 300, height: 200)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try PNGImage(contentsOf: URL(filePath: path)).width == 300)
  }

  /// A picture used to be written over the older one, which was gone when the disk was full.
  @Test func aFailureLeavesTheOlderPictureWhole() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data([1, 2, 3]), as: "a.png")
    await #expect(processExitsWith: .success) { [path = path as String] in
      try ProcessLimits.largestFile(2_000)
      let error = #expect(throws: PlotError.self) { try Self.map().writePNG(to: path, width: 600, height: 400) }
      #expect(error?.code == .writeFailed)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data([1, 2, 3]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.png"])
  }

  @Test func aProtectedPictureIsLeftAlone() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data([1, 2, 3]), as: "a.png")
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      try ProcessLimits.giveUpRoot()
      let error = #expect(throws: PlotError.self) { try Self.map().writePNG(to: path, width: 600, height: 400) }
      #expect(error?.reason == "cannot write \(path): permission denied")
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data([1, 2, 3]))
  }
}
