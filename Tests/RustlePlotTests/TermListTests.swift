import RustlePlot
import Testing

@Suite struct TermListTests {
  @Test func meaningsAreAlignedBehindTheLongestSingleTerm() {
    let rows: [TermList.Row] = [
      (["v"], "the version"), (["time_s"], "the time of the middle of a frame"), (["a", "b"], nil),
      (["longer_than_all", "another"], "both mean this"), (["x", "y"], "short terms"),
    ]
    #expect(
      TermList.lines(rows, width: 30) == [
        "  v       the version",
        "  time_s  the time of the",
        "          middle of a frame",
        "  a, b",
        "  longer_than_all, another",
        "          both mean this",
        "  x, y    short terms",
      ])
  }

  @Test func manyTermsAreWrappedAndALongWordIsNotDivided() {
    #expect(
      TermList.lines([(["aaa", "bbb", "ccc", "dddddddddddd"], nil)], width: 11) == [
        "  aaa, bbb,", "  ccc,", "  dddddddddddd",
      ])
    #expect(TermList.lines([], width: 80).isEmpty)
  }
}
