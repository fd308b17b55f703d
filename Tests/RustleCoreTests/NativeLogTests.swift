import Logging
import TestSupport
import Testing

@testable import RustleCore

/// The native side's records arrive in swift-log.
@Suite(.releasesNativeObjects) struct NativeLogTests {
  @Test func lifeOfASessionIsLogged() async throws {
    LogRecorder.install()
    try NativeLibrary.prepare()
    NativeLog.setLevel(.debug)
    let ticker = try NativeTicker(
      NativeTickerConfiguration(updatesPerSecond: 2, seed: 0, updateLimit: 1, hasSeed: false))
    let stream = try ticker.start(
      symbols: ["BTC"], buffering: .perValue(), reader: ElementReader { $0 }, sequenceNumber: \.sequence)
    await stream.core.session.released()
    NativeLog.setLevel(.info)
    await LogRecorder.line(from: "debug rustle_engines::engine: session started session=")
    await LogRecorder.line(from: "debug rustle_engines::worker: session released session=", to: "release=Ended")
  }

  @Test(arguments: [Logger.Level.error, .warning, .info, .debug, .trace])
  func levelsKeepTheirMeaning(level: Logger.Level) {
    #expect(NativeLog.level(of: NativeLog.number(of: level)) == level)
  }
}
