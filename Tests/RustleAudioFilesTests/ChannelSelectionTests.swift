import RustleAudioFiles
import Testing

@Suite struct ChannelSelectionTests {
  @Test func theMeanKeepsTheLevelOfASignalThatIsOnEveryChannel() {
    var mono: [Float] = []
    for channels in 1...8 {
      let interleaved = (0..<5).flatMap { Array(repeating: Float($0) * 0.125, count: channels) }
      ChannelSelection.mix.reduce(interleaved, channels: channels, into: &mono)
      #expect(mono == [0, 0.125, 0.25, 0.375, 0.5])
    }
  }

  @Test func oppositeChannelsCancel() {
    var mono: [Float] = [7]
    ChannelSelection.mix.reduce([0.5, -0.5, 0.1, -0.1], channels: 2, into: &mono)
    #expect(mono == [0, 0])
  }

  @Test func anUnfinishedFrameIsLeftOut() {
    var mono: [Float] = []
    ChannelSelection.channel(1).reduce([1, 2, 3, 4, 5], channels: 2, into: &mono)
    #expect(mono == [2, 4])
  }
}
