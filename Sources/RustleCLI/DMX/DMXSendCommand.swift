internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct DMXCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dmx", abstract: "Send DMX universes by sACN or Art-Net.", subcommands: [DMXSendCommand.self])
}

struct DMXSendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send a pattern, or frames from a file or a pipe.",
    usage: """
      rustle dmx send [--protocol <protocol>] [--universes <list>] [--to <where>]
              [--interface <name>] [--pattern <pattern>] [--seconds <seconds>]
      rustle dmx send --input <file> [--raw] ...
      """,
    discussion: """
      The ramp changes every universe in every frame. --input reads lines such as {"universe":1,"dmx":[255,0]} as they come, or \
      with --raw, at the rate, the slots of all universes, frame by frame; - is standard input. A pattern ends after --seconds; \
      the levels of an input stay on for that long after its end.

      The end, also by Ctrl-C and SIGTERM, sends three terminated sACN packets for each universe. A line of counts follows.

      EXAMPLES:
        rustle dmx send --interface lo
        rustle dmx send --universes 1-1000 --interface eth0 --seconds 60
        rustle dmx send --protocol artnet --to 10.0.0.7 --universes 0.0.0-0.0.3
        rustle dmx send --protocol artnet --to broadcast --pattern chase
        producer | rustle dmx send --input - --to 10.0.0.7 --priority 150

      NDJSON FIELDS:
      \(columns.fieldList())
      """)

  @Option(name: .customLong("protocol"), help: "Protocol.")
  var kind: DMXProtocol = .sacn

  @Option("Universes: 1-4,7; Port-Addresses: 0.0.1 or 1. (default: the first)", value: "list")
  var universes: String?

  @Option(
    name: .customLong("to"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "An address, with or without a port; multicast (sACN) or broadcast (Art-Net).", valueName: "where"))
  var destinations: [String] = []

  @Option(
    "Interface of multicast and broadcast: a name or an address. (default: that of the default route)", value: "name")
  var interface: String?

  @Flag(help: "Send nothing, and count all.")
  var demo = false

  @Option("Frames a second, 1 to 200.", value: "hz", parse: Parse.number("frames a second", in: 1...200))
  var rate = 44.0

  @Option("Stop after this many seconds.", value: "seconds", parse: Parse.number("seconds", in: 0...1e9))
  var seconds: Double?

  @Option("Slots of each universe, 1 to 512.", value: "count", parse: Parse.integer("slots", in: 1...512))
  var slots = 512

  @Option(help: "Pattern.")
  var pattern: DMXPattern = .ramp

  @Option("Seed of the random pattern.", value: "number", parse: Parse.integer("a seed", in: 0...Int.max))
  var seed = 0

  @Option("Read frames from this file, or - for standard input.", value: "file", completion: .file())
  var input: String?

  @Flag(help: "The input is slots, not lines.")
  var raw = false

  @Option("Priority of sACN, 0 to 200.", value: "priority", parse: Parse.integer("a priority", in: 0...200))
  var priority = 100

  @Option("Name of the source, at most 63 bytes.", value: "name")
  var name: String?

  @Option(
    "Identity of the source, a UUID: keep it, so that a restart is the same source. (default: a new one)", value: "uuid"
  )
  var cid: String?

  @Option("Synchronization address of sACN.", value: "universe", parse: Parse.integer("a universe", in: 1...63_999))
  var syncAddress: Int?

  @Flag(help: "Send an ArtSync after each frame.")
  var artSync = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try output.refuseCSV()
    try Parse.reject(
      (raw && input == nil, "--raw requires --input"),
      (cid.map { UUID(uuidString: $0) == nil } ?? false, "--cid: expected a UUID"),
      (syncAddress != nil && artSync, "--sync-address cannot be used with --art-sync"))
    _ = try targets()
  }

  /// The configuration, and the universes to send.
  func targets() throws -> (DMXConfiguration, [DMXUniverse]) {
    var configuration = DMXConfiguration(kind, cid: cid.flatMap(UUID.init) ?? UUID(), name: name ?? "rustle dmx send")
    configuration.interface = demo ? DMXConfiguration.demoInterface : interface ?? ""
    configuration.destinations = destinations.filter { $0 != "multicast" && $0 != "broadcast" }
    configuration.broadcasts = destinations.contains("broadcast")
    configuration.rate = rate
    configuration.priority = priority
    if let syncAddress { configuration.synchronization = .sacn(address: syncAddress) }
    if artSync { configuration.synchronization = .artSync }
    try Parse.reject(
      (
        destinations.contains("multicast") && (kind == .artNet || !configuration.destinations.isEmpty),
        "--to multicast: expected sACN without an address, got others"
      ))
    do {
      let all = try universes.map { try DMXUniverse.list($0, of: kind) }
      return (configuration, try all ?? [DMXUniverse(kind.numbers.lowerBound, of: kind)])
    } catch let error as LightingError {
      throw ValidationError("--universes: \(error.message)")
    }
  }

  func run() async throws {
    log.bootstrap()
    let (configuration, universes) = try targets()
    let sender = try DMXSender(configuration)
    let show = DMXShow(sender, universes: universes, slots: slots, rate: rate, length: seconds.map { .seconds($0) })
    let input = try input.map { try $0 == "-" ? FileHandle.standardInput : opened($0) }
    // A last frame takes milliseconds: nothing is ended by force before the terminations.
    let ending = try await finally {
      await sender.stop()
    } after: {
      try await RunEnding.of(view: LiveRecord?.none, isForced: false, watchesReader: false) { tasks in
        try await sender.start()
        tasks.addTask {
          if let input {
            try await show.play(raw ? .raw(universes: universes, slots: slots) : .ndjson) {
              try input.read(upToCount: 1 << 16) ?? Data()
            }
          } else {
            try await show.play(pattern, seed: UInt64(seed))
          }
          return .streamEnded
        }
      }
    }
    guard let report = await sender.report else { return }
    let table = Table(Self.columns, kind: nil, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    if ending != .readerGone { try? LineWriter.standardOutput.write(table.line(report)) }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  private func opened(_ path: String) throws -> FileHandle {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw CommandFailure(.noInput, "--input: \(path): no such file, or it cannot be read", advice: "check the path")
    }
    return handle
  }

  static let columns: [Column<DMXReport>] = [
    Column("frames", "frames whose time came", \.frames),
    Column("skipped", "frames that were skipped because their time was over", \.skippedFrames),
    Column("packets", "packets with levels", \.packets),
    Column("syncs", "synchronization packets", \.synchronizations),
    Column("datagrams", "datagrams that the system took", \.datagrams),
    Column("bytes", "their bytes", \.bytes),
    Column("refusals", "datagrams that were refused", \.refusals),
    Column("late_ms", "the latest wake for a frame", { $0.longestLateness / .milliseconds(1) }),
    Column("realtime", "whether the sending thread goes before ordinary ones", \.isRealtime),
  ]

  static func text(_ report: DMXReport) -> String {
    let late = String(format: "%.2f", report.longestLateness / .milliseconds(1))
    return
      "sent \(report.datagrams) datagrams, \(report.bytes) bytes, in \(report.frames) frames; \(report.skippedFrames) skipped, "
      + "\(report.refusals) refused, at most \(late) ms late\(report.isRealtime ? "" : ", without realtime scheduling")\n"
  }
}
