internal import ArgumentParser
import Foundation
import RustleLighting

/// The protocols that are received.
enum DMXProtocols: String, CaseIterable, ExpressibleByArgument {
  case sacn, artnet, both

  var all: [DMXProtocol] { DMXProtocol.allCases.filter { self == .both || $0.rawValue == rawValue } }
}

struct DMXReceiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive",
    abstract: "Receive universes, and write each change.",
    usage: """
      rustle dmx receive [--protocol <protocol>] [--universes <list>] [--interface <name>]
              [--seconds <seconds>] [--events] [--stats]
      """,
    discussion: """
      A line for each change of a universe has all slots of what its sources send together. While it receives Art-Net it answers \
      ArtPolls as a node. With --protocol both, the numbers are those of sACN and of Port-Addresses. It ends by Ctrl-C and SIGTERM.

      EXAMPLES:
        rustle dmx receive --interface lo --universes 1-4
        rustle dmx receive --protocol artnet --universes 0.0.0-0.0.3 --events
        rustle dmx receive --universes 1 | jq -c .dmx[0:8]

      NDJSON FIELDS:
      \(columns(since: .now).fieldList())

      With --events (kind event):
      \(eventColumns(since: .now).fieldList())
      """)

  @Option(name: .customLong("protocol"), help: "Protocols: sacn, artnet or both.")
  var kind: DMXProtocols = .both

  @Option("Universes: 1-4,7; Port-Addresses: 0.0.1 or 1. (default: the first)", value: "list")
  var universes: String?

  @Option("Interface: a name or an address. (default: that of the default route)", value: "name")
  var interface: String?

  @Flag(help: "Show levels without a network.")
  var demo = false

  @Option("Stop after this many seconds.", value: "seconds", parse: Parse.number("seconds", in: 0...1e9))
  var seconds: Double?

  @Flag(help: "Also write what happens to sources and synchronization.")
  var events = false

  @Flag(help: "Write the counts at the end.")
  var stats = false

  @Flag(help: "Show synchronized frames whole or not at all.")
  var wholeFrames = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try output.refuseCSV()
    _ = try received()
  }

  func received() throws -> DMXReceiverConfiguration {
    do {
      let all = try kind.all.flatMap { kind in
        try universes.map { try DMXUniverse.list($0, of: kind) } ?? [DMXUniverse(kind.numbers.lowerBound, of: kind)]
      }
      var configuration = DMXReceiverConfiguration(all)
      configuration.interface = demo ? DMXConfiguration.demoInterface : interface ?? ""
      configuration.showsWholeFrames = wholeFrames
      configuration.longName = "rustle dmx receive"
      return configuration
    } catch let error as LightingError {
      throw ValidationError("--universes: \(error.message)")
    }
  }

  func run() async throws {
    log.bootstrap()
    let receiver = try DMXReceiver(try received())
    let (start, format, profile) = (Date.now, output.effectiveFormat, output.profile)
    let table = Table(Self.columns(since: start), kind: nil, format: format, profile: profile, text: Self.text)
    let eventTable = Table(
      Self.eventColumns(since: start), kind: "event", format: format, profile: profile, text: Self.text)
    let ending = try await finally {
      await receiver.cancel()
    } after: {
      try await RunEnding.of(view: LiveRecord?.none, isForced: false) { tasks in
        // Changes that wait for a slow reader: four seconds of a hundred universes.
        let levels = try await receiver.universes(buffering: .batched(capacity: 16_384, overflow: .dropOldest))
        tasks.addTask {
          for await element in levels {
            if let changed = element.value { try LineWriter.standardOutput.write(table.line(changed)) }
          }
          return .streamEnded
        }
        if events {
          let events = try await receiver.events()
          tasks.addTask {
            for await element in events {
              if let event = element.value { try LineWriter.standardOutput.write(eventTable.line(event)) }
            }
            return nil
          }
        }
        if let seconds {
          tasks.addTask {
            try await Task.sleep(for: .seconds(seconds))
            return .streamEnded
          }
        }
      }
    }
    if stats, ending != .readerGone, let counts = await receiver.counts {
      let table = Table(Self.countColumns, kind: "stats", format: format, profile: profile, text: Self.text)
      try? LineWriter.standardOutput.write(table.line(counts))
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  static func columns(since start: Date) -> [Column<DMXUniverseLevels>] {
    [
      Column("t_ms", "milliseconds since the start") { ($0.time.timeIntervalSince(start) * 1_000).rounded() },
      Column("protocol", "sacn or artnet", \.universe.protocol.rawValue),
      Column("universe", "the universe, or the number of the Port-Address", \.universe.number),
      Column("sources", "sources at present", \.sources),
      Column("dmx", "the levels of all 512 slots") { $0.levels.map(Int.init) },
    ]
  }

  static func eventColumns(since start: Date) -> [Column<DMXEvent>] {
    [
      Column("t_ms") { ($0.time.timeIntervalSince(start) * 1_000).rounded() },
      Column("event", "what happened", \.kind.rawValue),
      Column("protocol", \.protocol.rawValue),
      Column("universe", "null for ArtSync", \.universe?.number),
      Column("cid", "the source's identity, of sACN", \.cid?.uuidString),
      Column("address", "the source's address", \.address),
      Column("text", "the source's name, or a reason", \.text),
    ]
  }

  static let countColumns: [Column<DMXReceiverCounts>] = [
    Column("datagrams", \.datagrams), Column("levels", \.levels), Column("system_drops", \.systemDrops),
    Column("malformed", \.malformed), Column("other_universes", \.otherUniverses),
    Column("syncs", \.synchronizations), Column("incomplete_frames", \.incompleteFrames), Column("replies", \.replies),
  ]

  static func text(_ changed: DMXUniverseLevels) -> String {
    let levels = changed.levels[..<16].map { String(format: "%3d", $0) }.joined(separator: " ")
    return "\(changed.universe.protocol.rawValue) \(changed.universe) from \(changed.sources): \(levels) …\n"
  }

  static func text(_ event: DMXEvent) -> String {
    let source = event.address.map { " \($0)" } ?? ""
    let universe = event.universe.map { " \($0)" } ?? ""
    return "\(event.protocol.rawValue)\(universe) \(event.kind.rawValue)\(source) \(event.text)\n"
  }

  static func text(_ counts: DMXReceiverCounts) -> String {
    "read \(counts.datagrams) datagrams, \(counts.levels) changes; \(counts.malformed) malformed, "
      + "\(counts.systemDrops) dropped by the system\n"
  }
}
