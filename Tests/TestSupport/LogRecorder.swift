import Logging

/// Keeps what the process logs from its first use on, as `LEVEL MODULE: MESSAGE`.
package actor LogRecorder {
  private typealias Waiter = (matches: (String) -> Bool, continuation: CheckedContinuation<String, Never>)

  private static let shared = LogRecorder()
  /// Not behind a `Mutex`: ThreadSanitizer does not see it.
  private static let logged = AsyncStream.makeStream(of: String.self)
  /// Once for the process, as swift-log wants it.
  private static let installed: Void = {
    LoggingSystem.bootstrap { _ in Handler() }
    Task { for await line in logged.stream { await shared.keep(line) } }
  }()

  private var lines: [String] = []
  private var waiters: [Waiter] = []

  /// Records from here on; what was logged before is gone.
  package static func install() { installed }

  /// Returns a recorded line that begins with `start` and ends with `end`, waiting for it if necessary.
  @discardableResult
  package static func line(from start: String, to end: String = "") async -> String {
    install()
    return await shared.line { $0.hasPrefix(start) && $0.hasSuffix(end) }
  }

  private func line(_ matches: @escaping (String) -> Bool) async -> String {
    if let line = lines.first(where: matches) { return line }
    return await withCheckedContinuation { waiters.append((matches, $0)) }
  }

  private func keep(_ line: String) {
    lines.append(line)
    waiters.removeAll { waiter in
      guard waiter.matches(line) else { return false }
      waiter.continuation.resume(returning: line)
      return true
    }
  }

  private struct Handler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let module = event.metadata?["module"].map { "\($0)" } ?? "none"
      LogRecorder.logged.continuation.yield("\(event.level) \(module): \(event.message)")
    }
  }
}
