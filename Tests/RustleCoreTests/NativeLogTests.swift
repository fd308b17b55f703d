import Logging
import TestSupport
import Testing

@testable import RustleCore

/// The native side's records arrive in swift-log, as do its refusals that nothing else reports.
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

  @Test func refusalsWereDiscardedInsteadOfLogged() async throws {
    LogRecorder.install()
    let echo = try NativeEcho(
      NativeEchoConfiguration(valuesPerSecond: 1, number: 7, delayNanoseconds: 0, valueLimit: 0))
    let stream = try echo.start(buffering: .batched(), reader: ElementReader { $0 }, sequenceNumber: { _ in 0 })
    let other = "expected a session of the engine that the call is for, got another engine's"
    PlaybackID(of: stream).finish()
    await LogRecorder.line(from: "error none: playback: ", to: other)
    #expect(SymbolNames().names(through: 1, of: stream.core.session.id) == ["", ""])
    await LogRecorder.line(from: "error none: feed: ", to: other)
  }

  @Test(arguments: [Logger.Level.error, .warning, .info, .debug, .trace])
  func levelsKeepTheirMeaning(level: Logger.Level) {
    #expect(NativeLog.level(of: NativeLog.number(of: level)) == level)
  }
}
