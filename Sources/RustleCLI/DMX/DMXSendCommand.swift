internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct DMXCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dmx", abstract: "Send and receive DMX universes by sACN or Art-Net.",
    subcommands: [
      DMXSendCommand.self, DMXReceiveCommand.self, DMXRecordCommand.self, DMXPlayCommand.self, DMXNodesCommand.self,
      DMXMonitorCommand.self,
      DMXPatchCommand.self,
    ])
}

struct DMXSendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send a pattern, or frames from a file or a pipe.",
    usage: """
      rustle dmx send [--protocol <protocol>] [--universes <list>]
              [--to <where>] [--interface <name>]
              [--pattern <pattern>] [--duration <seconds>]
      rustle dmx send --input <file> [--raw] ...
      """,
    discussion: """
      The pattern ramp changes every universe in every frame. --input sends lines such as {"universe":1,"dmx":[255,0]} as they \
      arrive. With --raw the input is bytes instead: each frame has --slots bytes of each universe, and one is sent each period. A \
      pattern ends after --duration; the last levels of an input are held for that time after its end.

      At its end, also by Ctrl-C and SIGTERM, sACN sends three terminated packets for each universe. A line of counts follows.

      EXAMPLES:
        rustle dmx send --interface lo
        rustle dmx send --universes 1-1000 --interface eth0 --duration 60
        rustle dmx send --protocol artnet --to 10.0.0.7 --universes 0.0.0-0.0.3
        rustle dmx send --protocol artnet --to auto --universes 0-15
        rustle dmx send --protocol artnet --to broadcast --pattern chase
        my-console | rustle dmx send --input - --to 10.0.0.7 --priority 150
        rustle dmx receive --interface eth0 | rustle dmx send --input - --to 10.0.0.7

      NDJSON FIELDS:
      \(DMXSenderOptions.columns.fieldList())
      """)

  @OptionGroup var sender: DMXSenderOptions

  @Option("Universes: 1-4,7; Port-Addresses: 0.0.1 or 1. (default: the first)", value: "list")
  var universes: String?

  @OptionGroup var limit: TimeLimitOption

  @Option(
    "Slots of each universe, 1 to 512. (default: 512)", value: "count", parse: Parse.integer("slots", in: 1...512))
  var slots = 512

  @Option(help: "The levels to send: a ramp, a chase of one slot, all slots full, or random.")
  var pattern: DMXPattern = .ramp

  @Option("Seed of the random pattern. (default: 0)", value: "number", parse: Parse.integer("a seed", in: 0...Int.max))
  var seed = 0

  @Option("Read frames from this file, or - for standard input.", value: "file", completion: .file())
  var input: String?

  @Flag(help: "Read bytes, one for each slot, instead of lines.")
  var raw = false

  @OptionGroup var output: RecordOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try Parse.reject((raw && input == nil, "--raw requires --input"))
    _ = try targets()
  }

  func targets() throws -> [DMXUniverse] {
    let kind = sender.kind
    return try Parse.checked(of: "--universes: ") {
      try universes.map { try DMXUniverse.list($0, of: kind) } ?? [DMXUniverse(kind.universeRange.lowerBound, of: kind)]
    }
  }

  func run() async throws {
    log.bootstrap()
    let identity = sender.identity()
    defer { withExtendedLifetime(identity) {} }
    let configuration = sender.configuration(of: "rustle dmx send", identity: identity.cid)
    let (universes, slots, length) = (try targets(), slots, limit.seconds.map { Duration.seconds($0) })
    let input = try input.map { try DMXInput($0) }
    let format = raw ? DMXLines.Format.raw(universes: universes, slots: slots) : .ndjson
    let (pattern, seed, log) = (pattern, UInt64(seed), log)
    try await DMXSenderOptions.send(by: configuration, to: output) { sender in
      let show = DMXShow(sender, universes: universes, slots: slots, rate: configuration.rate, length: length)
      guard let input else { return try await show.play(pattern, seed: seed) }
      let others = try await show.play(format) { try input.read() }
      log.noteLeftOut(others)
    }
  }
}
