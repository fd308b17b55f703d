import TestSupport
import Testing

@testable import RustleAudio

@Suite(.releasesNativeObjects) struct ChannelSelectionTests {
  @Test func theMeanKeepsTheLevelOfASignalThatIsOnEveryChannel() {
    var mono: [Float] = []
    for channels in 1...8 {
      let interleaved = (0..<5).flatMap { Array(repeating: Float($0) * 0.125, count: channels) }
      ChannelSelection.all.reduce(interleaved, channels: channels, into: &mono)
      #expect(mono == [0, 0.125, 0.25, 0.375, 0.5])
    }
  }

  @Test func oppositeChannelsCancel() {
    var mono: [Float] = [7]
    ChannelSelection.all.reduce([0.5, -0.5, 0.1, -0.1], channels: 2, into: &mono)
    #expect(mono == [0, 0])
  }

  @Test func anUnfinishedFrameIsLeftOut() {
    var mono: [Float] = []
    ChannelSelection.channel(1).reduce([1, 2, 3, 4, 5], channels: 2, into: &mono)
    #expect(mono == [2, 4])
  }

  /// Channels in and out of phase, one of which is softer, and noise that has nothing in common.
  @Test(arguments: [(-1, Double?(-.infinity), true), (-0.9, -25.6, true), (1, 0, false), (0, -3, false)])
  func channelsOutOfPhaseAreReported(factor: Float, level: Double?, isPresent: Bool) throws {
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    let samples = (0..<4_800).flatMap { n -> [Float] in
      let value = Float(n % 96) / 96 - 0.5
      return [value, factor * value]
    }
    let buffer = PCMBuffer(format: format, wholeFrames: samples, position: 0)
    var cancellation = ChannelCancellation()
    #expect(!cancellation.isPresent && cancellation.level == nil && cancellation.notice == nil)
    cancellation.add(buffer, .all, mono: buffer.mono(channel: .all))
    #expect(cancellation.isPresent == isPresent && (cancellation.notice != nil) == isPresent)
    let got = try #require(cancellation.level)
    #expect(got == level || abs(got - (level ?? 0)) < 0.1)
    // One channel cancels nothing.
    var one = ChannelCancellation()
    one.add(buffer, .channel(1), mono: buffer.mono(channel: .channel(1)))
    #expect(!one.isPresent)
  }

  @Test func measurementsOfChannelsOutOfPhaseReportIt() async throws {
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    let samples = Sounds.tones([(440, 0.4), (440, -0.4)], frames: 0..<24_000)
    let buffer = PCMBuffer(format: format, wholeFrames: samples, position: 0)
    for (channel, isPresent) in [(ChannelSelection.all, true), (.channel(0), false)] {
      let tuner = try Tuner(format: format, configuration: TunerConfiguration(channel: channel))
      try await tuner.process(buffer)
      #expect(await tuner.cancellation.isPresent == isPresent)
      let analyzer = try VoiceAnalyzer(format: format, channel: channel)
      try await analyzer.process(buffer)
      #expect(await analyzer.cancellation.isPresent == isPresent)
      await analyzer.restart()
      #expect(await !analyzer.cancellation.isPresent)
    }
  }
}
