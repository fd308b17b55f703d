import RustlePlot
import Testing

@Suite struct EnvelopeTests {
  @Test func onePointOfEachColumnRemainsAndItIsTheHighest() {
    let points = (0..<1_000).map { PlotPoint(x: Double($0) / 100, y: $0 % 100 == 57 ? 1 : 50) }
    let kept = Envelope.highestPerColumn(points)
    #expect(kept.count == 10)
    #expect(kept.allSatisfy { $0.y == 1 })
  }

  @Test func aSparseCurveIsKept() {
    let points = (0..<10).map { PlotPoint(x: Double($0) * 3, y: Double($0 % 4)) }
    #expect(Envelope.highestPerColumn(points) == points)
    #expect(Envelope.highestPerColumn([]).isEmpty)
  }
}
