internal import ArgumentParser
import Foundation

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Show the versions in use and what is missing.",
    discussion: """
      The exit status is 0 when everything is there and 69 when something is not.

      EXAMPLES:
        rustle doctor
        rustle doctor --json
      """)

  @Flag(help: "Write one JSON object a line.")
  var json = false

  func run() async throws {
    let isTerminal = StandardStream.isTerminal(StandardStream.output)
    let profile = TerminalProfile.standardOutput(isASCIIAskedFor: false)
    let report = DoctorReport.make(profile: profile, isTerminal: isTerminal)
    let text = json ? report.ndjson() : report.text(painter: Painter(isEnabled: profile.usesColor))
    try LineWriter.standardOutput.write(text)
    if !report.isGood { throw ExitCode(ExitStatus.unavailable.rawValue) }
  }
}
