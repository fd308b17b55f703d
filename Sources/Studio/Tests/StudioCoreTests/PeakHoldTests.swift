import StudioCore
import Testing

struct PeakHoldTests {
  @Test func theHighestPeakOfEachChannelIsKeptUntilThereAreEnoughFrames() {
    var hold = PeakHold()
    let values = [
      hold.add([-3, -90], frames: 20, least: 50), hold.add([-.infinity, -1], frames: 20, least: 50),
      hold.add([-60, -60], frames: 20, least: 50), hold.add([-60, -.infinity], frames: 50, least: 50),
    ]
    #expect(values == [nil, nil, [-3, -1], [-60, -.infinity]])
  }

  @Test func anotherNumberOfChannelsBeginsAnew() {
    var hold = PeakHold()
    let values = [
      hold.add([-3], frames: 40, least: 50), hold.add([-9, -8], frames: 40, least: 50),
      hold.add([-7, -10], frames: 40, least: 50),
    ]
    #expect(values == [nil, nil, [-7, -8]])
  }
}
