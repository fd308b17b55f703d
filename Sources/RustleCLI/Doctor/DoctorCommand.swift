internal import ArgumentParser
internal import CLoaded
import Foundation
import Logging
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Show the versions in use and missing components.",
    discussion: """
      The exit status is 0 when every component but M4A and plots is available, 69 otherwise. Of DMX it shows the interfaces, whether the ports can be \
      shared and multicast be joined, and whether senders are scheduled before other threads; for that it opens sockets and sends nothing.

      EXAMPLES:
        rustle doctor
        rustle doctor --json
      """)

  @Flag(help: "Write one JSON object per line.")
  var json = false

  @OptionGroup var log: LogOptions

  func run() async throws {
    // What the engines warn of is in the rows.
    log.bootstrap(usual: .error)
    let isTerminal = StandardStream.isTerminal(StandardStream.output)
    let profile = TerminalProfile.present(isASCIIAskedFor: false)
    let components = await Component.all(profile: profile, isTerminal: isTerminal)
    let width = (components.map(\.name.count).max() ?? 0) + 2
    let columns: [Column<Component>] = [
      Column("name") { $0.name.trimmingCharacters(in: .whitespaces) },
      Column("value", \.value),
      Column("ok") { $0.remedy == nil },
      Column("advice") { $0.remedy ?? $0.advice },
    ]
    // Text marks faulty components in words.
    let table = Table(columns, format: json ? .ndjson : .text, profile: profile) { component in
      let name = component.name.rightPadded(to: width)
      let advice = (component.remedy ?? component.advice).map { String(repeating: " ", count: width) + $0 + "\n" } ?? ""
      let value = component.remedy == nil ? component.value : profile.paint("\(component.value)  WRONG", .red)
      return name + value + "\n" + advice
    }
    try LineWriter.standardOutput.write(table.lines(components))
    if components.contains(where: { $0.remedy != nil }) { throw ExitCode(ExitStatus.unavailable.rawValue) }
  }
}

struct Component {
  let name: String
  var value: String
  /// What to do if it is not available or not of the expected version; nil if it is.
  var remedy: String?
  /// What would be better, of a component that is available.
  var advice: String?

  static func all(profile: TerminalProfile, isTerminal: Bool) async -> [Self] {
    let terminal = isTerminal ? "\(profile.columns) x \(profile.rows)" : "none (output is a file or a pipe)"
    let formats = AudioLibrary.Format.allCases.map { format in
      let isThere = AudioLibrary.supports(format)
      // As plots, M4A is for those who install what it takes.
      let (isMissing, isOptional) = (!isThere, format == .m4a)
      return Self(
        name: "  \(format.rawValue)", value: isThere ? "yes" : "no",
        remedy: isMissing && !isOptional ? "install a libsndfile with this codec (1.1 or newer for MP3)" : nil,
        advice: isMissing && isOptional ? "install FFmpeg" : nil)
    }
    let archive = Self(
      name: "native archive", value: Version.archive,
      remedy: Version.isArchiveExpected
        ? nil : "the package was built against another archive: run scripts/build and build again")
    return await [
      Self(name: "rustle", value: Version.package), archive, fft,
      Self(name: "audio files", value: AudioLibrary.version),
    ] + formats + dmx() + tempo() + [
      Self(name: "plots", value: rustle_finds_cairo() ? "cairo \(PlotLibrary.version)" : "no cairo"),
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
