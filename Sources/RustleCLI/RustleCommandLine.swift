internal import ArgumentParser
import Foundation
import Logging
import RustleFiles
import RustleMarket

/// The command `rustle` as a function, which the executable calls.
public enum RustleCommandLine {
  /// Runs the command and returns its exit status.
  ///
  /// - Parameter arguments: the arguments after the program's name.
  /// - Returns: 0, or one of the numbers that `rustle --help` lists.
  public static func run(_ arguments: [String]) async -> Int32 {
    StandardStream.ignoreBrokenPipes()
    OpenFiles.raiseLimit()
    // The parser makes all subcommands before it looks for this.
    if arguments == ["--version"] {
      try? LineWriter.standardOutput.write(Version.text + "\n")
      return ExitStatus.ok.rawValue
    }
    if let failure = malformed(arguments) ?? unknownSubcommand(arguments) { return report(failure) }
    do {
      var command = try command(for: arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return ExitStatus.ok.rawValue
    } catch {
      return status(of: error)
    }
  }

  /// The failure for a file's name, or another argument, that is not UTF-8; nil otherwise.
  private static func malformed(_ arguments: [String]) -> CommandFailure? {
    guard arguments.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else { return nil }
    let commandLine = try? BoundedFile.bytes(of: "/proc/self/cmdline", limit: 1 << 22)
    return ArgumentBytes.malformed(in: arguments, commandLine: commandLine).map { position, text in
      CommandFailure(
        .usage, "argument \(position): expected UTF-8, got '\(text)'",
        advice: "Rename the file, or read it from standard input, as in 'rustle spectrum - < file'.")
    }
  }

  /// Parses arguments, after those of the file of `--config`. The default file completes a ticker that is incomplete without it.
  static func command(
    for arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> any ParsableCommand {
    let file = try OptionsFile.location(for: arguments, of: "ticker", environment: environment)
    do {
      if let file, !file.isDefault { return try command(for: arguments, with: file.path) }
      return try RootCommand.parsed(arguments)
    } catch {
      guard let file, file.isDefault, !RootCommand.exitCode(for: error).isSuccess else { throw error }
      do {
        return try command(for: arguments, with: file.path)
      } catch let fault {
        // The fault is the file's where symbols alone were missing.
        let completed = arguments.prefix(1) + ["--watchlist=A"] + arguments.dropFirst()
        throw (try? RootCommand.parsed(Array(completed))) == nil ? error : fault
      }
    }
  }

  private static func command(for arguments: [String], with path: String) throws -> any ParsableCommand {
    let completed = try OptionsFile.completed(arguments, with: path)
    do { return try RootCommand.parsed(completed) } catch {
      if RootCommand.exitCode(for: error).isSuccess { throw error }
      let advice = "The options of \(path) come before those of the command line."
      throw CommandFailure(.usage, RootCommand.message(for: error), advice: advice)
    }
  }

  /// The failure for a mistyped subcommand, which ArgumentParser reports as an unexpected argument; nil otherwise.
  static func unknownSubcommand(_ arguments: [String]) -> CommandFailure? {
    guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
    let names = RootCommand.subcommandNames
    guard !names.contains(word) else { return nil }
    let expected = names.dropLast().joined(separator: ", ") + " or \(names[names.count - 1])"
    return CommandFailure(
      .usage, "expected a subcommand (\(expected)), got '\(word)'",
      advice: Suggestion.nearest(to: word, among: names).map { "Did you mean 'rustle \($0)'?" })
  }

  private static func status(of error: any Error) -> Int32 {
    if error is BrokenPipe { return ExitStatus.ok.rawValue }
    if let failure = CommandFailure(error) { return report(failure) }
    if error as? ExitCode == ExitCode(ExitStatus.filesFailed.rawValue) { return ExitStatus.filesFailed.rawValue }
    let code = RootCommand.exitCode(for: error)
    // ArgumentParser begins its errors with another spelling.
    let text = RootCommand.fullMessage(for: error)
    let message = text.hasPrefix("Error: ") ? "error: " + text.dropFirst(7) : text
    if !message.isEmpty {
      // Requested help and the version are results; other messages are errors.
      if code.isSuccess {
        try? LineWriter.standardOutput.write(message + "\n")
      } else {
        let words = message.hasPrefix("error: ") ? String(message.dropFirst(7)) : message
        Messages.write(.error, words, text: message + "\n", [("status", "\(code.rawValue)")])
      }
    }
    // An unknown error is an internal one; ArgumentParser's status for it is 1.
    return code == .failure ? ExitStatus.internal.rawValue : code.rawValue
  }

  private static func report(_ failure: CommandFailure) -> Int32 {
    let advice = failure.advice.map { [("advice", $0)] } ?? []
    Messages.write(.error, failure.message, text: failure.text, advice + [("status", "\(failure.status.rawValue)")])
    return failure.status.rawValue
  }
}
