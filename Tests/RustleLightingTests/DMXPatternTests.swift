import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct DMXPatternTests {
  private func frame(_ pattern: DMXPattern, _ number: UInt64, seed: UInt64 = 0) -> [UInt8] {
    var levels: [UInt8] = [1, 2, 3]
    pattern.write(frame: number, universes: 3, slots: 4, seed: seed, to: &levels)
    return levels
  }

  @Test func rampChangesEveryUniverseInEveryFrame() {
    #expect(frame(.ramp, 254) == [254, 255, 0, 1, 255, 0, 1, 2, 0, 1, 2, 3])
    for number in 0..<300 as Range<UInt64> {
      #expect(zip(frame(.ramp, number), frame(.ramp, number + 1)).allSatisfy { $0 &+ 1 == $1 })
    }
  }

  @Test func chaseLightsOneSlotOfEachUniverse() {
    #expect(frame(.chase, 1) == [0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0])
    #expect(frame(.chase, 4) == frame(.chase, 0))
  }

  @Test func solidIsFull() { #expect(frame(.solid, 7) == [UInt8](repeating: 255, count: 12)) }

  @Test func randomFollowsFromItsSeed() {
    #expect(frame(.random, 5, seed: 1) == frame(.random, 5, seed: 1))
    let others = [frame(.random, 5, seed: 2), frame(.random, 6, seed: 1)]
    #expect(!others.contains(frame(.random, 5, seed: 1)))
    #expect(Set(frame(.random, 5, seed: 1)).count > 6, "universes and slots differ")
  }
}
