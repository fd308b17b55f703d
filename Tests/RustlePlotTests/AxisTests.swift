import RustlePlot
import Testing

@Suite struct AxisTests {
  @Test func aLogarithmicScaleGivesEqualRatiosEqualLengths() {
    let axis = PlotAxis.frequency(20...20_000)
    #expect(axis.fraction(of: 20) == 0)
    #expect(abs(axis.fraction(of: 20_000) - 1) < 1e-12)
    #expect(abs(axis.fraction(of: 200) - 1.0 / 3) < 1e-12)
    #expect(abs(axis.fraction(of: 2_000) - 2.0 / 3) < 1e-12)
    #expect(axis.fraction(of: 0) == -.infinity)
    #expect(axis.fraction(of: 10) < 0)
  }

  @Test(arguments: [AxisScale.linear, .logarithmic], [0.0, 0.1, 0.5, 0.999, 1, 1.5])
  func valueIsTheInverseOfFraction(scale: AxisScale, fraction: Double) {
    let range = 3.0...7_000
    #expect(abs(scale.fraction(of: scale.value(at: fraction, in: range), in: range) - fraction) < 1e-12)
  }

  @Test(arguments: [
    (20.0, "20"), (62.5, "62.5"), (999, "999"), (1_000, "1k"), (1_500, "1.5k"), (20_000, "20k"), (2e6, "2M"), (0, "0"),
  ])
  func hertzAreShort(value: Double, text: String) { #expect(UnitLabel.hertz(value) == text) }

  @Test(arguments: [
    (0, "0:00", "0:00:00"), (90, "1:30", "0:01:30"), (3_600, "60:00", "1:00:00"), (0.5, "0:00.5", "0:00:00.5"),
    (59.9996, "1:00", "0:01:00"), (-90, "\u{2212}1:30", "\u{2212}0:01:30"), (1e300, "1e+300", "1e+300"),
  ])
  func timesAreThoseOfAClock(seconds: Double, short: String, long: String) {
    #expect(UnitLabel.clock(seconds, hasHours: false) == short)
    #expect(UnitLabel.clock(seconds, hasHours: true) == long)
  }

  @Test func aTimeAxisIsMarkedInStepsOfTheClock() {
    let short = PlotAxis.time(0...120)
    #expect(short.title == "Time (s)")
    #expect(short.ticks.map { short.label($0.value) } == ["0", "20", "40", "60", "80", "100", "120"])
    let minutes = PlotAxis.time(0...300)
    #expect(minutes.title == "Time (min:s)")
    #expect(minutes.ticks.prefix(3).map { minutes.label($0.value) } == ["0:00", "0:30", "1:00"])
    let hours = PlotAxis.time(0...90_000)
    #expect(hours.title == "Time (h:min:s)")
    #expect(hours.ticks.map { hours.label($0.value) }.suffix(2) == ["20:00:00", "24:00:00"])
    // A short piece far from the beginning is labelled all the same.
    #expect(PlotAxis.time(3_600...3_600.5).ticks.count >= 2)
  }

  @Test func aGainAxisHasSignsAndNoFives() {
    let axis = PlotAxis.gain(-12...18)
    #expect(axis.title == "Gain (dB)")
    let labels = axis.ticks.map { axis.label($0.value) }
    #expect(labels.first == "\u{2212}12" && labels.contains("0") && labels.last == "+18")
    #expect(axis.ticks.map(\.value) == Array(stride(from: -12.0, through: 18, by: 3)))
  }

  @Test(arguments: [
    (440, "440.00 Hz"), (27.5, "27.500 Hz"), (1, "1.0000 Hz"), (999.99, "999.99 Hz"), (999.999, "1.0000 kHz"),
    (9_999.96, "10.000 kHz"), (15_000, "15.000 kHz"), (0, "0.0000 Hz"),
  ])
  func aFrequencyHasFiveSignificantDigits(value: Double, text: String) { #expect(UnitLabel.frequency(value) == text) }

  @Test func negativeLabelsHaveAMinusSignAndZeroHasNone() {
    #expect(UnitLabel.number(-60) == "\u{2212}60")
    #expect(UnitLabel.number(-0.0) == "0")
    #expect(UnitLabel.decibels(-6.02) == "\u{2212}6.0 dB")
    #expect(UnitLabel.decibels(-0.04) == "0.0 dB")
    #expect(UnitLabel.decibels(3) == "3.0 dB")
  }
}
