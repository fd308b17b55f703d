import Foundation
import RustleLighting
import RustleCore
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct DMXShowTests {
  private static func play(
    _ text: String, from start: ContinuousClock.Instant = .now, speed: Double = 1
  ) async throws -> (end: ContinuousClock.Instant, frames: Int, others: Int) {
    var configuration = DMXSenderConfiguration(.sacn)
    configuration.interface = DMXSenderConfiguration.demoInterface
    let sender = try DMXSender(configuration)
    try await sender.start()
    // 7 bytes at a time.
    let rest = SeenMutex(Data(text.utf8))
    do {
      let played = try await DMXShow(sender, rate: 44).playRecording(from: start, speed: speed) {
        rest.withLock { rest in
          defer { rest = Data(rest.dropFirst(7)) }
          return rest.prefix(7)
        }
      }
      await sender.stop()
      return played
    } catch {
      await sender.stop()
      throw error
    }
  }

  @Test func linesOfATimeAreAFrameAndTimesAddUp() async throws {
    let text = [(100, 1), (100, 2), (130, 1), (130, 1), (5, 1), (25, 2)].map { time, universe in
      "{\"t_ms\":\(time),\"universe\":\(universe),\"dmx\":[1,2]}\n"
    }.joined()
    let start = ContinuousClock.now
    let played = try await Self.play(
      text + "{\"protocol\":\"artnet\",\"universe\":1,\"dmx\":[1]}\n", from: start, speed: 0.5)
    // 0, 30, twice of one universe, and 20 ms after the times began anew.
    #expect(played.end == start + .milliseconds(100) + .seconds(1) / 44)
    #expect(played.frames == 5 && played.others == 1)
    #expect(start.duration(to: .now) >= .milliseconds(100))
  }

  /// A pass that begins late ends when it would have ended: the times are those of the start, not of the frame before.
  @Test func latenessIsNotAddedUp() async throws {
    let start = ContinuousClock.now - .seconds(3_600)
    let played = try await Self.play(
      (0..<50).map { "{\"t_ms\":\($0 * 60_000),\"universe\":1,\"dmx\":[\($0)]}\n" }.joined(), from: start)
    #expect(played.end == start + .seconds(49 * 60) + .seconds(1) / 44 && played.frames == 50)
    #expect(start.duration(to: .now) < .seconds(3_600 + 60))
  }

  @Test(arguments: ["", "\"t_ms\":1e300,", "\"t_ms\":-2e12,", "\"t_ms\":null,"])
  func linesWithoutATimeAreNoRecording(time: String) async {
    let error = await #expect(throws: LightingError.self) {
      try await Self.play("{\"t_ms\":0,\"universe\":1,\"dmx\":[1]}\n{\(time)\"universe\":1,\"dmx\":[1]}\n")
    }
    #expect(error?.code == .malformedInput && error?.message.contains("t_ms") == true)
  }

  @Test func anEmptyRecordingHasNoFrames() async throws {
    #expect(try await Self.play("\n{\"v\":1,\"gap\":3}\n").frames == 0)
  }
}
