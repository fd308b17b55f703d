import RustlePlot
import Testing

@Suite struct TicksTests {
  @Test func multiplesAreThoseOfTheSmallestStepThatFits() {
    func values(_ range: ClosedRange<Double>, _ count: Int) -> [Double] {
      TickSelection.multiples(of: [1, 3, 6], in: range, maximumCount: count).map(\.value)
    }
    #expect(values(-2...2, 5) == [-2, -1, 0, 1, 2])
    #expect(values(-7...7, 6) == [-6, -3, 0, 3, 6])
    #expect(values(-7...7, 4) == [-6, 0, 6])
    // No step gives two marks or few enough.
    #expect(values(0.1...0.9, 10) == TickSelection.linear(0.1...0.9, maximumCount: 10).map(\.value))
    #expect(values(0...1_000, 10) == TickSelection.linear(0...1_000, maximumCount: 10).map(\.value))
  }

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
