import Foundation
import RustlePlot
import RustleCore

/// The cause of the end of a run.
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
  ///   - handle: handles the other signals.
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

  /// Ends the process a second from now, or after `wait`: a reader that has stopped reading, and an idle input, block
  /// without limit.
  static func leave(after wait: Duration = .seconds(1), with number: Int32) {
    Task.detached {
      try? await Task.sleep(for: wait)
      exit(Self.signal(number).status.rawValue)
    }
  }

  /// Waits until the reader of a descriptor has closed it, which is checked ten times per second, also without anything to
  /// write; nil when the task is cancelled.
  static func readerGone(from descriptor: Int32) async -> Self? {
    while !Task.isCancelled {
      if StandardStream.isReaderGone(descriptor) { return .readerGone }
      try? await Task.sleep(for: .milliseconds(100))
    }
    return nil
  }

  /// Runs tasks until the first of them returns an ending, or fails.
  ///
  /// - Parameter settle: runs before the other, cancelled tasks are awaited, one of which may be blocked. Receives the
  ///   ending; nil if a task failed.
  static func first(
    of addTasks: (inout RunTasks) async throws -> Void, settle: (Self?) async throws -> Void = { _ in }
  ) async throws -> Self {
    try await withThrowingTaskGroup(of: Self?.self) { tasks in
      defer { tasks.cancelAll() }
      do {
        try await addTasks(&tasks)
        while let ending = try await tasks.next() {
          guard let ending else { continue }
          tasks.cancelAll()
          try await settle(ending)
          return ending
        }
        return .streamEnded
      } catch {
        tasks.cancelAll()
        try await settle(nil)
        throw error
      }
    }
  }

  /// Runs tasks until one of them, a signal, a key, or a closed pipe ends the run.
  ///
  /// - Parameters:
  ///   - view: the live view, which handles the keys; nil if the tasks write lines to standard output.
  ///   - isForced: whether a signal ends the process in any case, a second later.
  ///   - watchesReader: whether the run ends when the reader of standard output closes it; nil: without a view.
  ///   - settle: as in `first`.
  ///   - tasks: adds the tasks that write lines or update the view. Signals are handled before it runs.
  static func of<View: LiveView>(
    view: View?, isForced: Bool = true, watchesReader: Bool? = nil, settle: (Self?) async throws -> Void = { _ in },
    tasks addTasks: (inout RunTasks) async throws -> Void
  ) async throws -> Self {
    let signals = await Signals.stream(of: signals + (view == nil ? [] : [SIGTSTP, SIGWINCH]))
    let keys = await view?.screen.keys()
    try await view?.begin()
    return try await finally {
      await view?.end()
    } after: {
      try await first(
        of: { tasks in
          try await addTasks(&tasks)
          tasks.addTask {
            try await signal(from: signals, isForced: isForced) { number in
              if number == SIGTSTP { try await view?.suspend() } else { await view?.resized() }
            }
          }
          if let view {
            tasks.addTask { try await view.redraw() }
            if let keys {
              tasks.addTask {
                for await key in keys where try await view.press(key) { return .quit }
                return nil
              }
            }
          }
          if watchesReader ?? (view == nil) { tasks.addTask { await readerGone(from: StandardStream.output) } }
        }, settle: settle)
    }
  }
}

/// The tasks of a run: the first that returns an ending, not nil, ends the run.
typealias RunTasks = ThrowingTaskGroup<RunEnding?, any Error>

extension RunTasks {
  /// Calls `end` after a number of seconds; nil: never. The streams that it cancels end the run when they have been read.
  mutating func addEnd(after seconds: Double?, _ end: @escaping @Sendable () async -> Void) {
    guard let seconds else { return }
    addTask {
      try await Task.sleep(for: .seconds(seconds))
      await end()
      return nil
    }
  }
}

/// Returns the outcome of `body`, after `end` has run, also when `body` failed.
func finally<Outcome>(
  _ end: () async -> Void, after body: () async throws -> Outcome
) async throws -> Outcome {
  do {
    let outcome = try await body()
    await end()
    return outcome
  } catch {
    await end()
    throw error
  }
}

/// A value that the tasks of a run share.
final class Shared<Value: Sendable>: Sendable {
  private let state: SeenMutex<Value>

  init(_ value: Value) { state = SeenMutex(value) }

  var value: Value {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }

  /// Changes the value, alone, and returns the outcome.
  func update<Outcome: Sendable>(_ change: (inout Value) -> Outcome) -> Outcome { state.withLock { change(&$0) } }
}
