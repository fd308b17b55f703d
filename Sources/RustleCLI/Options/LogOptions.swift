internal import ArgumentParser
import Foundation
import Logging
import RustleCore

/// How much is written to standard error.
struct LogOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Log what the engines do to standard error.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Write nothing to standard error but errors.")
  var quiet = false

  func validate() throws {
    if verbose && quiet { throw ValidationError("expected --verbose or --quiet, got both") }
  }

  /// The least level that is written. The environment variable `RUSTLE_LOG` can ask for more than the options do.
  ///
  /// - Parameter usual: the level without an option.
  func level(environment: [String: String], usual: Logger.Level = .warning) -> Logger.Level {
    let asked: Logger.Level = verbose ? .debug : quiet ? .error : usual
    let named = environment["RUSTLE_LOG"].flatMap { Logger.Level(rawValue: $0.lowercased()) }
    return min(asked, named ?? asked)
  }

  /// Says something to whoever looks at standard error, unless nothing is wanted there.
  func note(_ text: String) {
    if !quiet { try? LineWriter.standardError.write("rustle: \(text)\n") }
  }

  /// Says that a picture was written.
  func noteWritten(_ path: String) {
    if !quiet { try? LineWriter.standardError.write("wrote \(path)\n") }
  }

  /// The progress of a job, for whoever looks at standard error.
  ///
  /// - Parameter writesAtOnce: whether the output shows how far it is: then there is none where the output is looked at, too.
  func progress(total: Int?, writesAtOnce: Bool = false) -> ProgressLine {
    let isSeen = !quiet && StandardStream.isTerminal(StandardStream.error)
    return ProgressLine(
      total: total, isEnabled: isSeen && !(writesAtOnce && StandardStream.isTerminal(StandardStream.output)))
  }

  /// Sends the process's log, that of the engines too, to standard error. To be called at most once in a process.
  ///
  /// - Parameter usual: the level without an option: a command that tells of warnings itself asks for errors.
  func bootstrap(usual: Logger.Level = .warning) {
    let level = level(environment: ProcessInfo.processInfo.environment, usual: usual)
    // An archive that does not fit is told by the first call that needs it.
    if (try? NativeLibrary.prepare()) != nil { NativeLog.setLevel(level) }
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
  }
}
