internal import ArgumentParser
import Foundation
import RustleFiles
import RustleLighting
import RustlePlot

struct FixtureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixture", abstract: "Read the fixture files of other programs.",
    subcommands: [FixtureImportCommand.self, FixtureShowCommand.self, FixtureCheckCommand.self])

  static let formats = """
    Files are JSON of the Open Fixture Library, definitions of QLC+ (.qxf), GDTF archives, or profiles of ours, at most 8 MiB; the \
    format is known by their content.
    """

  /// Reads a file's bytes.
  static func bytes(of path: String) throws -> Data {
    do throws(BoundedFile.Failure) {
      return try BoundedFile.bytes(of: path, limit: 8 << 20)
    } catch {
      throw CommandFailure(
        error.isTooLong ? .badData : .noInput, "\(path): \(error.reason)",
        advice: error.isTooLong ? nil : "Check the path.")
    }
  }

  /// Reads a file's profile.
  static func read(_ path: String) throws -> FixtureProfile {
    let bytes = try bytes(of: path)
    return try CommandFailure.naming(path) { try FixtureProfile(file: bytes) }
  }
}

struct FixtureImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Write a fixture's profile, or the rig of a scene, as JSON.",
    usage: "rustle fixture import <file> [-o <output>] [--universe <number>]",
    discussion: """
      \(FixtureCommand.formats) What was assumed or left out is a note on standard error. The profile goes to standard output, or to \
      the file of --output-file; a rig has it in its "profiles". A scene (.mvr) becomes a rig with the profiles of its devices, whose first \
      universe is that of --universe.

      EXAMPLES:
        rustle fixture import generic-par.qxf -o par.json
        rustle fixture import led-bar.json | jq .modes[].name
        rustle fixture import stage.mvr --universe artnet:0 -o rig.json
      """)

  @Argument(help: "File of the fixture.", completion: .file())
  var file: String

  @Option(
    name: [.customShort("o"), .customLong("output-file")],
    help: ArgumentHelp("File to write; one that is there is replaced.", valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "First universe of a scene: sacn:1 to sacn:63999, or artnet:0 to artnet:32767. (default: sacn:1)",
      valueName: "universe"))
  var universe: String?

  @OptionGroup var log: LogOptions

  /// The first universe of a scene.
  private func first() throws -> DMXUniverse {
    let text = universe ?? "sacn:1"
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let kind = DMXProtocol(rawValue: parts[0]),
      let universe = try? DMXUniverse(parts[1], of: kind)
    else {
      throw CommandFailure(
        .usage, "--universe: expected sacn:1 to sacn:63999, or artnet:0 to artnet:32767, got '\(text)'")
    }
    return universe
  }

  func run() async throws {
    log.bootstrap()
    if let output { try OutputPath.check(output, option: "--output-file", isNot: file) }
    let first = try first()
    let bytes = try FixtureCommand.bytes(of: file)
    let imported: (json: String, notes: [String])
    if ImportedRig.isScene(bytes) {
      let rig = try CommandFailure.naming(file) { try ImportedRig(mvr: bytes, from: first) }
      imported = (rig.json, rig.notes)
    } else if universe != nil {
      throw CommandFailure(.usage, "--universe requires a scene (.mvr), got \(file)")
    } else {
      let profile = try CommandFailure.naming(file) { try FixtureProfile(file: bytes) }
      imported = (profile.json, profile.notes)
    }
    for note in imported.notes { log.note(note) }
    let json = imported.json.hasSuffix("\n") ? imported.json : imported.json + "\n"
    if let output {
      try PictureFile.write(Data(json.utf8), to: output)
    } else {
      try LineWriter.standardOutput.write(json)
    }
  }
}

struct FixtureShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the modes of a fixture.",
    usage: "rustle fixture show <file> [--json]",
    discussion: """
      \(FixtureCommand.formats)

      EXAMPLES:
        rustle fixture show generic-par.qxf

      NDJSON FIELDS:
      \(columns.fieldList())
      """)

  @Argument(help: "File of the fixture.", completion: .file())
  var file: String

  @OptionGroup var output: RecordOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let profile = try FixtureCommand.read(file)
    for note in profile.notes { log.note(note) }
    let table = Table(Self.columns, format: output.effectiveFormat, profile: output.profile) { mode in
      let attributes = mode.attributes.joined(separator: ", ")
      return CommandFailure.visible("\(profile.name), \(mode.name): \(mode.footprint) slots: \(attributes)") + "\n"
    }
    try LineWriter.standardOutput.write(table.lines(profile.modes))
  }

  static let columns: [Column<FixtureProfile.Mode>] = [
    Column("mode", "the mode's name", \.name), Column("slots", "the slots that a fixture takes", \.footprint),
    Column("attributes", "what the channels control, in their order", \.attributes),
  ]
}

struct FixtureCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that fixture files can be read.",
    usage: "rustle fixture check <files> ... [--json]",
    discussion: """
      \(FixtureCommand.formats) There is a line for each file, with the reason where it cannot be read; the exit status is then that of \
      the first of these: 66 for one that is not there, 65 for another.

      EXAMPLES:
        rustle fixture check fixtures/*.qxf --json

      NDJSON FIELDS:
      \(columns.fieldList())
      """)

  @Argument(help: "Files of fixtures.", completion: .file())
  var files: [String]

  @OptionGroup var output: RecordOptions
  @OptionGroup var log: LogOptions

  struct Checked: Sendable {
    let file: String
    let profile: FixtureProfile?
    let fault: String?
  }

  func run() async throws {
    log.bootstrap()
    let table = Table(Self.columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    var status: ExitStatus?
    for file in files {
      let checked: Checked
      do {
        checked = Checked(file: file, profile: try FixtureCommand.read(file), fault: nil)
      } catch let failure as CommandFailure {
        status = status ?? failure.status
        checked = Checked(file: file, profile: nil, fault: failure.message)
      }
      try LineWriter.standardOutput.write(table.line(checked))
    }
    if let status { throw ExitCode(status.rawValue) }
  }

  static let columns: [Column<Checked>] = [
    Column("file", "the file", \.file), Column("name", "the fixture's name, or null", \.profile?.name),
    Column("modes", "the number of modes, or null", \.profile?.modes.count),
    Column("notes", "what was assumed or left out", { $0.profile?.notes ?? [] }),
    Column("fault", "why it cannot be read, or null", \.fault),
  ]

  static func text(_ checked: Checked) -> String {
    let profile = checked.profile.map { "\(checked.file): \($0.name), modes: \($0.modes.count)" }
    return CommandFailure.visible(checked.fault ?? profile ?? "") + "\n"
  }
}
