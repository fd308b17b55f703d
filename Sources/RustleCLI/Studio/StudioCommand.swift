internal import ArgumentParser
import Foundation

struct StudioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio",
    abstract: "Serve a page for all engines.",
    usage: """
      rustle studio [<option> ...]
      """,
    discussion: """
      Runs rustle-studio, a program of its own, from the folder of this one or from PATH, with the options that are given: \
      rustle studio --help lists them. Signals are passed on, and its exit status is returned.

      EXAMPLES:
        rustle studio
        rustle studio --listen 0.0.0.0:8420 --token
      """)

  @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Options of rustle-studio.", valueName: "option"))
  var options: [String] = []

  func run() async throws {
    guard let program = Self.program else {
      throw CommandFailure(
        .unavailable, "rustle-studio: expected the program beside rustle or in PATH, found none",
        advice: "Install it with scripts/install --studio, or run scripts/studio in a checkout.")
    }
    // Before it starts, so that none is lost between.
    let signals = await Signals.stream(of: RunEnding.signals)
    let process = Process()
    (process.executableURL, process.arguments) = (program, options)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    do {
      try process.run()
    } catch {
      throw CommandFailure(.unavailable, "\(program.path) does not start: \(error.localizedDescription)")
    }
    let pid = process.processIdentifier
    // Ctrl-C reaches this program alone: the other is in a process group of its own.
    let passing = Task { for await number in signals { kill(pid, number) } }
    for await _ in ends {}
    passing.cancel()
    let status = process.terminationStatus
    let code = process.terminationReason == .exit ? status : 128 + status
    if code != 0 { throw ExitCode(code) }
  }

  /// The program, where it is installed.
  private static var program: URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
    let own = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
    return ([own].compactMap(\.self) + folders).lazy
      .map { $0.appendingPathComponent("rustle-studio") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
