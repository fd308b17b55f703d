import RustlePlot
import Testing

@Suite struct TextCellsTests {
  @Test func partsAreWrappedBetweenThem() {
    #expect(
      TextCells.wrapped(["one", "two", "three", "a longer part", "x"], columns: 10) == [
        "one  two", "three", "a longer part", "x",
      ])
    #expect(TextCells.wrapped(["ab", "cd"], columns: 6) == ["ab  cd"])
    #expect(TextCells.wrapped([], columns: 6).isEmpty)
  }

  @Test func numbersAreAlignedAndALineHasNoSpaceAtItsEnd() {
    let cells = [("LAeq", "-23.1", "dBFS"), ("LRA", "14.2", "LU"), ("LAF10 long", "-", "dB")]
    #expect(
      TextCells.numbers(cells, columns: 45, ellipsis: "~") == [
        "LAeq     -23.1 dBFS  LRA       14.2 LU", "LAF10 ~      - dB",
      ])
    let painted = TextCells.numbers(cells, columns: 45, ellipsis: "~") { "\u{1B}[2m\($0)\u{1B}[0m" }
    #expect(painted.map(DisplayWidth.columns(ofPainted:)) == [38, 17])
  }

  @Test func digitsGrowInBothDirections() {
    let (small, large) = (BigDigits.lines("1.5", mark: "#"), BigDigits.lines("1.5", mark: "#", scale: 3))
    #expect(large.count == 15)
    for (row, line) in large.enumerated() {
      #expect(line == String(small[row / 3].flatMap { Array(repeating: $0, count: 3) }))
    }
  }
}
