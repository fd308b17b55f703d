internal import ArgumentParser
import Foundation

/// The command `rustle` as a function, which the executable calls.
public enum RustleCommandLine {
  /// Runs the command and returns its exit status.
  ///
  /// - Parameter arguments: the arguments after the program's name.
  /// - Returns: 0, or one of the numbers that `rustle --help` lists.
  public static func run(_ arguments: [String]) async -> Int32 {
    StandardStream.ignoreBrokenPipes()
    if let failure = unknownSubcommand(arguments) { return report(failure) }
    do {
      var command = try RootCommand.parseAsRoot(arguments)
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

  /// The failure for a mistyped subcommand, which ArgumentParser reports as an unexpected argument; nil otherwise.
  static func unknownSubcommand(_ arguments: [String]) -> CommandFailure? {
    guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
    let names = RootCommand.subcommandNames
    guard !names.contains(word) else { return nil }
    let expected = names.dropLast().joined(separator: ", ") + " or \(names[names.count - 1])"
    return CommandFailure(
      .usage, "expected a subcommand (\(expected)), got '\(word)'",
      advice: Suggestion.nearest(to: word, among: names).map { "did you mean 'rustle \($0)'?" })
  }

  private static func status(of error: any Error) -> Int32 {
    if error is BrokenPipe { return ExitStatus.ok.rawValue }
    if let failure = CommandFailure(error) { return report(failure) }
    let code = RootCommand.exitCode(for: error)
    let message = RootCommand.fullMessage(for: error)
    if !message.isEmpty {
      // Requested help and the version are results; other messages are errors.
      let writer = code.isSuccess ? LineWriter.standardOutput : LineWriter.standardError
      try? writer.write(message + "\n")
    }
    // An unknown error is an internal one; ArgumentParser's status for it is 1.
    return code == .failure ? ExitStatus.internal.rawValue : code.rawValue
  }

  private static func report(_ failure: CommandFailure) -> Int32 {
    try? LineWriter.standardError.write(failure.text)
    return failure.status.rawValue
  }
}
