internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct DMXMonitorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Compare the sources of sACN with a plan.",
    usage: """
      rustle dmx monitor --plan <file> [--show <file>] [--rig <file>]
              [--interface <name>] [--duration <seconds>] [--json]
      """,
    discussion: """
      Hears the universes of the plan and the lists that sources send every 10 s (universe discovery). A line is written when a fault \
      begins and when it ends: a universe without a source, its owner or its standby, with two sources at the same priority, with a source \
      that is not in the plan or has another priority than there, or, with --show, one of the show that no node owns. The first verdict \
      comes after 3 s. The exit status is 65 if there are faults at the end. Ctrl-C or SIGTERM ends it.

      EXAMPLES:
        rustle dmx monitor --plan plan.json --interface eth0
        rustle dmx monitor --plan plan.json --duration 15 --json

      NDJSON FIELDS:
      \(columns.fieldList())
      """)

  @Option(help: ArgumentHelp("The plan (docs/scale.md).", valueName: "file"), completion: .file(extensions: ["json"]))
  var plan: String

  @Option(
    "The show that the nodes play: its universes that no node owns are faults.", value: "file",
    completion: .file(extensions: ["json"]))
  var show: String?

  @Option(
    "The rig of --show. (default: the one in the show)", value: "file", completion: .file(extensions: ["json"]))
  var rig: String?

  @Option("Interface: a name or an address. (default: that of the default route)", value: "name")
  var interface: String?

  @OptionGroup var limit: TimeLimitOption
  @OptionGroup var output: StreamOptions
  @OptionGroup var log: LogOptions

  func validate() throws { try Parse.reject((rig != nil && show == nil, "--rig requires --show")) }

  func run() async throws {
    log.bootstrap()
    let read = try TextFile.value(of: plan, option: "--plan") { try UniversePlan($0) }
    let playing = try show.map { show in
      try ShowOptions.parse((rig.map { ["--rig", $0] } ?? []) + ["--", show]).read(log, option: "--show")
    }
    let watch = try PlanWatch(read, playing: playing, interface: interface ?? "")
    let table = Table(Self.columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    let present = Shared<Set<PlanMonitor.Fault>?>(nil)
    let ending = try await finally {
      await watch.stop()
    } after: {
      try await RunEnding.of(view: LiveBoard<DMXUniverseBoard>?.none, isForced: false) { tasks in
        let faults = try await watch.faults()
        tasks.addTask {
          for await new in faults {
            let (before, now) = (present.value, Set(new))
            if before == nil { log.note("faults: \(now.count), nodes: \(read.nodes.count)") }
            let changes =
              now.subtracting(before ?? []).sorted().map { Change(fault: $0, isThere: true) }
              + (before ?? []).subtracting(now).sorted().map { Change(fault: $0, isThere: false) }
            present.value = now
            if !changes.isEmpty { try LineWriter.standardOutput.write(table.lines(changes)) }
          }
          return .streamEnded
        }
        tasks.addEnd(after: limit.seconds) { await watch.stop() }
      }
    }
    let faults = present.value?.count ?? 0
    if faults > 0 {
      throw CommandFailure(
        .badData, "\(faults) fault\(faults == 1 ? "" : "s") at the end", advice: "Compare the nodes with the plan.")
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  /// The beginning or the end of a fault.
  struct Change: Sendable {
    let fault: PlanMonitor.Fault
    let isThere: Bool
  }

  static let columns: [Column<Change>] = [
    Column("fault", PlanMonitor.Fault.Kind.allCases.map(\.rawValue).joined(separator: ", "), \.fault.kind.rawValue),
    Column("present", "true: it begins, false: it is over", \.isThere),
    Column("universe", "the universe of sACN", \.fault.universe),
    Column("owner", "its node in the plan; null: none", \.fault.owner),
    Column("sources", "the names of the sources that it is about, or that are there instead", \.fault.sources),
    Column("priority", "that of the source, where it is the fault; or null", \.fault.priority),
  ]

  static func text(_ change: Change) -> String {
    let fault = change.fault
    let sources = fault.sources.isEmpty ? "" : ": \(fault.sources.joined(separator: ", "))"
    let priority = fault.priority.map { " at \($0)" } ?? ""
    let words = fault.kind.rawValue.replacing("_", with: " ")
    let line = "universe \(fault.universe) (\(fault.owner ?? "no owner")): \(words)\(sources)\(priority)"
    return CommandFailure.visible("\(change.isThere ? "+" : "-") \(line)") + "\n"
  }
}
