internal import ArgumentParser
import RustleAudioFiles
import RustleMarket

/// A command that analyses a sound file, and whose records a batch stores.
protocol FileAnalysis: ParsableCommand {
  func opened() async throws -> OpenedInput

  /// Analyses the sound to its end, and writes the records in the format that is asked for.
  func writeRecords(of sound: OpenedInput, to write: (String) throws -> Void) async throws
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

  static let `default` = Self(analyses: [Analysis(name: "meter", options: [])])

  private init(analyses: [Analysis]) { self.analyses = analyses }

  /// The analyses in one text, which is part of the key of a result.
  var text: String { analyses.map { $0.words.joined(separator: " ") }.joined(separator: ",") }

  /// Parses `meter,pitch --voice`.
  init(parsing text: String) throws {
    analyses = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let words = part.split(separator: " ").map(String.init)
      let analysis = Analysis(name: words.first ?? "", options: Array(words.dropFirst()))
      do {
        let command = try analysis.command(for: "sound")
        if analysis.options.contains(where: { $0.hasPrefix("--png") }) || (command as? MeterCommand)?.calibrate != nil {
          throw ValidationError("--png and --calibrate are not part of a batch")
        }
      } catch {
        throw ValidationError("\(part): \(RootCommand.message(for: error))")
      }
      return analysis
    }
  }
}
