import Foundation
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct TerminalProfileTests {
  static func profile(
    _ environment: [String: String], isTerminal: Bool = true, size: (Int, Int) = (0, 0), ascii: Bool = false
  ) -> TerminalProfile {
    TerminalProfile(
      environment: environment, isTerminal: isTerminal, size: (columns: size.0, rows: size.1), isASCIIAskedFor: ascii)
  }

  @Test func colourIsForTerminalsUnlessSaidOtherwise() {
    #expect(Self.profile([:]).usesColor)
    #expect(!Self.profile([:], isTerminal: false).usesColor)
    #expect(!Self.profile(["NO_COLOR": "1"]).usesColor)
    #expect(Self.profile(["NO_COLOR": ""]).usesColor)
    #expect(Self.profile(["FORCE_COLOR": "1"], isTerminal: false).usesColor)
    #expect(!Self.profile(["FORCE_COLOR": "0"]).usesColor)
    #expect(!Self.profile(["NO_COLOR": "1", "FORCE_COLOR": "1"]).usesColor)
    #expect(!Self.profile(["TERM": "dumb"]).usesColor)
  }

  @Test func onlyATerminalThatCanMoveItsCursorIsLive() {
    #expect(Self.profile(["TERM": "xterm-256color"]).isLive)
    #expect(!Self.profile(["TERM": "dumb"]).isLive)
    #expect(!Self.profile(["TERM": "xterm-256color", "FORCE_COLOR": "1"], isTerminal: false).isLive)
  }

  @Test func theFirstLocaleVariableThatIsSetDecidesOnUnicode() {
    #expect(Self.profile([:]).usesUnicode)
    #expect(Self.profile(["LANG": "de_DE.UTF-8"]).usesUnicode)
    #expect(!Self.profile(["LANG": "C"]).usesUnicode)
    #expect(Self.profile(["LC_ALL": "C.utf8", "LANG": "C"]).usesUnicode)
    #expect(!Self.profile(["LC_CTYPE": "POSIX", "LANG": "en_US.UTF-8"]).usesUnicode)
    #expect(!Self.profile(["LANG": "en_US.UTF-8"], ascii: true).usesUnicode)
    #expect(!Self.profile(["TERM": "dumb"]).usesUnicode)
  }

  @Test func theSizeComesFromTheTerminalThenTheEnvironmentThenTheDefault() {
    let asked = Self.profile(["COLUMNS": "50", "LINES": "9"], size: (120, 40))
    #expect(asked.columns == 120 && asked.rows == 40)
    let reported = Self.profile(["COLUMNS": "50", "LINES": "9"], isTerminal: false)
    #expect(reported.columns == 50 && reported.rows == 9)
    let unknown = Self.profile(["COLUMNS": "wide", "LINES": "-3"])
    #expect(unknown.columns == 80 && unknown.rows == 24)
    let tiny = Self.profile([:], size: (3, 1))
    #expect(tiny.columns == 20 && tiny.rows == 5)
    #expect(tiny.screenColumns == 3 && tiny.lineLimit == 1)
    #expect(Self.profile([:], size: (10, 9)).lineLimit == 4, "each line wraps once")
    #expect(reported.lineLimit == 8 && unknown.lineLimit == 23 && reported.screenColumns == 50)
  }

  @Test func aPictureIsCutToTheRowsThatThereAre() throws {
    let pipe = Pipe()
    var screen = LiveScreen(
      hasKeys: false,
      session: TerminalSession(output: -1, input: nil) {
        try pipe.fileHandleForWriting.write(contentsOf: Data($0.utf8))
      }, makeProfile: { Self.profile([:], size: (40, 3)) })
    try screen.draw { _ in (1...5).map { ("line \($0)", 6) } }
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
    #expect(text.contains("line 1") && text.contains("line 2") && !text.contains("line 3"))
  }
}
