import Foundation
import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct DMXLinesTests {
  private func universe(_ number: Int) throws -> DMXUniverse { try DMXUniverse(number, of: .sacn) }

  @Test func linesAreFramesOfTheirUniverseHoweverTheyAreDivided() throws {
    let text = """
      {"universe":1,"dmx":[255,0]}

      {"v":1,"t_ms":7,"protocol":"sacn","universe":2,"sources":1,"dmx":[3]}
      {"universe":1,"dmx":[1]}
      """
    let expected = [
      [try universe(1): try DMXLevels([255, 0])], [try universe(2): try DMXLevels([3])],
      [try universe(1): try DMXLevels([1])],
    ]
    for length in [1, 7, 1_000] {
      var lines = DMXLines(.ndjson, of: .sacn)
      var (frames, rest): ([[DMXUniverse: DMXLevels]], Data) = ([], Data(text.utf8))
      while !rest.isEmpty {
        frames += try lines.frames(after: rest.prefix(length))
        rest = Data(rest.dropFirst(length))
      }
      frames += try lines.end()
      #expect(frames == expected)
    }
  }

  @Test func malformedLineIsNamed() {
    for (text, place) in [
      ("{}\n", "line 1"), ("{\"universe\":1,\"dmx\":[1]}\n{\"universe\":0,\"dmx\":[1]}\n", "line 2"),
      ("{\"universe\":1,\"dmx\":[]}\n", "line 1"), ("{\"universe\":1,\"dmx\":[256]}\n", "line 1"),
      ("\n\nx\n", "line 3"),
      (String(repeating: " ", count: 17_000), "line 1"),
    ] {
      var lines = DMXLines(.ndjson, of: .sacn)
      let error = #expect(throws: LightingError.self) { try lines.frames(after: Data(text.utf8)) }
      #expect(error?.code == .malformedInput)
      #expect(error?.message.hasPrefix(place) == true, "\(error?.message ?? "")")
    }
  }

  @Test func rawSlotsAreWholeFrames() throws {
    var lines = DMXLines(.raw(universes: [try universe(1), try universe(9)], slots: 2), of: .sacn)
    #expect(try lines.frames(after: Data([1, 2, 3])) == [])
    let frames = try lines.frames(after: Data([4, 5, 6, 7, 8, 9]))
    let expected = [[1, 2, 3, 4], [5, 6, 7, 8]] as [[UInt8]]
    #expect(
      frames
        == (try expected.map {
          [try universe(1): try DMXLevels(Array($0[..<2])), try universe(9): try DMXLevels(Array($0[2...]))]
        }))
    #expect(throws: LightingError.self) { try lines.end() }
  }

  @Test func linesOfAReceiverAreReadAndItsOtherLinesLeftOut() throws {
    let text = """
      {"v":1,"t_ms":7.5,"protocol":"sacn","universe":2,"sources":1,"dmx":[3]}
      {"v":1,"gap":12}
      {"v":1,"t_ms":8,"protocol":"artnet","universe":0,"sources":1,"dmx":[4]}
      {"v":1,"kind":"event","t_ms":9,"event":"syncHeard","protocol":"sacn","universe":2}
      {"v":1,"kind":"stats","datagrams":3}

      """
    var lines = DMXLines(.ndjson, of: .sacn)
    let frames = try lines.timedFrames(after: Data(text.utf8))
    let expected = [[try universe(2): try DMXLevels([3])]]
    #expect(frames.map(\.time) == [7.5] && frames.map(\.levels) == expected)
    #expect(lines.otherLines == 1)
    var others = DMXLines(.ndjson, of: .artNet)
    let levels = try others.frames(after: Data(text.utf8))
    let first = [[try DMXUniverse(0, of: .artNet): try DMXLevels([4])]]
    #expect(levels == first && others.otherLines == 1)
  }
}
