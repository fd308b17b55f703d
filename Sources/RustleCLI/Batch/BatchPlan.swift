internal import ArgumentParser
import RustleAudioFiles
import RustleMarket

/// A command that analyses a sound file, and whose records a batch stores.
protocol FileAnalysis: ParsableCommand {
  /// The files that its options name, whose bytes the records depend on.
  var optionFiles: [String] { get }

  func opened() async throws -> OpenedInput

  /// Analyses the sound to its end, and writes the records in the format that is asked for.
  func writeRecords(of sound: OpenedInput, to write: (String) throws -> Void) async throws
}

extension FileAnalysis {
  var optionFiles: [String] { [] }
}

/// The analyses of a batch, in their order.
struct BatchPlan: Sendable {
  /// A command's name, and its options.
  struct Analysis: Sendable {
    let name: String
    let options: [String]

    var words: [String] { [name] + options }

    /// The command for a file: the same that its user types.
    func command(for path: String) throws -> any FileAnalysis {
      let arguments = options + ["--json", "--quiet", "--", path]
      return switch name {
      case "meter": try MeterCommand.parse(arguments)
      case "pitch": try PitchCommand.parse(arguments)
      case "voice": try VoiceCommand.parse(arguments)
      case "spectrum": try SpectrumCommand.parse(arguments)
      default: throw ValidationError("expected meter, pitch, voice or spectrum, got '\(name)'")
      }
    }
  }

  let analyses: [Analysis]
  /// The files that options name: a result depends on their bytes too.
  let files: [String]

  static let `default` = Self(analyses: [Analysis(name: "meter", options: [])])

  private init(analyses: [Analysis]) { (self.analyses, files) = (analyses, []) }

  /// The analyses in one text, which is part of the key of a result.
  var text: String { analyses.map { $0.words.joined(separator: " ") }.joined(separator: ",") }

  /// Parses `meter,pitch --voice`.
  init(parsing text: String) throws {
    var files: [String] = []
    analyses = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let words = part.split(separator: " ").map(String.init)
      let analysis = Analysis(name: words.first ?? "", options: Array(words.dropFirst()))
      do {
        let command = try analysis.command(for: "sound")
        let meter = command as? MeterCommand
        if analysis.options.contains(where: { $0.hasPrefix("--png") }) || meter?.calibrate != nil {
          throw ValidationError("--png and --calibrate are not part of a batch")
        }
        if meter?.more.isEmpty == false {
          throw ValidationError("expected options, got the file '\(meter?.sound.input ?? "")'")
        }
        files += command.optionFiles
      } catch {
        // Help and the version are those of another command.
        let isAnswer = RootCommand.exitCode(for: error).isSuccess
        let message = isAnswer ? "expected options of an analysis, got one for help" : RootCommand.message(for: error)
        throw ValidationError(words.isEmpty ? message : "\(part): \(message)")
      }
      return analysis
    }
    self.files = files
  }
}
