internal import ArgumentParser
import Logging

/// How much is told on standard error.
struct LogOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Log what the engines do to standard error.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Write nothing to standard error but errors.")
  var quiet = false

  func validate() throws {
    if verbose && quiet { throw ValidationError("expected --verbose or --quiet, got both") }
  }

  /// The least level that is written.
  var level: Logger.Level { verbose ? .debug : quiet ? .error : .warning }

  /// Sends the process's log to standard error. To be called at most once in a process.
  func bootstrap() {
    let level = self.level
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
  }
}
