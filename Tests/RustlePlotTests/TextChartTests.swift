import RustlePlot
import Testing

@Suite struct TextChartTests {
  @Test func aSparklineIsScaledToItsOwnRange() {
    #expect(Glyphs.unicode.sparkline([1, 2, 3, 4, 5, 6, 7, 8], columns: 8) == "▁▂▃▄▅▆▇█")
    #expect(Glyphs.unicode.sparkline([5, 5, 5], columns: 5) == "  ▅▅▅")
    #expect(Glyphs.unicode.sparkline([9, 1, 2], columns: 2) == "▁█")
    #expect(Glyphs.ascii.sparkline([1, 8], columns: 4) == "  _#")
    #expect(Glyphs.unicode.sparkline([], columns: 3) == "   ")
    #expect(Glyphs.unicode.sparkline([1], columns: 0) == "")
  }

  @Test func aLargeNumberIsFiveLinesOfOneWidth() {
    let lines = BigDigits.lines("-0123456789.", mark: "#")
    #expect(lines.count == 5 && Set(lines.map(\.count)) == [12 * 8 - 2])
    #expect(BigDigits.lines("1.5", mark: "#")[0] == "  ##" + String(repeating: " ", count: 12) + "######")
    #expect(BigDigits.lines("x", mark: "#") == ["", "", "", "", ""])
  }

  @Test func labelsStandUnderTheirMarksAndTheUnitWhereItFits() {
    let axis = PlotAxis(title: "", scale: .linear, range: 0...4, maximumLabelCount: 5)
    let chart = TextChart(columns: 27, glyphs: .ascii)
    #expect(chart.columns == 20)
    #expect(chart.axis(axis, unit: "s") == ["      ++----+----+----+---+", "       0    1    2    3   4"])
    let wide = PlotAxis(title: "", scale: .linear, range: 0...4.5, maximumLabelCount: 5)
    #expect(chart.axis(wide, unit: "s").last == "       0   1   2    3   4 s")
    #expect(TextChart(columns: 3).columns == 10)
  }

  @Test func aMarginIsPaintedAsAWholeAndItsLabelIsRightAligned() {
    let chart = TextChart(columns: 30) { "<\($0)>" }
    #expect(chart.margin("-60") == "<  -60 ┤>" && chart.margin(nil) == "<      │>" && chart.unit("dB") == "<   dB>")
    #expect(chart.margin("音") == "<   音 ┤>", "of two columns")
  }

