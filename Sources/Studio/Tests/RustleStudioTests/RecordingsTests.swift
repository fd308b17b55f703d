import Foundation
import RustleAudio
import StudioCore
import Testing

@testable import RustleStudio

@MainActor
struct RecordingsTests {
  /// Each buffer of a device was a value: 100 a second, of which a page showed 70 as lost.
  @Test func aRecordingShowsItsTimeNoMoreOftenThanAPageIsWrittenTo() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let hub = Hub()
    let client = hub.join(canAct: true)
    client.withOutbox { $0.subscribe([.recording]) }
    let recordings = Recordings(hub: hub, folder: folder)
    let fan = SoundFan()
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    try await recordings.start(fan, format, as: "wav")
    // Half a second, in buffers of 10 ms.
    for number in 0..<50 as Range<Int64> {
      let samples = [Float](repeating: 0.5, count: 480)
      fan.push(try PCMBuffer(format: format, samples: samples, position: number * 480))
    }
    fan.finish()
    let end = ContinuousClock.now + .seconds(30)
    while recordings.name != nil, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
    #expect((1...14).contains(hub.counts.frames))
    // The end is shown, too.
    #expect(client.take().values.last?.frame.json["seconds"] == .number(0.5))
  }
}
