import Logging
import TestSupport
import Testing

@testable import RustleCore

/// The native side's records arrive in swift-log.
@Suite(.releasesNativeObjects) struct NativeLogTests {
  /// Keeps what is logged with the label `rustle`; installed once for the process, as swift-log wants it.
  private struct Recorder: LogHandler {
    /// Not behind a `Mutex`: ThreadSanitizer does not see it.
    static let lines = AsyncStream.makeStream(of: String.self)
    static let install: Void = LoggingSystem.bootstrap { _ in Recorder() }

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let module = event.metadata?["module"].map { "\($0)" } ?? "none"
      Self.lines.continuation.yield("\(event.level) \(module): \(event.message)")
    }
  }

  @Test func lifeOfASessionIsLogged() async throws {
    Recorder.install
    try NativeLibrary.prepare()
    NativeLog.setLevel(.debug)
    let ticker = try NativeTicker(
      NativeTickerConfiguration(updatesPerSecond: 2, seed: 0, updateLimit: 1, hasSeed: false))
    let stream = try ticker.start(
      symbols: ["BTC"], buffering: .perValue(), reader: ElementReader { $0 }, sequenceNumber: \.sequence)
    await stream.core.session.released()
    NativeLog.setLevel(.info)
    var missing = [
      "debug rustle_engines::engine: session started session=": "",
      "debug rustle_engines::worker: session released session=": "release=Ended",
    ]
    // A missing record blocks the test until the runner's time limit reports it.
    for await line in Recorder.lines.stream {
      for (start, end) in missing where line.hasPrefix(start) && line.hasSuffix(end) { missing[start] = nil }
      if missing.isEmpty { break }
    }
  }

  @Test(arguments: [Logger.Level.error, .warning, .info, .debug, .trace])
  func levelsKeepTheirMeaning(level: Logger.Level) {
    #expect(NativeLog.level(of: NativeLog.number(of: level)) == level)
  }
}
