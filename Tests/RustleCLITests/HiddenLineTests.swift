import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct HiddenLineTests {
  @Test(arguments: [
    ("secret\n", "secret"), ("secret\r", "secret"), ("secret\u{4}", "secret"), ("\u{4}", ""),
    ("sex\u{7F}cret\n", "secret"), ("sä\u{8}ecret\n", "secret"), ("\u{7F}a\n", "a"),
    ("wrong one\u{15}secret\n", "secret"), ("two words  \u{17}secret\n", "two secret"), ("word\u{17}\u{17}a\n", "a"),
  ])
  func keysErase(typed: String, line: String) {
    var hidden = HiddenLine()
    let ends = typed.utf8.map { hidden.take($0) }
    #expect(hidden.text == line)
    #expect(ends.last == true && !ends.dropLast().contains(true))
  }
}
