internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct DMXPatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patch", abstract: "Check the patch of a rig: the slots of its fixtures.",
    subcommands: [DMXPatchCheckCommand.self])
}

struct DMXPatchCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "List the faults of a rig file and of its patch.",
    usage: "rustle dmx patch check <rig> [--json]",
    discussion: """
      Faults are fixtures with slots in common, fixtures beyond slot 512, ids that occur twice, and invalid values. The exit status is \
      65 if there is one.

      A rig file is {"v": 1, "fixtures": [{"id": 1, "profile": "rgb-par", "protocol": "sacn", "universe": 1, "address": 1}]}. Profiles are \
      dimmer, rgb-par, rgbw-par, rgbawuv-par, moving-head, bar-8, bar-16, strobe and wash.

      EXAMPLES:
        rustle dmx patch check rig.json
        generate-rig | rustle dmx patch check /dev/stdin --json

      NDJSON FIELDS:
      \(columns.fieldList())
      """)

  @Argument(help: "The rig file, JSON, at most 64 MiB.", completion: .file(extensions: ["json"]))
  var rig: String

  @OptionGroup var output: RecordOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let read = try TextFile.value(of: rig, option: "<rig>", limit: TextFile.longestShow) { try Rig(json: $0) }
    let table = Table(Self.columns, kind: nil, format: output.effectiveFormat, profile: output.profile) {
      "\($0.description)\n"
    }
    try LineWriter.standardOutput.write(table.lines(read.faults))
    guard read.faults.isEmpty else {
      throw CommandFailure(
        .badData, "\(rig): \(read.faults.count) fault\(read.faults.count == 1 ? "" : "s")",
        advice: "Correct the faults listed above.")
    }
    log.note("no faults; \(read.fixtureCount) fixtures, \(read.slotCount) slots, universes: \(read.universeCount)")
  }

  static let columns: [Column<Rig.Fault>] = [
    Column("kind", "value, overlap, past_end or duplicate_id", \.kind.rawValue),
    Column("fixtures", "their places in the file from 0; none for a value", \.fixtures),
    Column("message", "the fault in one sentence", \.description),
  ]
}
