import Foundation
import RustleCore
import TestSupport
import Testing

@testable import RustleAudio

@Suite(.releasesNativeObjects) struct VoiceAnalyzerTests {
  private let format: AudioFormat
  private let samples = Voices.vowel(f0: 150, formants: Voices.a, seconds: 1, sampleRate: 48_000)

  init() throws { format = try AudioFormat(sampleRate: 48_000, channels: 1) }

  private func input(inBuffersOf size: Int = 4_800, end: (any Error)? = nil) -> ScriptedInput {
    ScriptedInput(buffersToGive: Sounds.buffers(samples, format: format, frames: size), end: end)
  }

  private func frames(of analyzer: VoiceAnalyzer, in input: some AudioInput) async throws -> [VoiceFrame] {
    var frames: [VoiceFrame] = []
    for try await frame in try await analyzer.frames(of: input) { frames.append(frame) }
    return frames
  }

  @Test(arguments: [100, 4_800, 48_000])
  func framesOfAnInputAreThoseOfTheWhole(size: Int) async throws {
    let analyzer = try VoiceAnalyzer(format: format)
    let whole = try VoiceProcessor.analyze(samples.span, sampleRate: 48_000)
    #expect(try await frames(of: analyzer, in: input(inBuffersOf: size)) == whole.frames)
    #expect(try await analyzer.summary == whole.summary && !whole.frames.isEmpty)
    // The same from its beginning is another recording.
    #expect(try await frames(of: analyzer, in: input(inBuffersOf: size)) == whole.frames)
    #expect(try await analyzer.summary == whole.summary)
    await analyzer.restart()
    #expect(try await analyzer.summary.frames == 0)
  }

  @Test func channelsAreChosenOrMixed() async throws {
    let stereo = try AudioFormat(sampleRate: 48_000, channels: 2)
    let noise = Voices.noise(count: samples.count)
    let both = zip(samples, noise).flatMap { [$0, $1] }
    let scripted = ScriptedInput(buffersToGive: Sounds.buffers(both, format: stereo, frames: 1_000))
    let left = try VoiceProcessor.analyze(samples.span, sampleRate: 48_000).frames
    let mean = zip(samples, noise).map { 0.5 * $0 + 0.5 * $1 }
    let mixed = try VoiceProcessor.analyze(mean.span, sampleRate: 48_000).frames
    #expect(try await frames(of: VoiceAnalyzer(format: stereo, channel: .channel(0)), in: scripted) == left)
    let right = try await frames(of: VoiceAnalyzer(format: stereo, channel: .channel(1)), in: scripted)
    #expect(right.count { $0.isVoiced } < right.count / 10)
    #expect(try await frames(of: VoiceAnalyzer(format: stereo), in: scripted) == mixed)
    for channel in [-1, 2] {
      let error = #expect(throws: AudioError.self) { try VoiceAnalyzer(format: stereo, channel: .channel(channel)) }
      #expect(error?.code == .validation && error?.message == "channel: expected one below 2, got \(channel)")
    }
  }

