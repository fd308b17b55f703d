import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct TerminalTextTests {
  @Test func aTextIsPaintedOnlyWhereThereAreColours() {
    let (colored, plain) = (
      TickerViewTests.profile(columns: 80, color: true), TickerViewTests.profile(columns: 80)
    )
    #expect(colored.paint("up", .green) == "\u{1B}[32mup\u{1B}[0m")
    #expect(colored.paint("up", nil) == "up" && colored.paint("", .green) == "")
    #expect(plain.paint("up", .green) == "up")
  }

  @Test func aFrameIsDrawnOverTheOneBefore() {
    var frame = LiveFrame()
    let first = frame.draw([("a", 1), ("b", 1)], columns: 80)
    #expect(first == "\u{1B}[?2026h\ra\u{1B}[K\r\nb\u{1B}[K\r\n\u{1B}[J\u{1B}[?2026l")
    #expect(frame.draw([("c", 1)], columns: 80) == "\u{1B}[?2026h\u{1B}[2A\rc\u{1B}[K\r\n\u{1B}[J\u{1B}[?2026l")
    frame.forget()
    #expect(!frame.draw([("d", 1)], columns: 80).contains("A\r"))
  }

  @Test func aTerminalThatBecameNarrowerHasWrappedTheOldLines() {
    var frame = LiveFrame()
    _ = frame.draw([("", 0), ("", 80), ("", 41)], columns: 80)
    // One row for the empty line, two for each of the others.
    #expect(frame.draw([], columns: 40).hasPrefix("\u{1B}[?2026h\u{1B}[5A"))
  }

  @Test func progressIsForJobsOfMoreThanASecondThatSomebodyWatches() {
    final class Log {
      var seconds = 0.0
      var text = ""
    }
    func run(total: Int?, scale: Double = 1, isEnabled: Bool = true) -> String {
      let log = Log()
      var line = ProgressLine(total: total, isEnabled: isEnabled, now: { log.seconds }, write: { log.text += $0 })
      for (seconds, done) in [(0.5, 10), (1.0, 25), (1.05, 30), (1.2, 200)] {
        log.seconds = seconds * scale
        line.update(done)
      }
      line.end()
      line.end()
      return log.text
    }
    #expect(
      run(total: 100)
        == "\r[#####---------------]  25 %  0:03 left\u{1B}[K\r[####################] 100 %  0:00 left\u{1B}[K\r\u{1B}[K"
    )
    #expect(run(total: 5_000, scale: 60).contains("\r[--------------------]   0 %  3:19:00 left"))
    #expect(run(total: nil) == "")
    #expect(run(total: 0) == "")
    #expect(run(total: 100, isEnabled: false) == "")
  }

  @Test func keysAreReadAndEscapeSequencesSkipped() {
    #expect(
      Key.keys(in: Array("q Q?xS0\n".utf8)) == [.quit, .pause, .quit, .help, .letter("x"), .letter("s"), .letter("0")])
    #expect(Key.keys(in: Array("+=-".utf8)) == [.letter("+"), .letter("+"), .letter("-")])
    #expect(Key.keys(in: [0x04]) == [.quit])
    #expect(Key.keys(in: Array("rR".utf8)) == [.restart, .restart])
    // An arrow with Ctrl, a mouse report's and F1's beginnings, then a real key.
    #expect(Key.keys(in: Array("\u{1B}[1;5A\u{1B}[1;5q\u{1B}OP ".utf8)) == [.pause])
    // Arrows in both modes of a terminal.
    #expect(Key.keys(in: Array("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}OD".utf8)) == [.up, .down, .right, .left])
    #expect(
      Key.keys(in: Array("\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}OF\u{1B}[1~\u{1B}[4~\u{1B}[2~".utf8))
        == [.pageUp, .pageDown, .home, .end, .home, .end])
    #expect(Key.keys(in: [0x1B]) == [])
  }
}
