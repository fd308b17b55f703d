internal import ArgumentParser
import Foundation
import RustleFiles
import RustleLighting
import RustlePlot

/// The options of commands that send.
struct DMXSenderOptions: ParsableArguments {
  @Option(name: .customLong("protocol"), help: "The protocol to send.")
  var kind: DMXProtocol = .sacn

  @Option(
    name: .customLong("to"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A destination: an address, with or without a port; multicast (sACN); broadcast, or auto (Art-Net): the nodes that list the Port-Address. Repeatable. (default of sACN: multicast)",
      valueName: "where"))
  var destinations: [String] = []

  @Option(
    "Interface of multicast and broadcast: a name or an address. (default: that of the default route)", value: "name")
  var interface: String?

  @Flag(help: "Run without a network: count what would be sent.")
  var demo = false

  @Option(
    "Frames per second, 1 to 200. (default: 44)", value: "hz",
    parse: Parse.number("frames per second", in: 1...200))
  var rate = 44.0

  @Option(
    "Priority of the universes, 0 to 200: receivers show the highest. sACN only. (default: 100)", value: "priority",
    parse: Parse.integer("a priority", in: 0...200))
  var priority: Int?

  @Option("Source name that receivers show, at most 63 bytes. sACN only.", value: "name")
  var name: String?

  @Option(
    "CID, the UUID that identifies the source. sACN only. (default: that of this user, or a new one while another process uses it)",
    value: "uuid")
  var cid: String?

  @Option(
    "Universe of the sACN synchronization packets: receivers show the universes of a frame together.",
    value: "universe", parse: Parse.integer("a universe", in: 1...63_999))
  var syncAddress: Int?

  @Flag(help: "Send an ArtSync after each frame: nodes show its universes together. Art-Net only.")
  var artSync = false

  func validate() throws {
    try Parse.reject(
      (cid.map { UUID(uuidString: $0) == nil } ?? false, "--cid: expected a UUID, got '\(cid ?? "")'"),
      (kind == .artNet && sacnOnly != nil, "\(sacnOnly ?? "") requires --protocol sacn"),
      (kind == .sacn && artSync, "--art-sync requires --protocol artnet"),
      (
        destinations.contains("multicast") && (kind == .artNet || destinations.contains { $0 != "multicast" }),
        "--to multicast requires --protocol sacn without another --to"
      ),
      (
        destinations.contains(DMXSenderConfiguration.followsNodes) && (kind == .sacn || destinations.count > 1),
        "--to auto requires --protocol artnet without another --to"
      ))
  }

  /// The first given option of those that sACN alone has.
  private var sacnOnly: String? {
    let options = [
      ("--priority", priority != nil), ("--name", name != nil), ("--cid", cid != nil),
      ("--sync-address", syncAddress != nil),
    ]
    return options.first { $0.1 }?.0
  }

  /// The identity of the user's source, unless another was given or none is needed.
  func identity() -> SourceIdentity {
    SourceIdentity(path: kind == .sacn && cid == nil && !demo ? SourceIdentity.defaultPath : nil)
  }

  /// The configuration of a sender.
  func configuration(of command: String, identity: UUID) -> DMXSenderConfiguration {
    var configuration = DMXSenderConfiguration(kind, cid: cid.flatMap(UUID.init) ?? identity, name: name ?? command)
    configuration.interface = demo ? DMXSenderConfiguration.demoInterface : interface ?? ""
    configuration.destinations = destinations.filter { $0 != "multicast" && $0 != "broadcast" }
    configuration.broadcasts = destinations.contains("broadcast")
    configuration.rate = rate
    if let priority { configuration.priority = priority }
    if let syncAddress { configuration.synchronization = .sacn(address: syncAddress) }
    if artSync { configuration.synchronization = .artSync }
    return configuration
  }

  /// Starts a sender, ends it after `play`, and writes its counts.
  static func send(
    by configuration: DMXSenderConfiguration, to output: RecordOptions,
    _ play: @escaping @Sendable (DMXSender) async throws -> Void
  ) async throws {
    let sender = try DMXSender(configuration)
    // A last frame takes milliseconds: nothing is ended by force before the terminations.
    let ending = try await finally {
      await sender.stop()
    } after: {
      try await RunEnding.of(view: LiveRecord?.none, isForced: false, watchesReader: false) { tasks in
        try await sender.start()
        tasks.addTask {
          try await play(sender)
          return .streamEnded
        }
      }
    }
    guard let report = await sender.report else { return }
    let table = Table(Self.columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    let sent = DMXSent(report: report, refused: await sender.refusedUniverses.map(\.description))
    if ending != .readerGone { try? LineWriter.standardOutput.write(table.line(sent)) }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  static let columns: [Column<DMXSent>] = [
    Column("frames", "frames so far, one each period", \.report.frames),
    Column("skipped", "frames that were skipped because the sender was late", \.report.skippedFrames),
    Column("packets", "packets with levels or priorities", \.report.packets),
    Column("syncs", "synchronization packets", \.report.synchronizations),
    Column("datagrams", "datagrams sent, synchronization and discovery included", \.report.datagrams),
    Column("bytes", "bytes of the datagrams", \.report.bytes),
    Column("unheard", "universes not sent because no node lists them, with --to auto", \.report.unheardUniverses),
    Column("refusals", "datagrams that the system or a destination refused", \.report.refusals),
    Column("refused", "universes of which a datagram was refused", \.refused),
    Column("late_ms", "the longest delay of a frame", { $0.report.longestLateness / .milliseconds(1) }),
    Column("realtime", "whether the sending thread has realtime scheduling (SCHED_FIFO)", \.report.isRealtime),
  ]

  static func text(_ sent: DMXSent) -> String {
    let report = sent.report
    let late = String(format: "%.2f", report.longestLateness / .milliseconds(1))
    let unheard =
      report.unheardUniverses > 0 ? "; \(report.unheardUniverses) universes not sent: no node lists them" : ""
    let refused = sent.refused.isEmpty ? "" : " (universes \(sent.refused.joined(separator: ", ")))"
    return
      "sent \(report.datagrams) datagrams, \(report.bytes) bytes, in \(report.frames) frames; \(report.skippedFrames) skipped, "
      + "\(report.refusals) refused\(refused), at most \(late) ms late\(report.isRealtime ? "" : ", without realtime scheduling")\(unheard)\n"
  }
}

/// What a sender has counted at its end.
struct DMXSent: Sendable {
  let report: DMXReport
  /// The universes of which a datagram was refused.
  let refused: [String]
}

/// The bytes of an input, as they come.
struct DMXInput: Sendable {
  private let path: String
  private let handle: FileHandle

  /// Opens a file; `-` is standard input.
  init(_ path: String) throws {
    self.path = path
    if path == "-" {
      handle = .standardInput
    } else if let opened = FileHandle(forReadingAtPath: path) {
      handle = opened
    } else {
      throw CommandFailure(
        .noInput, "\(path): \(FileManager.default.fileExists(atPath: path) ? "cannot be read" : "no such file")",
        advice: "Check the path.")
    }
  }

  /// The next bytes; none at the end.
  func read() throws -> Data {
    do { return try AvailableBytes.read(from: handle, atMost: 1 << 16) } catch {
      throw CommandFailure(.noInput, "\(path): cannot be read: \(error.reason)")
    }
  }
}