  /// A loss before a buffer: silence stands in the place of a short one, and times go on as those of the recording.
  @Test(arguments: [480, 20_000, 480_000])
  func lossesAreReportedInTheirPlace(lost: Int) async throws {
    let half = samples.count / 2
    let position = Int64(half + lost)
    let buffers = [
      PCMBuffer(format: format, wholeFrames: Array(samples[..<half]), position: 0),
      PCMBuffer(format: format, wholeFrames: Array(samples[half...]), position: position, droppedFrames: Int64(lost)),
    ]
    let analyzer = try VoiceAnalyzer(format: format)
    let found = try await frames(of: analyzer, in: ScriptedInput(buffersToGive: buffers))
    #expect(found.reduce(0) { $0 + $1.droppedFrames } == Int64(lost) && found.count { $0.droppedFrames > 0 } == 1)
    let first = try #require(found.firstIndex { $0.droppedFrames > 0 })
    #expect(found[..<first].allSatisfy { $0.isVoiced && $0.sample < half - analyzer.frameLength / 2 + analyzer.hop })
    for (before, after) in zip(found, found.dropFirst()) { #expect(before.sample < after.sample) }
    for frame in found { #expect(frame.time == Double(frame.sample) / 48_000) }
    // After the gap the frames are those of the recording without one, at their own times.
    let behind = found.filter { $0.sample >= position + Int64(analyzer.frameLength / 2) }
    #expect(!behind.isEmpty)
    for frame in behind { #expect(frame.isVoiced && abs((frame.pitch ?? 0) - 150) < 0.1) }
    let last = try #require(found.last)
    #expect(last.sample > position + Int64(half - analyzer.frameLength / 2 - analyzer.hop))
    #expect(try await analyzer.summary.frames == found.count)
  }

  @Test func recordingThatBeginsLaterKeepsItsTimes() async throws {
    let analyzer = try VoiceAnalyzer(format: format)
    let frames = try await analyzer.process(PCMBuffer(format: format, wholeFrames: samples, position: 96_000))
    #expect(frames.first?.sample == 96_000 + Int64(analyzer.frameLength / 2) && frames.first?.droppedFrames == 0)
  }

  @Test(arguments: [ChannelSelection.all, .channel(1)]) func processAllocatesForEachCall(channel: ChannelSelection)
    async throws
  {
    let stereo = try AudioFormat(sampleRate: 48_000, channels: 2)
    let analyzer = try VoiceAnalyzer(format: stereo, channel: channel)
    var frames: [VoiceFrame] = []
    var place = 0
    var addresses: Set<UInt> = []
    for piece in [4_800, 1, 63, 4_800, 64, 2_400] {
      let sound = samples[place..<place + piece].flatMap { [$0, $0] }
      try await analyzer.process(
        PCMBuffer(format: stereo, wholeFrames: sound, position: Int64(place)), into: &frames)
      addresses.insert(await analyzer.mono.address)
      place += piece
    }
    #expect(addresses.count == 1 && !addresses.contains(0), "the memory is kept")
    let taken = Array(samples[..<place])
    let whole = try VoiceProcessor.analyze(taken.span, sampleRate: 48_000)
    #expect(frames == whole.frames && !frames.isEmpty)
  }

  @Test func errorOfTheInputIsThrownAndTheEnd() async throws {
    let analyzer = try VoiceAnalyzer(format: format)
    var heard = try await analyzer.frames(of: input(end: ScriptedInput.Broken())).makeAsyncIterator()
    var count = 0
    await #expect(throws: ScriptedInput.Broken()) {
      while try await heard.next() != nil { count += 1 }
    }
    #expect(count > 10)
    #expect(try await heard.next() == nil)
    let refused = ScriptedInput(buffersToGive: [], refusal: ScriptedInput.Broken())
    await #expect(throws: ScriptedInput.Broken()) { try await analyzer.frames(of: refused) }
  }

  @Test func anotherFormatIsAnErrorAndTheEnd() async throws {
    let analyzer = try VoiceAnalyzer(format: format)
    let other = PCMBuffer(format: try AudioFormat(sampleRate: 44_100, channels: 1), wholeFrames: [0], position: 0)
    var heard = try await analyzer.frames(of: ScriptedInput(buffersToGive: [other])).makeAsyncIterator()
    let error = await #expect(throws: AudioError.self) { try await heard.next() }
    #expect(error?.code == .formatMismatch)
    #expect(try await heard.next() == nil)
    #expect(try await analyzer.summary.frames == 0)
  }

  @Test func endIsTheEndAlsoWhenAskedAgain() async throws {
    let analyzer = try VoiceAnalyzer(format: format)
    var heard = try await analyzer.frames(of: ScriptedInput(buffersToGive: [])).makeAsyncIterator()
    #expect(try await heard.next() == nil)
    #expect(try await heard.next() == nil)
  }

  @Test func manyTasksMayReadWhileOneFeeds() async throws {
    let analyzer = try VoiceAnalyzer(format: format)
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          var before = 0
          while before == 0 {
            let frames = try await analyzer.summary.frames
            #expect(frames >= before)
            before = frames
          }
        }
      }
      for buffer in Sounds.buffers(samples, format: format, frames: 1_000) { try await analyzer.process(buffer) }
      try await group.waitForAll()
    }
    #expect(try await analyzer.summary == VoiceProcessor.analyze(samples.span, sampleRate: 48_000).summary)
  }
}
