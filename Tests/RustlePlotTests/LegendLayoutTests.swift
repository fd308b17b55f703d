import Testing

@testable import RustlePlot

@Suite struct LegendLayoutTests {
  @Test func namesStandBesideOneAnother() {
    let legend = LegendLayout(widths: [30, 50], in: 400)
    // 24 of line, 7 of gap, 30 of name, 22 of spacing.
    #expect(legend.entries == [.init(x: 0, row: 0), .init(x: 83, row: 0)])
    #expect(legend.rows == 1)
  }

  @Test func aNewRowBeginsWhereThereIsNoRoom() {
    let legend = LegendLayout(widths: [30, 500, 30, 30], in: 150)
    #expect(legend.entries.map(\.row) == [0, 1, 2, 2])
    #expect(legend.entries.map(\.x) == [0, 0, 0, 83])
    #expect(legend.rows == 3)
  }

  @Test func noNamesTakeNoRoom() { #expect(LegendLayout(widths: [], in: 400).rows == 0) }
}
