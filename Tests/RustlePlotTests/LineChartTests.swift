import Foundation
import RustlePlot
import TestSupport
import Testing

@Suite struct LineChartTests {
  /// Draws a plot into a temporary file and gives the decoded picture.
  static func image(_ plot: LineChart, width: Int = 1_200, height: Int = 600) throws -> PNGImage {
    let file = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: file) }
    try plot.writePNG(to: file.path, width: width, height: height)
    return try PNGImage(contentsOf: file)
  }

  static func plot(_ level: Double) -> LineChart {
    var plot = LineChart(title: "A title", subtitle: "and more", x: .frequency(20...20_000), y: .level(-100...0))
    plot.series = [LineChart.Series(samples: [.init(x: 20, y: level), .init(x: 20_000, y: level)])]
    return plot
  }

  /// Blue well above red: the first colour of the default style, also where it is blended with what lies behind.
  static func isCurve(_ pixel: UInt32) -> Bool { Int(pixel & 0xFF) - Int(pixel >> 16) > 80 }

  /// The rows of a column in which the curve is drawn.
  static func curveRows(_ image: PNGImage, column: Int) -> [Int] {
    (0..<image.height).filter { isCurve(image.pixel(column, $0)) }
  }

  @Test(arguments: [(1_200, 600), (640, 400), (200, 150)])
  func theFileHasTheSizeAskedFor(width: Int, height: Int) throws {
    let image = try Self.image(Self.plot(-50), width: width, height: height)
    #expect(image.width == width)
    #expect(image.height == height)
    #expect(image.pixel(0, 0) == 0xFFFFFF)
    #expect(image.pixel(width - 1, height - 1) == 0xFFFFFF)
  }

  @Test func aLevelIsDrawnAtItsHeight() throws {
    // The mean row of a flat curve moves by a tenth of the area for 10 dB of 100.
    let rows = try [-20.0, -50, -80].map { level -> Double in
      let rows = Self.curveRows(try Self.image(Self.plot(level)), column: 600)
      try #require(!rows.isEmpty && rows.count <= 3)
      return Double(rows.reduce(0, +)) / Double(rows.count)
    }
    #expect(rows[0] < rows[1])
    #expect(abs((rows[1] - rows[0]) - (rows[2] - rows[1])) <= 1)
    #expect(rows[2] - rows[0] > 0.6 * 400)
  }

  @Test func aFilledCurveTintsWhatIsBelowIt() throws {
    var plot = Self.plot(-50)
    let plain = try Self.image(plot)
    plot.series[0].isFilled = true
    let filled = try Self.image(plot)
    let row = try #require(Self.curveRows(filled, column: 601).max())
    #expect(filled.pixel(601, row - 20) == plain.pixel(601, row - 20))
    #expect(filled.pixel(601, row + 21) != plain.pixel(601, row + 21))
  }

  @Test func titlesLabelsAndMarkersLeaveInk() throws {
    var plot = Self.plot(-50)
    func isDark(_ pixel: UInt32) -> Bool { pixel >> 16 < 0x80 && pixel & 0xFF < 0x90 }
    let image = try Self.image(plot)
    #expect(image.count(x: 0..<600, y: 0..<45, where: isDark) > 100)
    #expect(image.count(x: 0..<1_200, y: 530..<600, where: isDark) > 100)
    #expect(image.count(x: 0..<80, y: 60..<530, where: isDark) > 100)
    // Reddish: the marker's ring and its label.
    func isMarker(_ pixel: UInt32) -> Bool { Int(pixel >> 16) - Int(pixel & 0xFF) > 80 }
    #expect(image.count(x: 0..<1_200, y: 0..<600, where: isMarker) == 0)
    plot.markers = [.init(x: 632, y: -50, label: "632.00 Hz")]
    #expect(try Self.image(plot).count(x: 500..<750, y: 200..<400, where: isMarker) > 100)
  }

  @Test func namedCurvesHaveALegendAboveThem() throws {
    var plot = Self.plot(-50)
    let plain = try Self.image(plot)
    plot.series[0].name = "One"
    plot.series.append(.init(samples: [.init(x: 20, y: -20), .init(x: 20_000, y: -20)], name: "Two"))
    let named = try Self.image(plot)
    func isAmber(_ pixel: UInt32) -> Bool { Int(pixel >> 16) - Int(pixel & 0xFF) > 120 }
    // A piece of each line between the titles and the area.
    #expect(named.count(x: 70..<400, y: 60..<90, where: Self.isCurve) > 40)
    #expect(named.count(x: 70..<400, y: 60..<90, where: isAmber) > 40)
    #expect(plain.count(x: 70..<400, y: 60..<90, where: Self.isCurve) == 0)
    // The area gives the room for it.
    let row = try #require(Self.curveRows(plain, column: 600).first)
    let lower = try #require(Self.curveRows(named, column: 600).first)
    #expect(lower > row)
    // Without names nothing moves.
    for index in plot.series.indices { plot.series[index].name = "" }
    #expect(Self.curveRows(try Self.image(plot), column: 600) == Self.curveRows(plain, column: 600))
  }

  @Test func theBaselineIsDrawnWhereItIsInRange() throws {
    var plot = LineChart(title: "t", x: .frequency(20...20_000), y: .gain(-12...12))
    func dark(_ plot: LineChart) throws -> Int {
      try Self.image(plot).count(x: 200..<1_000, y: 60..<520) { $0 >> 16 & 0xFF < 0x95 }
    }
    #expect(try dark(plot) == 0)
    plot.baseline = 0
    #expect(try dark(plot) == 800)
    plot.baseline = 13
    #expect(try dark(plot) == 0)
  }

  @Test func samplesThatAreNotOnTheAxisAreLeftOut() throws {
    var plot = Self.plot(-50)
    plot.series[0].samples.insert(.init(x: 0, y: -50), at: 0)
    plot.series[0].samples.append(.init(x: 20_000, y: -.infinity))
    plot.series[0].samples.append(.init(x: 20_000, y: .nan))
    let expected = Self.curveRows(try Self.image(Self.plot(-50)), column: 600)
    #expect(Self.curveRows(try Self.image(plot), column: 600) == expected)
  }

  @Test func errorsSayWhatWasExpected() throws {
    do throws(PlotError) {
      try Self.plot(-50).writePNG(to: "unused.png", width: 10, height: 600)
      Issue.record("expected an error")
    } catch {
      #expect(error.code == .invalidSize)
      #expect(error.reason == "expected a width and a height from 64 to 16384 pixels, got 10 x 600")
    }
    do throws(PlotError) {
      try Self.plot(-50).writePNG(to: "no/such/folder/plot.png")
      Issue.record("expected an error")
    } catch {
      #expect(error.code == .writeFailed)
      #expect(error.reason.hasPrefix("cannot write no/such/folder/plot.png: "))
    }
  }

  // MARK: characters

  @Test func curveOfCharactersHasNoGaps() {
    let (x, y) = (
      PlotAxis(title: "", scale: .linear, range: 0...8, maximumLabelCount: 4),
      PlotAxis(title: "", scale: .linear, range: 0...4, maximumLabelCount: 4)
    )
    func cells(_ samples: [(Double, Double)]) -> [ClosedRange<Int>?] {
      LineChart.Series(samples: samples.map { .init(x: $0, y: $1) }).cells(x: x, y: y, columns: 4, rows: 5)
    }
    // The middles of the columns are at 1, 3, 5 and 7; row 0 is at 4.
    #expect(cells([(0, 0), (8, 4)]) == [4...4, 3...3, 2...2, 1...1])
    #expect(cells([(1, 0), (3, 4), (5, 4), (7, 0)]) == [4...4, 0...3, 0...0, 1...4])
    #expect(cells([(0, 2), (4, 2)]) == [2...2, 2...2, nil, nil], "beyond the last sample")
    #expect(cells([(0, -9), (2, -9), (4, 9), (8, 9)]) == [nil, 4...4, 0...3, nil], "outside the grid")
    #expect(cells([(1, -.infinity), (3, 2), (5, .nan), (7, 2)]) == [nil, 2...4, nil, 2...2])
  }
}
