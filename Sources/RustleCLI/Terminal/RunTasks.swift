import Foundation

/// The tasks of a run: the first of them that returns an ending says how the run ended; nil says nothing.
typealias RunTasks = ThrowingTaskGroup<RunEnding?, any Error>

/// Pictures a second on a terminal, at most.
private let framesPerSecond = 20

extension RunEnding {
  /// The signals of a run with a live view: those that end it, and those that the terminal sends.
  static let viewSignals = signals + [SIGTSTP, SIGWINCH]

  /// Runs tasks until the first of them says how the run ended, or fails.
  ///
  /// - Parameter settle: does what has to be done before the other tasks are waited for, which have been cancelled: one of them
  ///   may wait for what does not come. It is told the ending; nil: a task failed.
  static func first(
    of addTasks: (inout RunTasks) -> Void, settle: (Self?) async throws -> Void = { _ in }
  ) async throws -> Self {
    try await withThrowingTaskGroup(of: Self?.self) { tasks in
      addTasks(&tasks)
      defer { tasks.cancelAll() }
      do {
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
}

extension RunTasks {
  /// Adds what ends a run that writes lines to standard output: a signal, and a reader that has gone.
  ///
  /// - Parameter isForced: whether a signal ends the process in any case, a second later.
  mutating func addEndingsOfLines(signals: AsyncStream<Int32>, isForced: Bool = true) {
    addTask { try await RunEnding.signal(from: signals, isForced: isForced) }
    addTask { await RunEnding.readerGone(from: StandardStream.output) }
  }

  /// Adds what a live view needs beside its news: the signals, the drawing and the keys.
  ///
  /// - Parameters:
  ///   - signals: of `RunEnding.viewSignals`.
  ///   - isForced: whether a signal ends the process in any case, a second later.
  ///   - press: does what a key asks for; returns whether it ends the run.
  mutating func add(
    _ view: some LiveView, signals: AsyncStream<Int32>, isForced: Bool = false, keys: AsyncStream<Key>?,
    press: @escaping @Sendable (Key) async throws -> Bool
  ) {
    addTask {
      try await RunEnding.signal(from: signals, isForced: isForced) { number in
        if number == SIGTSTP { try await view.suspend() } else { await view.resized() }
      }
    }
    addTask {
      while !Task.isCancelled {
        try await view.drawIfNeeded()
        try? await Task.sleep(for: .seconds(1) / framesPerSecond)
      }
      return nil
    }
    addKeys(keys, press: press)
  }

  /// Adds the reading of keys, where there are any.
  mutating func addKeys(_ keys: AsyncStream<Key>?, press: @escaping @Sendable (Key) async throws -> Bool) {
    guard let keys else { return }
    addTask {
      for await key in keys where try await press(key) { return .quit }
      return nil
    }
  }
}
