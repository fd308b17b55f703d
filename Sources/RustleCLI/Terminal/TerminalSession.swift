internal import CTerminal
import Dispatch
import Foundation
import RustlePlot

/// The state of the terminal for a live view: a hidden cursor, and keys without line buffering.
///
/// `begin` and `end` come in pairs: around the view as a whole, and around every stop by Ctrl-Z.
struct TerminalSession: Sendable {
  private let output: Int32
  /// Nil when standard input is not a terminal.
  private let input: Int32?
  let write: @Sendable (String) throws -> Void

  init(output: Int32, input: Int32?, write: @escaping @Sendable (String) throws -> Void) {
    (self.output, self.input, self.write) = (output, input, write)
  }

  func begin() throws {
    rustle_terminal_crash_guard_begin(output)
    // Keys are optional: the view is drawn without them, too.
    if let input { _ = rustle_terminal_keys_begin(input) }
    try write(LiveFrame.hideCursor)
  }

  func end() {
    // The terminal may be closed by now; then there is nothing to restore.
    try? write(LiveFrame.showCursor)
    rustle_terminal_keys_end()
    rustle_terminal_crash_guard_end()
  }

  /// Stops the process as Ctrl-Z should: restores the terminal, and prepares it again when the process continues.
  func suspend() throws {
    end()
    rustle_terminal_stop_process()
    try begin()
  }
}

enum StandardStream {
  static let input = FileHandle.standardInput.fileDescriptor
  static let output = FileHandle.standardOutput.fileDescriptor
  static let error = FileHandle.standardError.fileDescriptor

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  static func isReaderGone(_ descriptor: Int32) -> Bool { rustle_terminal_reader_is_gone(descriptor) != 0 }

  /// Makes a closed pipe an error that can be handled. To be called once, at the start.
  static func ignoreBrokenPipes() { rustle_terminal_ignore_broken_pipes() }
}

extension TerminalProfile {
  /// The present profile of standard output or standard error.
  static func present(of descriptor: Int32 = StandardStream.output, isASCIIAskedFor: Bool) -> Self {
    Self(
      environment: ProcessInfo.processInfo.environment, isTerminal: StandardStream.isTerminal(descriptor),
      size: (Int(rustle_terminal_columns(descriptor)), Int(rustle_terminal_rows(descriptor))),
      isASCIIAskedFor: isASCIIAskedFor)
  }
}

enum Keyboard {
  /// The keys as they are pressed. Ends when standard input does; dropping it stops the reading.
  static func keys() -> AsyncStream<Key> {
    let (stream, continuation) = AsyncStream.makeStream(of: Key.self)
    let input = FileHandle.standardInput
    input.readabilityHandler = { input in
      // The handler is called when bytes are available, so that this does not block; no bytes mean the end.
      let bytes = input.availableData
      if bytes.isEmpty { return continuation.finish() }
      for key in Key.keys(in: bytes) { continuation.yield(key) }
    }
    continuation.onTermination = { _ in input.readabilityHandler = nil }
    return stream
  }
}

/// Signals as elements of a stream, so that they are handled in a task and not in a signal handler.
actor Signals {
  private let sources: [any DispatchSourceSignal]

  /// The stream of a set of signals, whose default actions are disabled on return. Ends when it is released.
  static func stream(of numbers: [Int32]) async -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    let (registered, registration) = AsyncStream.makeStream(of: Void.self)
    let signals = Signals(numbers, continuation, registration)
    // The sources live as long as the stream.
    continuation.onTermination = { _ in _ = signals }
    // A source is registered on another thread: a signal that came before would be lost.
    var missing = numbers.count
    for await _ in registered {
      missing -= 1
      if missing == 0 { break }
    }
    return stream
  }

  private init(
    _ numbers: [Int32], _ continuation: AsyncStream<Int32>.Continuation, _ registration: AsyncStream<Void>.Continuation
  ) {
    sources = numbers.map { number in
      #if !os(Linux)
      // Otherwise a signal would end the process before the source sees it; on Linux the source installs a handler.
      _ = signal(number, SIG_IGN)
      #endif
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler { continuation.yield(number) }
      source.setRegistrationHandler { registration.yield() }
      source.resume()
      return source
    }
  }

  isolated deinit {
    for source in sources { source.cancel() }
  }
}
