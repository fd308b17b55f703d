internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct DMXPlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Send the universes of a recording at their times.",
    usage: """
      rustle dmx play <file> [--speed <factor>] [--loop]
              [--protocol <protocol>] [--to <where>] [--interface <name>]
      """,
    discussion: """
      The file is written by 'rustle dmx record' or 'rustle dmx receive'. Universes with the same time are sent in one frame. Of a \
      recording with both protocols only that of --protocol is sent. The command ends, and counts, as 'rustle dmx send'.

      EXAMPLES:
        rustle dmx play show.ndjson --interface eth0
        rustle dmx play show.ndjson --speed 2 --loop --to 10.0.0.7

      NDJSON FIELDS:
      \(DMXSenderOptions.columns.fieldList())
      """)

  @Argument(help: "The recording, or - for standard input.", completion: .file())
  var file: String

  @Option(
    "Play at this multiple of the recorded pace, 0.001 to 1000. (default: 1)", value: "factor",
    parse: Parse.number("a speed", in: 0.001...1_000))
  var speed = 1.0

  @Flag(help: "Repeat the recording: its first frame follows 1/44 s after its last.")
  var loop = false

  @OptionGroup var sender: DMXSenderOptions
  @OptionGroup var output: RecordOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try Parse.reject((loop && file == "-", "--loop cannot be used with standard input"))
  }

  func run() async throws {
    log.bootstrap()
    let identity = sender.identity()
    defer { withExtendedLifetime(identity) {} }
    let configuration = sender.configuration(of: "rustle dmx play", identity: identity.cid)
    let (file, speed, isRepeated, log) = (file, speed, loop, log)
    // A file that is missing is known before anything is sent.
    let first = try DMXInput(file)
    try await DMXSenderOptions.send(by: configuration, to: output) { sender in
      let show = DMXShow(sender, rate: configuration.rate)
      var (input, start) = (first, ContinuousClock.now)
      while true {
        let pass = input
        let played = try await show.playRecording(from: start, speed: speed) { try pass.read() }
        if played.frames == 0 {
          let kind = configuration.protocol.rawValue
          throw CommandFailure(
            .badData,
            "\(file): expected levels of \(kind), got "
              + (played.others > 0 ? "\(played.others) lines of the other protocol" : "none"),
            advice: played.others > 0 ? "Choose the other with --protocol." : nil)
        }
        try await Task.sleep(until: played.end, tolerance: .zero)
        guard isRepeated else { return log.noteLeftOut(played.others) }
        (input, start) = (try DMXInput(file), played.end)
      }
    }
  }
}
