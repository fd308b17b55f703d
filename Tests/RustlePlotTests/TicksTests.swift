import RustlePlot
import Testing

@Suite struct TicksTests {
  static func values(_ ticks: [Tick]) -> [Double] { ticks.map(\.value) }
  static func majors(_ ticks: [Tick]) -> [Double] { ticks.filter(\.isMajor).map(\.value) }

  @Test func aLinearAxisTakesTheSmallestStepThatFits() {
    #expect(Self.values(TickSelection.linear(-90...0, maximumCount: 9)) == [-80, -60, -40, -20, 0])
    #expect(
      Self.values(TickSelection.linear(-90...0, maximumCount: 11)) == [-90, -80, -70, -60, -50, -40, -30, -20, -10, 0])
    #expect(Self.values(TickSelection.linear(0...1, maximumCount: 6)) == [0, 0.2, 0.4, 0.6, 0.8, 1])
    #expect(Self.values(TickSelection.linear(0.1...0.4, maximumCount: 5)) == [0.1, 0.2, 0.3, 0.4])
    #expect(Self.values(TickSelection.linear(3...3, maximumCount: 5)) == [3])
  }

  @Test(arguments: [2, 3, 5, 8, 12, 40], [0.003, 1, 7.7, 90, 12_345, 6e9])
  func aLinearAxisKeepsItsPromises(maximumCount: Int, span: Double) {
    let range = -span / 3...span * 2 / 3
    let values = Self.values(TickSelection.linear(range, maximumCount: maximumCount))
    #expect(values.count <= maximumCount)
    #expect(values.contains(0))
    #expect(values == values.sorted())
    for value in values { #expect(value >= range.lowerBound * 1.000_001 && value <= range.upperBound * 1.000_001) }
    // With steps of 1, 2 and 5 the next finer one has at most 2.5 times as many marks, so it is never below a third.
    #expect(values.count >= maximumCount / 3)
  }

  @Test func theAudibleRangeIsMarkedInOneTwoFive() {
    let ticks = TickSelection.logarithmic(20...20_000, maximumCount: 16)
    #expect(Self.majors(ticks) == [20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000])
    #expect(ticks.contains(Tick(value: 300, isMajor: false)))
    #expect(ticks.count == 28)
  }

  @Test func aLongRangeIsMarkedAtPowersOfTen() {
    let ticks = TickSelection.logarithmic(0.1...100_000, maximumCount: 8)
    #expect(Self.majors(ticks) == [0.1, 1, 10, 100, 1_000, 10_000, 100_000])
  }

  @Test func aShortRangeIsMarkedLikeALinearOne() {
    let ticks = TickSelection.logarithmic(420...460, maximumCount: 5)
    #expect(Self.values(ticks) == [420, 430, 440, 450, 460])
  }
}
