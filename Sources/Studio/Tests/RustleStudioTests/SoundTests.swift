import Dispatch
import RustleAudio
import StudioCore
import Testing

@testable import RustleStudio

@MainActor
struct SoundTests {
  private static func block(
    _ sequence: UInt32, sampleRate: UInt32, frames: UInt32 = UInt32(MicrophoneBlock.minimumFrameCount),
    level: Float = 0
  ) throws -> MicrophoneBlock {
    var bytes: [UInt8] = [1, 1, 1, 0]
    for number in [sequence, sampleRate, frames] + [UInt32](repeating: level.bitPattern, count: Int(frames)) {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return try #require(MicrophoneBlock(bytes))
  }

  /// Of two values that a page was sent in place of five, three were lost, with the peaks in them.
  @Test func peaksOfShortBlocksComeNoMoreOftenThanAPageIsWrittenTo() throws {
    let hub = Hub()
    let sound = try Sound(hub: hub)
    try sound.select(.browser(1), of: "microphone")
    let client = hub.join(canAct: true)
    client.withOutbox { $0.subscribe([.levels]) }
    sound.want([.levels])
    // 40 ms are 1,920 frames: 15 blocks of 128.
    for sequence in 0..<45 as Range<UInt32> { try sound.push(Self.block(sequence, sampleRate: 48_000), from: 1) }
    let values = client.take().values
    #expect(values.map(\.frame.sequence) == [2] && values.map(\.lost) == [2])
  }

  enum Change: CaseIterable { case source, rate, topics }

  /// The first value of another sound had the peak of the one before.
  @Test(arguments: Change.allCases) func peaksOfBeforeAreInNoLaterValue(_ change: Change) throws {
    let hub = Hub()
    let sound = try Sound(hub: hub)
    try sound.select(.browser(1), of: "microphone")
    let client = hub.join(canAct: true)
    client.withOutbox { $0.subscribe([.levels]) }
    sound.want([.levels])
    // Too short for a value.
    try sound.push(Self.block(0, sampleRate: 48_000, level: 0.5), from: 1)
    switch change {
    case .source: try sound.select(.browser(2), of: "file")
    case .rate: break
    case .topics:
      sound.want([])
      sound.want([.levels])
    }
    let (source, rate) = (change == .source ? 2 : 1, change == .rate ? 44_100 : 48_000 as UInt32)
    for sequence in 1...15 as ClosedRange<UInt32> {
      try sound.push(Self.block(sequence, sampleRate: rate), from: source)
    }
    let values = client.take().values
    // Before the equalizer, left and right: no level at all.
    var silence: [UInt8] = []
    for _ in 0..<2 { silence.append(number: -Float.infinity) }
    #expect(values.map(\.frame.sequence) == [0])
    #expect(values.map { Array($0.frame.payload.prefix(silence.count)) } == [silence])
  }

  /// An analyzer of 100 frames a second had seven of ten lost on the way to each page, one of 30 on the overview one of four.
  @Test(arguments: [Topic.voice, .pitch, .spectrum])
  func aTopicComesNoMoreOftenThanAPageIsWrittenTo(_ topic: Topic) async throws {
    let hub = Hub()
    let sound = try Sound(hub: hub)
    try sound.select(.browser(1), of: "microphone")
    sound.want([topic])
    let end = ContinuousClock.now + .seconds(30)
    while sound.fan.readerCount == 0, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
    // Two seconds, and the time for what has not been read.
    for sequence in 0..<60 as Range<UInt32> {
      try sound.push(Self.block(sequence, sampleRate: 48_000, frames: 1_600), from: 1)
    }
    while hub.counts.frames < 25, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
    try await Task.sleep(for: .milliseconds(300))
    #expect((25...51).contains(hub.counts.frames))
    await sound.stop()
  }

  /// The equalizer of the new rate kept the gains of before until the next change.
  @Test func aChangeDuringWhichTheRateChangesReachesTheNewEqualizer() async throws {
    let sound = try Sound(hub: Hub())
    try sound.select(.browser(1), of: "microphone")
    try sound.push(Self.block(0, sampleRate: 48_000), from: 1)
    let before = sound.equalizer
    let hold = DispatchSemaphore(value: 0)
    let (isHeld, held) = AsyncStream<Void>.makeStream()
    Task { await before.hold(held, until: hold) }
    for await _ in isHeld { break }

    var settings = sound.settings
    for band in settings.left.indices { settings.left[band].gain = 6 }
    let change = Task { [settings] in try await sound.set(settings, isBypassed: true) }
    // It waits for the equalizer now.
    await Task.yield()
    try sound.push(Self.block(1, sampleRate: 44_100), from: 1)
    hold.signal()
    try await change.value

    let after = sound.equalizer
    #expect(after !== before && sound.settings == settings && sound.isBypassed)
    #expect(await after.settings == settings.limited(toSampleRate: 44_100))
    #expect(await after.isBypassed)
  }
}

extension Equalizer {
  /// Lets other calls wait.
  fileprivate func hold(_ held: AsyncStream<Void>.Continuation, until end: DispatchSemaphore) {
    held.yield()
    end.wait()
  }
}
