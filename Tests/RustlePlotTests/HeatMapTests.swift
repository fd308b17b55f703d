import Foundation
import RustlePlot
import TestSupport
import Testing

@Suite struct HeatMapTests {
  /// The lightness of Oklab of a colour `0xRRGGBB`, by the forward matrices of the page that `ColorMap` cites.
  private static func lightness(_ color: UInt32) -> Double {
    let (r, g, b) = (linear(color >> 16), linear(color >> 8), linear(color))
    let l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    let m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    let s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s
  }

  private static func linear(_ byte: UInt32) -> Double {
    let value = Double(byte & 0xFF) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  @Test func lightnessRisesInEqualSteps() {
    let lightness = ColorMap.dusk.table.map(Self.lightness)
    #expect(lightness.count == 256)
    for (index, value) in lightness.enumerated() {
      // Eight bits a channel move the darkest colours by up to a few thousandths.
      #expect(abs(value - (0.13 + 0.84 * Double(index) / 255)) < 0.008, "\(index)")
    }
  }

  @Test func valuesBeyondTheEndsHaveTheColoursOfTheEnds() {
    let map = ColorMap.dusk
    #expect(map.color(of: -.infinity) == map.table[0])
    #expect(map.color(of: .nan) == map.table[0])
    #expect(map.color(of: 0.5) == map.table[128])
    #expect(map.color(of: .infinity) == map.table[255])
  }

  static func axis(_ range: ClosedRange<Double>) -> PlotAxis {
    PlotAxis(title: "", scale: .linear, range: range, maximumLabelCount: 4)
  }

  @Test func pointsHaveTheHighestValueOfTheCellsTheyTouch() {
    // Three columns of two rows; from below to above 1 2, 3 4, 5 6.
    let grid = HeatGrid(columns: 3, rows: 2, x: 0...3, y: 0...2, values: [1, 2, 3, 4, 5, 6])
    let same = grid.points(width: 3, height: 2, x: Self.axis(0...3), y: Self.axis(0...2))
    #expect(same == [2, 4, 6, 1, 3, 5])
    #expect(grid.points(width: 1, height: 1, x: Self.axis(0...3), y: Self.axis(0...2)) == [6])
    let wide = grid.points(width: 6, height: 1, x: Self.axis(0...3), y: Self.axis(0...1))
    #expect(wide == [1, 1, 3, 3, 5, 5])
    let outside = grid.points(width: 2, height: 1, x: Self.axis(2...6), y: Self.axis(0...2))
    #expect(outside == [6, -.infinity])
  }

  @Test func cellsAreDrawnInTheirColoursBesideTheScale() throws {
    let grid = HeatGrid(columns: 2, rows: 2, x: 0...2, y: 0...2, values: [0, -90, -45, -.infinity])
    let map = HeatMap(
      title: "A title", subtitle: "and more", x: Self.axis(0...2), y: Self.axis(0...2), values: .level(-90...0),
      grid: grid)
    let file = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: file) }
    try map.writePNG(to: file.path, width: 600, height: 400)
    let image = try PNGImage(contentsOf: file)
    #expect((image.width, image.height) == (600, 400))
    let colors = ColorMap.dusk
    // Inside of the four quarters of the area.
    #expect(image.pixel(120, 280) == colors.color(of: 1))
    #expect(image.pixel(120, 120) == colors.color(of: 0))
    #expect(image.pixel(420, 280) == colors.color(of: 0.5))
    #expect(image.pixel(420, 120) == colors.color(of: 0))
    // The scale's column has every colour from the lightest downwards.
    let scale = try #require((400..<600).last { isScale($0, image) })
    let lightness = (90..<320).map { Self.lightness(image.pixel(scale - 5, $0)) }
    #expect(zip(lightness, lightness.dropFirst()).allSatisfy { $0 > $1 - 0.005 })
    #expect(try #require(lightness.first) - #require(lightness.last) > 0.6)
  }

  @Test func curvesAreDrawnOverTheCells() throws {
    let grid = HeatGrid(columns: 1, rows: 1, x: 0...2, y: 0...2, values: [0])
    var map = HeatMap(title: "", x: Self.axis(0...2), y: Self.axis(0...2), values: .level(-90...0), grid: grid)
    // The points beyond the area do not reach out of it; the one that is no number is left out.
    map.curves = [LineChart.Series(samples: [-1, 1, 3].map { .init(x: $0, y: 1) } + [.init(x: 3, y: .nan)])]
    let file = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: file) }
    try map.writePNG(to: file.path, width: 600, height: 400)
    let image = try PNGImage(contentsOf: file)
    let cell = ColorMap.dusk.color(of: 1)
    for column in [120, 300, 420] {
      let other = (80..<300).filter { image.pixel(column, $0) != cell }
      // A line and its rim, in one piece.
      #expect((3...7).contains(other.count) && other.last == other[0] + other.count - 1)
      #expect(other.contains { image.pixel(column, $0) & 0xFF > 200 && image.pixel(column, $0) >> 16 & 0xFF < 160 })
    }
    #expect((0..<400).allSatisfy { image.pixel(20, $0) >> 16 & 0xFF == image.pixel(20, $0) & 0xFF })
  }

  /// Whether a column is one of the scale: coloured from above to below.
  private func isScale(_ column: Int, _ image: PNGImage) -> Bool {
    (120..<280).allSatisfy { row in ColorMap.dusk.table.contains(image.pixel(column, row)) }
  }

  @Test func picturesWithoutRoomAreRefused() {
    let grid = HeatGrid(columns: 1, rows: 1, x: 0...1, y: 0...1, values: [0])
    let map = HeatMap(title: "", x: Self.axis(0...1), y: Self.axis(0...1), values: .level(-90...0), grid: grid)
    let error = #expect(throws: PlotError.self) { try map.writePNG(to: "/dev/null", width: 100, height: 100) }
    #expect(error?.code == .invalidSize)
  }
}