  @Test func ofTwoLabelsInARowTheFirstIsShownWithTheMinusSignOfTheGlyphs() {
    let axis = PlotAxis(title: "", scale: .linear, range: -2...2, maximumLabelCount: 5)
    let labels = TextChart(columns: 30, glyphs: .ascii).labels(axis, rows: 4) { Int((1 - $0) * 4) }
    #expect(labels == [0: "2", 1: "1", 2: "0", 3: "-1"], "row 4 is no row")
    #expect(
      TextChart(columns: 30).labels(axis, rows: 5) { Int((1 - $0) * 2) } == [0: "1", 1: "\u{2212}1", 2: "\u{2212}2"])
  }

  @Test func aBarHasEighthsOfARow() {
    let chart = TextChart(columns: 30)
    func column(_ fraction: Double) -> String { String((0..<2).map { chart.bar(fraction, row: $0, of: 2) }) }
    #expect(column(0) == "  " && column(1 / 16) == " ▁" && column(0.5) == " █" && column(9 / 16) == "▁█")
    #expect(column(1) == "██" && column(2) == "██" && column(-1) == "  " && column(.nan) == "  ")
  }

  @Test(arguments: [("BTC", 3), ("", 0), ("日本", 4), ("é", 1), ("e\u{301}", 1), ("🚀", 2), ("▁▂█▲…", 5), ("한", 2)])
  func widthsAreThoseOfTheTerminal(text: String, columns: Int) {
    #expect(DisplayWidth.columns(of: text) == columns)
  }

  @Test func aTextIsPaddedOrCutToExactlyItsWidth() {
    #expect(DisplayWidth.fit("BTC", to: 6, ellipsis: "…") == "BTC   ")
    #expect(DisplayWidth.fit("BTC", to: 6, alignRight: true, ellipsis: "…") == "   BTC")
    #expect(DisplayWidth.fit("BTCUSD", to: 4, ellipsis: "~") == "BTC~")
    // A wide character that does not fit whole leaves a space behind the ellipsis.
    #expect(DisplayWidth.fit("日本語", to: 4, ellipsis: "…") == "日… ")
    #expect(DisplayWidth.fit("BTC", to: 0, ellipsis: "…") == "")
  }

  @Test func curvesHaveAMarkEachAndTheBaselineIsALine() {
    let y = PlotAxis(title: "", scale: .linear, range: -1...1, maximumLabelCount: 3)
    var plot = LineChart(
      title: "", x: PlotAxis(title: "", scale: .linear, range: 0...1, maximumLabelCount: 2), y: y)
    plot.baseline = 0
    plot.series = [(1.0, 1.0), (1, -1)].map { LineChart.Series(samples: [.init(x: 0, y: $0), .init(x: 1, y: $1)]) }
    let lines = TextChart(columns: 17, glyphs: .ascii).curves(
      of: plot, rows: 3, marks: ["a", "b"], shared: "*", labels: [0: "1"], units: ("s", "dB"))
    #expect(lines.prefix(4) == ["   dB", "    1 +**aaaaaaaa", "      |--bbbbb---", "      |       bbb"])
    #expect(lines.count == 6 && lines[5].hasPrefix("       0"))
  }

  @Test func barsStandOverTheirNamesAndTheLastThatFitAreShown() {
    let chart = TextChart(columns: 17, glyphs: .ascii)
    let few = chart.bars(
      [("a", -60), ("b", 0), ("", -30), ("d", -.infinity)], rows: 2, range: -60...0, unit: "dB")
    #expect(few == ["    0 +  #", "  -30 +  # #", "   dB  a b   d"])
    let many = chart.bars((0..<12).map { ("", Double($0)) }, rows: 2, range: 0...11, unit: "")
    #expect(many.allSatisfy { $0.count <= 17 } && many[0].hasSuffix("#"))
    #expect(chart.bars([], rows: 2, range: 0...1, unit: "").count == 3)
  }

  @Test func aNeedleStandsOnItsScale() {
    let glyphs = Glyphs.ascii
    #expect(glyphs.scale("50", columns: 13) == "-50   0   +50")
    func line(_ position: Double?) -> [String] {
      let parts = glyphs.needle(at: position, columns: 9)
      return [parts.before, parts.needle, parts.after]
    }
    #expect(line(nil) == ["|---+---|", "", ""])
    #expect(line(0) == ["|---", "#", "---|"])
    #expect(line(0.5) == ["|---+-", "#", "-|"])
    #expect(line(-1) == ["", "#", "---+---|"])
    #expect(line(1.1) == ["|---+---", ">", ""])
    #expect(line(-1.1) == ["", "<", "---+---|"])
  }

  @Test func slidersStandInGroupsAndTheChosenOneIsMarked() {
    let sliders = [[TextSlider("L", at: 1), TextSlider("R", at: -3)], [TextSlider("L", at: 0, isChosen: true), nil]]
    let rows = Glyphs.ascii.sliders(sliders, rows: 3)
    #expect(rows.map { $0.map(\.text).joined() } == ["  L |  |", "  - -  L", "  | R  |"])
    #expect(rows.map { $0.filter(\.isChosen).map(\.text) } == [["|"], ["L"], ["|"]])
  }

  @Test(arguments: [
    (0, "0 ms"), (-12_000_000, "-12 ms"), (999_400_000, "999 ms"), (999_600_000, "1.0 s"), (99_900_000_000, "99.9 s"),
    (120_000_000_000, "2 min"), (7_200_000_000_000, "2 h"), (864_000_000_000_000, "10 d"),
  ])
  func agesAreShort(nanoseconds: Int64, text: String) { #expect(UnitLabel.age(.nanoseconds(nanoseconds)) == text) }

  @Test func aChangeShowsItsSignUnlessItRoundsToNothing() {
    #expect(Glyphs.unicode.change(0.012_34) == "+1.23 %")
    #expect(Glyphs.unicode.change(-0.012_34) == "\u{2212}1.23 %")
    #expect(Glyphs.ascii.change(-0.012_34) == "-1.23 %")
    #expect(Glyphs.unicode.change(-0.000_049) == "0.00 %")
    #expect(Glyphs.unicode.change(0.000_051) == "+0.01 %")
    #expect(Glyphs.unicode.change(.infinity) == "\u{2013}", "of nothing")
    #expect(Glyphs.unicode.change(.nan) == "\u{2013}")
    #expect([0.01, -0.01, 0.000_01].map(Glyphs.ascii.markedChange) == ["^ +1.00 %", "v -1.00 %", "= 0.00 %"])
  }

  @Test(arguments: [
    (0, "0"), (0.125, "0.125"), (0.000_012, "1.2e-05"), (8.75, "8.75"), (1_234, "1234"), (9_999.4, "9999"),
    (9_999.6, "10k"), (56_700, "56.7k"), (999_600, "1M"), (8_900_000, "8.9M"), (7.5e10, "75G"), (1e16, "1.0e+16"),
  ])
  func amountsAreShort(amount: Double, text: String) { #expect(UnitLabel.amount(amount) == text) }

  @Test func theBarOfALevelHasAPeakAndTheHighestSoFar() {
    func bar(_ power: Double, _ peak: Double, _ held: Double) -> String {
      Glyphs.ascii.levelBar(power: power, peak: peak, held: held, from: -60, columns: 12)
    }
    #expect(bar(-30, -15, -5) == "######::: | ")
    #expect(bar(-.infinity, -.infinity, -.infinity) == String(repeating: " ", count: 12))
    #expect(bar(6, 6, 6) == "###########|")
    #expect(bar(-90, -70, -60) == String(repeating: " ", count: 12))
  }
}
