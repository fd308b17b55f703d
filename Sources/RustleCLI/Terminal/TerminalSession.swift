internal import CTerminal
import Foundation

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

/// The file descriptors that the process was started with.
enum StandardStream {
  static let input = FileHandle.standardInput.fileDescriptor
  static let output = FileHandle.standardOutput.fileDescriptor
  static let error = FileHandle.standardError.fileDescriptor

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    (Int(rustle_terminal_columns(descriptor)), Int(rustle_terminal_rows(descriptor)))
  }

  /// Whether the reader of a pipe has closed it.
  static func isReaderGone(_ descriptor: Int32) -> Bool { rustle_terminal_reader_is_gone(descriptor) != 0 }

  /// Makes a closed pipe an error that can be handled. To be called once, at the start.
  static func ignoreBrokenPipes() { rustle_terminal_ignore_broken_pipes() }
}
