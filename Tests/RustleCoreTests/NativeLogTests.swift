import Logging
import Synchronization
import TestSupport
import Testing

@testable import RustleCore

/// The native side's records arrive in swift-log.
@Suite(.releasesNativeObjects) struct NativeLogTests {
  /// Keeps what is logged with the label `rustle`; installed once for the process, as swift-log wants it.
  private struct Recorder: LogHandler {
    static let lines = Mutex<[String]>([])
    static let install: Void = LoggingSystem.bootstrap { _ in Recorder() }

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let module = event.metadata?["module"].map { "\($0)" } ?? "none"
      Self.lines.withLock { $0.append("\(event.level) \(module): \(event.message)") }
    }
  }

  @Test func lifeOfASessionIsLogged() async throws {
    Recorder.install
    try NativeLibrary.prepare()
    NativeLog.setLevel(.debug)
    let ticker = try NativeTicker(updatesPerSecond: 2, seed: nil, updateLimit: 1)
    let stream = try ticker.start(symbols: ["BTC"], lane: .events(), value: { $0 }, sequenceNumber: \.sequence)
    await stream.core.session.released()
    NativeLog.setLevel(.info)
    let lines = Recorder.lines.withLock { $0 }
    #expect(lines.contains { $0.hasPrefix("debug rustle_engines::runtime: session started session=") })
    #expect(
      lines.contains { $0.hasPrefix("debug rustle_engines::worker: session released") && $0.contains("release=Ended") })
  }

  @Test(arguments: [Logger.Level.error, .warning, .info, .debug, .trace])
  func levelsKeepTheirMeaning(level: Logger.Level) {
    #expect(NativeLog.level(of: NativeLog.number(of: level)) == level)
  }
}
