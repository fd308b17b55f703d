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

  /// Ends the process a second from now, or after `wait`: a reader that has stopped reading blocks the writer for as long as it
  /// likes, and so does an input that nothing comes from.
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
  ///   may wait for what does not come. It takes the ending; nil: a task failed.
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

  /// Runs tasks until one of them, a signal, a key, or a reader that has gone ends the run.
  ///
  /// - Parameters:
  ///   - view: what is drawn meanwhile, and takes the keys; nil: the tasks write lines to standard output.
  ///   - isForced: whether a signal ends the process in any case, a second later.
  ///   - settle: as of `first`.
  ///   - tasks: adds what makes the lines or the news of the view. Signals are taken before it runs.
  static func of<View: LiveView>(
    view: View?, isForced: Bool = true, settle: (Self?) async throws -> Void = { _ in },
    tasks addTasks: (inout RunTasks) async throws -> Void
  ) async throws -> Self {
    let signals = await Signals.stream(of: view == nil ? signals : viewSignals)
    guard let view else {
      return try await first(
        of: { tasks in
          try await addTasks(&tasks)
          tasks.addEndingsOfLines(signals: signals, isForced: isForced)
        }, settle: settle)
    }
    let keys = await view.screen.keys()
    return try await view.whileShown {
      try await first(
        of: { tasks in
          try await addTasks(&tasks)
          tasks.add(view, signals: signals, isForced: isForced, keys: keys) { try await view.press($0) }
        }, settle: settle)
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
