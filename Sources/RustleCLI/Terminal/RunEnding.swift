import Foundation

/// What ended the run of a command that goes on until something ends it.
enum RunEnding: Sendable, Equatable {
  case streamEnded, quit, readerGone
  case signal(Int32)

  var status: ExitStatus {
    switch self {
    case .streamEnded, .quit, .readerGone: .ok
    case .signal(SIGHUP): .hangup
    case .signal(SIGINT): .interrupted
    case .signal: .terminated
    }
  }

  /// The signals that end a run.
  static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Waits for one of the signals that end a run; nil when the stream of them ended.
  ///
  /// - Parameters:
  ///   - isForced: whether it ends the process in any case, a second later.
  ///   - handle: does what the other signals ask for.
  static func signal(
    from signals: AsyncStream<Int32>, isForced: Bool, others handle: (Int32) async throws -> Void = { _ in }
  ) async throws -> Self? {
    for await number in signals {
      guard Self.signals.contains(number) else {
        try await handle(number)
        continue
      }
      if isForced { leave(with: number) }
      return .signal(number)
    }
    return nil
  }

  /// Ends the process a second from now, or after `wait`: a reader that has stopped reading blocks the writer for as long as it likes, and so
  /// does an input that nothing comes from.
  static func leave(after wait: Duration = .seconds(1), with number: Int32) {
    Task.detached {
      try? await Task.sleep(for: wait)
      exit(Self.signal(number).status.rawValue)
    }
  }

  /// A pipe whose reader has gone is noticed within this time, also when there is nothing to write.
  private static let readerCheck = Duration.milliseconds(100)

  /// Waits until nobody reads a descriptor any more; nil when the task is cancelled.
  static func readerGone(from descriptor: Int32) async -> Self? {
    while !Task.isCancelled {
      if StandardStream.isReaderGone(descriptor) { return .readerGone }
      try? await Task.sleep(for: readerCheck)
    }
    return nil
  }
}
