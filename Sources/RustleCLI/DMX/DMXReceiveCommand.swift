internal import ArgumentParser
import Foundation
import RustleCore
import RustleLighting
import RustlePlot

struct DMXReceiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive",
    abstract: "Receive DMX universes and write each change.",
    usage: """
      rustle dmx receive [--protocol <protocol>] [--universes <list>]
              [--interface <name>] [--duration <seconds>] [--events] [--stats]
      """,
    discussion: """
      Each change of a universe is a line of NDJSON with the merged levels of all its slots; a terminal shows a live view. With --protocol \
      both, a number in --universes is an sACN universe and a Port-Address. While it receives Art-Net, the command answers ArtPoll \
      as a node. For a reader that is too slow, a line {"v":1,"gap":7} reports 7 dropped changes. Ctrl-C or SIGTERM ends it.

      EXAMPLES:
        rustle dmx receive --interface lo --universes 1-4
        rustle dmx receive --protocol artnet --universes 0.0.0-0.0.3 --events
        rustle dmx receive --universes 1 | jq -c .dmx[0:8]

      NDJSON FIELDS:
      \(columns(since: .now).fieldList())

      With --events (kind event):
      \(eventColumns(since: .now).fieldList())

      With --stats, a last line (kind stats):
      \(countColumns.fieldList())
      """)

  @OptionGroup var received: DMXReceiverOptions

  @Flag(help: "Also write events: a source appears or is lost, synchronization begins or fails.")
  var events = false

  @Flag(help: "Write the counts of datagrams at the end.")
  var stats = false

  @OptionGroup var output: StreamOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let receiver = try DMXReceiver(try received.configuration(of: "rustle dmx receive"))
    let (start, format, profile) = (Date.now, output.effectiveFormat, output.profile)
    let table = Table(Self.columns(since: start), format: format, profile: profile, text: Self.text)
    let eventTable = Table(
      Self.eventColumns(since: start), kind: "event", format: format, profile: profile, text: Self.text)
    let board = DMXUniverseBoard(receiver.configuration.universes)
    let view = output.screen.map { LiveBoard(board, screen: $0) }
    let ending = try await finally {
      await receiver.cancel()
    } after: {
      try await RunEnding.of(view: view, isForced: false) { tasks in
        let levels = try await receiver.levels(buffering: view == nil ? .received : .latest)
        let happened = events || view != nil ? try await receiver.events() : nil
        tasks.addTask {
          if let view {
            try await view.show(levels)
          } else {
            async let others: Void = eventTable.write(happened, of: "events", kind: "event")
            try await table.write(levels, of: "changes")
            try await others
          }
          return .streamEnded
        }
        if let view, let happened { Self.addStatus(of: receiver, happened, to: view, &tasks) }
        tasks.addEnd(after: received.network.limit.seconds) { await receiver.cancel() }
      }
    }
    if stats, ending != .readerGone, let counts = await receiver.counts {
      let table = Table(Self.countColumns, kind: "stats", format: format, profile: profile, text: Self.text)
      try? LineWriter.standardOutput.write(table.line(counts))
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}

extension DMXReceiveCommand {
  /// Adds the sources, the rates and the newest event to the view.
  private static func addStatus(
    of receiver: DMXReceiver, _ events: EngineStream<DMXEvent>, to view: LiveBoard<DMXUniverseBoard>,
    _ tasks: inout RunTasks
  ) {
    tasks.addTask {
      for await case .value(let event) in events {
        let words = text(event).dropLast()
        await view.update { $0.event = String(words) }
      }
      return nil
    }
    tasks.addTask {
      while !Task.isCancelled {
        var traffic: [DMXUniverse: (Int, Double)] = [:]
        for universe in receiver.configuration.universes {
          let counts = await receiver.counts(of: universe)
          if let counts, counts.packets > 0 { traffic[universe] = (counts.sources, counts.rate) }
        }
        await view.update { [traffic] in $0.traffic = traffic }
        try? await Task.sleep(for: .milliseconds(500))
      }
      return nil
    }
  }
}

extension StreamBuffering {
  /// The latest levels of each universe, for a view.
  static let latest = Self.batched(capacity: 1, overflow: .conflate)
  /// Changes of levels that wait for a slow reader: four seconds of a hundred universes.
  static let received = Self.batched(capacity: 16_384, overflow: .dropOldest)
}

extension DMXReceiveCommand {
  static func columns(since start: Date) -> [Column<DMXUniverseLevels>] {
    [
      Column("t_ms", "milliseconds since the start") { $0.time.milliseconds(since: start) },
      Column("protocol", "sacn or artnet", \.universe.protocol.rawValue),
      Column("universe", "the sACN universe or the Port-Address", \.universe.number),
      Column("sources", "number of sources now", \.sources),
      Column("dmx", "the levels of all 512 slots") { $0.levels.map(Int.init) },
    ]
  }

  static func eventColumns(since start: Date) -> [Column<DMXEvent>] {
    [
      Column("t_ms", "milliseconds since the start") { $0.time.milliseconds(since: start) },
      Column("event", "the kind of event", \.kind.rawValue),
      Column("protocol", "sacn or artnet", \.protocol.rawValue),
      Column("universe", "null for ArtSync", \.universe?.number),
      Column("cid", "the source's CID; null for Art-Net", \.cid?.uuidString),
      Column("address", "the source's address", \.address),
      Column("text", "the source's name, or the reason of the event", \.text),
    ]
  }

  static let countColumns: [Column<DMXReceiverCounts>] = [
    Column("datagrams", "datagrams read", \.datagrams),
    Column("levels", "changes delivered", \.levels),
    Column("system_drops", "datagrams that the system dropped", \.systemDrops),
    Column("malformed", "malformed datagrams", \.malformed),
    Column("other_universes", "packets of other universes", \.otherUniverses),
    Column("syncs", "synchronization packets", \.synchronizations),
    Column("incomplete_frames", "synchronized frames that lacked a universe", \.incompleteFrames),
    Column("replies", "answers to ArtPoll", \.replies),
  ]

  static func text(_ changed: DMXUniverseLevels) -> String {
    let levels = changed.levels[..<16].map { String(format: "%3d", $0) }.joined(separator: " ")
    return "\(changed.universe.protocol.rawValue) \(changed.universe) from \(changed.sources): \(levels) …\n"
  }

  static func text(_ event: DMXEvent) -> String {
    let source = event.address.map { " \($0)" } ?? ""
    let universe = event.universe.map { " \($0)" } ?? ""
    return CommandFailure.visible(
      "\(event.protocol.rawValue)\(universe) \(event.kind.rawValue)\(source) \(event.text)") + "\n"
  }

  static func text(_ counts: DMXReceiverCounts) -> String {
    "read \(counts.datagrams) datagrams, \(counts.levels) changes; \(counts.malformed) malformed, "
      + "\(counts.systemDrops) dropped by the system\n"
  }
}

extension Date {
  /// Whole milliseconds since a date: the clock of levels and nodes has no others.
  func milliseconds(since start: Date) -> Int { Int((timeIntervalSince(start) * 1_000).rounded()) }
}
