import Dispatch
import RustleAudio
import StudioCore
import Testing

@testable import RustleStudio

@MainActor
struct SoundTests {
  private static func block(_ sequence: UInt32, sampleRate: UInt32) throws -> MicrophoneBlock {
    let frames = UInt32(MicrophoneBlock.minimumFrameCount)
    var bytes: [UInt8] = [1, 1, 1, 0]
    for number in [sequence, sampleRate, frames] {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return try #require(MicrophoneBlock(bytes + [UInt8](repeating: 0, count: 4 * Int(frames))))
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
