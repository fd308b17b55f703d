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

  @Flag(help: "Write one JSON object per line.")
  var json = false

  func run() async throws {
    let isTerminal = StandardStream.isTerminal(StandardStream.output)
    let profile = TerminalProfile.present(isASCIIAskedFor: false)
    let components = Component.all(profile: profile, isTerminal: isTerminal)
    let width = (components.map(\.name.count).max() ?? 0) + 2
    let columns: [Column<Component>] = [
      Column("name") { $0.name.trimmingCharacters(in: .whitespaces) },
      Column("value", \.value),
      Column("ok") { $0.remedy == nil },
    ]
    // Text marks faulty components in words.
    let table = Table(columns, format: json ? .ndjson : .text, profile: profile) { component in
      let name = component.name.rightPadded(to: width)
      guard let remedy = component.remedy else { return name + component.value + "\n" }
      return name + profile.paint("\(component.value)  WRONG", .red) + "\n" + String(repeating: " ", count: width)
        + remedy + "\n"
    }
    try LineWriter.standardOutput.write(table.lines(components))
    if components.contains(where: { $0.remedy != nil }) { throw ExitCode(ExitStatus.unavailable.rawValue) }
  }
}

private struct Component {
  let name: String
  let value: String
  /// What to do if it is not available or not of the expected version; nil if it is.
  var remedy: String?

  static func all(profile: TerminalProfile, isTerminal: Bool) -> [Self] {
    let terminal = isTerminal ? "\(profile.columns) x \(profile.rows)" : "none (output is a file or a pipe)"
    let formats = AudioLibrary.Format.allCases.map { format in
      let isThere = AudioLibrary.supports(format)
      let remedy =
        isThere
        ? nil : format == .m4a ? "install FFmpeg" : "install a libsndfile with this codec (1.1 or newer for MP3)"
      return Self(name: "  \(format.rawValue)", value: isThere ? "yes" : "no", remedy: remedy)
    }
    let archive = Self(
      name: "native archive", value: Version.archive,
      remedy: Version.isArchiveExpected
        ? nil : "the package was built against another archive: run scripts/build and build again")
    return [
      Self(name: "rustle", value: Version.package), archive, fft,
      Self(name: "audio files", value: AudioLibrary.version),
    ] + formats + [
      Self(name: "plots", value: "cairo \(PlotLibrary.version)"),
      Self(name: "terminal", value: terminal),
      Self(name: "  colour", value: profile.usesColor ? "yes" : "no"),
      Self(name: "  characters", value: profile.usesUnicode ? "Unicode" : "ASCII"),
    ]
  }

  private static var fft: Self {
    do throws(FFTError) {
      return Self(name: "FFT", value: try FFT.InstructionSet.preferred().rawValue)
    } catch {
      return Self(name: "FFT", value: error.got ?? error.message, remedy: error.advice)
    }
  }
}
