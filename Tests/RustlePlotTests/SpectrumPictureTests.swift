import Testing

@testable import RustlePlot

@Suite struct SpectrumPictureTests {
  private func series(_ frequencies: [Double], _ decibels: [Double]) -> LineChart.Series {
    LineChart.Series(samples: zip(frequencies, decibels).map { .init(x: $0, y: $1) })
  }

  @Test func everyColumnShowsTheHighestLevelOfItsBand() {
    let axis = PlotAxis.frequency(10...1_000)
    let frequencies = stride(from: 0.0, through: 1_000, by: 1).map { $0 }
    var decibels = [Double](repeating: -80, count: frequencies.count)
    decibels[777] = -3
    let columns = series(frequencies, decibels).columns(20, along: axis)
    // 777 Hz lies at 94.5 % of two decades: in the column that begins at 90 %.
    #expect(columns.firstIndex(of: -3) == 18)
    #expect(columns.count { $0 == -80 } == 19)
  }

  @Test func columnsNarrowerThanBinsLieOnTheLineBetweenThem() {
    let axis = PlotAxis.frequency(100...400)
    let columns = series([0, 100, 200, 300, 400], [0, -10, -30, -20, -60]).columns(30, along: axis)
    #expect(columns[0] == -10)
    #expect(columns.allSatisfy { $0 <= -10 && $0 >= -60 })
    #expect(zip(columns[0..<15], columns[1..<15]).allSatisfy { $0 >= $1 })
    #expect(Set(columns).count > 20)
  }

  @Test func columnsBeyondTheSamplesAreEmpty() {
    let columns = series([100, 200], [-5, -6]).columns(3, along: .frequency(50...400))
    #expect(columns == [-.infinity, -5, -6] || columns == [-.infinity, -6, -.infinity])
    #expect(series([], []).columns(2, along: .frequency(50...400)) == [-.infinity, -.infinity])
  }

  @Test func spectrumHasItsBinsFromTwentyHertzAndNinetyDecibels() {
    let frequencies = (0...2_048).map { Double($0) * 48_000 / 4_096 }
    var decibels = frequencies.map { _ in -70.0 }
    decibels[37] = -12
    decibels[5] = -.infinity
    let plot = SpectrumPicture.plot(
      frequencies: frequencies, decibels: decibels, peaks: [(440, -12), (5_000.125, -40)], title: "a", subtitle: "b")
    #expect(plot.title == "a" && plot.subtitle == "b" && plot.series[0].isFilled)
    #expect(plot.x.range == 20...24_000 && plot.y.range == -100 ... -10)
    #expect(plot.series[0].samples.count == 2_049 && plot.series[0].samples[5].y == -110)
    #expect(plot.markers.map(\.label) == ["440.00 Hz  \u{2212}12.0 dB", "5.0001 kHz  \u{2212}40.0 dB"])
    // Bins wider than 20 Hz, and none.
    let few = SpectrumPicture.plot(frequencies: [0, 125, 250], decibels: [-200, -200, -200], title: "")
    #expect(few.x.range == 125...250 && few.y.range == -90...0)
    #expect(SpectrumPicture.plot(frequencies: [], decibels: [], title: "").x.range == 1...2)
  }

  @Test func spectrogramHasItsFramesAndBinsInTheMiddleOfCells() {
    let levels: [Float] = [-90, -40, -.infinity, -95, -30.5, -200]
    func map(_ scale: AxisScale, lowest: Double = 20) -> HeatMap {
      SpectrogramPicture.plot(
        levels, bins: 3, binWidth: 100, hop: 0.25, framesPerColumn: 2, seconds: 0.8, scale: scale, lowest: lowest,
        highest: 200, decibels: 60, title: "a", subtitle: "b")
    }
    let linear = map(.linear)
    #expect(linear.grid.columns == 2 && linear.grid.rows == 3 && linear.grid.values == levels)
    #expect(linear.grid.x == -0.125...0.875 && linear.grid.y == -50...250)
    #expect(linear.x.range == 0...0.8 && linear.y.range == 0...200 && linear.values.range == -90 ... -30)
    #expect(linear.title == "a" && linear.subtitle == "b" && linear.y.label(1_500) == "1.5k")
    // From the first bin at the earliest, and over an octave at least.
    #expect(map(.logarithmic).y.range == 100...200 && map(.logarithmic, lowest: 150).y.range == 100...200)
    #expect(map(.logarithmic).y.scale == .logarithmic)
  }

  @Test func terminalColorsAreTheNearestOfTheCube() {
    let map = ColorMap.dusk
    for step in 0...50 {
      let value = Double(step) / 50
      let cell = map.terminalColor(of: value) - 16
      #expect((0..<216).contains(cell))
      for (shift, level) in [(16, cell / 36), (8, cell / 6 % 6), (0, cell % 6)] {
        let channel = Int(map.color(of: value) >> UInt32(shift) & 0xFF)
        #expect(abs(channel - 51 * level) <= 25)
      }
    }
  }

  @Test func axisHasMarksForAnotherNumberOfLabels() {
    let axis = PlotAxis.frequency(20...20_000, maximumLabelCount: 16)
    let few = axis.with(maximumLabelCount: 4)
    #expect(few.range == axis.range && few.title == axis.title && few.label(2_000) == "2k")
    #expect(few.ticks.count { $0.isMajor } < axis.ticks.count { $0.isMajor })
  }

  @Test func aBarIsAsHighAsItsLevel() {
    // Flat at -45 dB under a tone at 0 dB: 45 of 90 dB are 6 of 12 rows.
    var decibels = [Double](repeating: -45, count: 2_001)
    let frequencies = decibels.indices.map { Double($0) * 10 }
    decibels[2_000] = 0
    let lines = TextChart(columns: 40).bars(
      of: SpectrumPicture.plot(frequencies: frequencies, decibels: decibels, title: ""), rows: 12,
      units: ("Hz", "dBFS"), paint: { "<\($0)>" })
    #expect(lines.count == 15 && lines[0] == " dBFS" && lines[13].contains("┬"))
    let full = lines.filter { $0.contains("███") }
    #expect(full.count == 6)
    #expect(lines[1].hasPrefix("    0 ┤<"))
    #expect(lines[1].hasSuffix("█>"))
  }

  @Test func shadesAreThoseOfTheLevels() {
    let levels: [Float] = [0, -.infinity, -.infinity, -60, -20, -60]
    let map = SpectrogramPicture.plot(
      levels, bins: 3, binWidth: 100, hop: 0.5, seconds: 0.5, highest: 200, decibels: 50, title: "")
    let chart = TextChart(columns: 27, glyphs: .ascii)
    let lines = chart.shades(of: map, rows: 2, units: ("s", "Hz", "dBFS"))
    // Column 0 at 0 s has 0 Hz alone, at 0 dBFS; column 1 has 100 Hz, at -20 dBFS.
    #expect(lines.count == 6 && lines[0] == "   Hz")
    #expect(lines[1].dropFirst(7) == String(repeating: " ", count: 10) + String(repeating: "*", count: 10))
    #expect(lines[2].dropFirst(7) == String(repeating: "@", count: 10) + String(repeating: "*", count: 10))
    #expect(lines[5] == "      -50 ...:::---===+++***###%%%@@@ 0 dBFS")
    let colored = chart.shades(of: map, rows: 2, units: ("s", "Hz", "dBFS"), usesColor: true)
    #expect(colored[2].contains("\u{1B}[38;5;\(ColorMap.dusk.terminalColor(of: 1))m@"))
    #expect(colored.map { $0.replacing(/\u{1B}\[[\d;]+m/, with: "") } == lines)
  }
}
