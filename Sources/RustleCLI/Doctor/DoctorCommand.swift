internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Show the versions in use and missing components.",
    discussion: """
      The exit status is 0 when every component is available, 69 otherwise.

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
    try LineWriter.standardOutput.write(report.text(json ? .ndjson : .text, profile: profile))
    if !report.isGood { throw ExitCode(ExitStatus.unavailable.rawValue) }
  }
}

/// The checked components.
struct DoctorReport: Equatable {
  /// One component and its state.
  struct Item: Equatable {
    let name: String
    let value: String
    /// Whether the component is available and of the expected version.
    var isGood = true
    /// The remedy when it is not.
    var advice: String?
  }

  let items: [Item]

  var isGood: Bool { items.allSatisfy(\.isGood) }

  /// Checks the program, its libraries and the terminal.
  static func make(profile: TerminalProfile, isTerminal: Bool) -> DoctorReport {
    let formats = AudioLibrary.Format.allCases.map { format in
      let isThere = AudioLibrary.supports(format)
      return Item(
        name: "  \(format.rawValue)", value: isThere ? "yes" : "no", isGood: isThere,
        advice: "install a libsndfile with this codec (1.1 or newer for MP3)")
    }
    let library = [
      Item(name: "rustle", value: Version.package),
      Item(
        name: "native archive", value: Version.archive, isGood: Version.isArchiveExpected,
        advice: "the package was built against another archive: run scripts/build and build again"),
      fftInstructionSet,
      Item(name: "audio files", value: AudioLibrary.version),
    ]
    let output = [
      Item(name: "plots", value: "cairo \(PlotLibrary.version)"),
      Item(
        name: "terminal",
        value: isTerminal ? "\(profile.columns) x \(profile.rows)" : "none (output is a file or a pipe)"),
      Item(name: "  colour", value: profile.usesColor ? "yes" : "no"),
      Item(name: "  characters", value: profile.usesUnicode ? "Unicode" : "ASCII"),
    ]
    return DoctorReport(items: library + formats + output)
  }

  /// The instruction set of the transforms.
  private static var fftInstructionSet: Item {
    do throws(FFTError) {
      return Item(name: "FFT", value: try FFT.InstructionSet.preferred().rawValue)
    } catch {
      return Item(name: "FFT", value: error.got ?? error.message, isGood: false, advice: error.advice)
    }
  }

  /// The report; the text format marks faulty components in words.
  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    let width = (items.map(\.name.count).max() ?? 0) + 2
    let columns: [Column<Item>] = [
      Column("name") { $0.name.trimmingCharacters(in: .whitespaces) }, Column("value", \.value), Column("ok", \.isGood),
    ]
    return Table(columns, format: format, profile: profile) { item in
      let name = item.name.rightPadded(to: width)
      guard !item.isGood else { return name + item.value + "\n" }
      let advice = item.advice.map { String(repeating: " ", count: width) + "\($0)\n" } ?? ""
      return name + profile.paint("\(item.value)  WRONG", .red) + "\n" + advice
    }.lines(items)
  }
}
