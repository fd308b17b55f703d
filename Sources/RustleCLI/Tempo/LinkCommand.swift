internal import ArgumentParser
import Foundation
import RustleCore
import RustlePlot
import RustleTempo

struct LinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Share tempo, phase, starts and stops with programs on the network.",
    usage: """
      rustle link [--bpm <bpm>] [--quantum <beats>] [--interface <name> ...]
              [--port <port>] [--start-stop] [--rate <hz>]
              [--duration <seconds>]
      rustle link --monitor [--interface <name> ...] [--port <port>]
              [--duration <seconds>]
      """,
    discussion: """
      Joins a session that is compatible with Ableton Link. A terminal shows tempo, phase and peers; a pipe or a file gets a line of \
      NDJSON at --rate and at each change. Quitting, Ctrl-C and SIGTERM are regular ends: the others hear that this program leaves, and the \
      status is 0.

      COMMANDS on standard input, where that is not a terminal, a line each:
        tempo 120   for all                enable 0|1   leave, or join
        play 0|1    stop or start          tap          the tempo, from two taps on
        quantum 4   the beats of a bar     quit         leave and end

      KEYS on a terminal:
        + -  the tempo       space  start or stop      t  tap
        e    leave or join   ?      help               q  quit

      --monitor takes part in nothing: each message by which programs find each other is decoded, checked and written as a line. What one \
      program sends to another alone is not seen.

      EXAMPLES:
        rustle link
        rustle link --bpm 96 --interface eth0 --start-stop
        rustle link --rate 10 --json | jq .beats
        rustle link --monitor --interface eth0

      NDJSON FIELDS:
      \(columns.fieldList())

      NDJSON FIELDS OF --monitor:
      \(messages.fieldList())
      """)

  @Option(
    "Tempo in beats per minute while there are no peers. (default: 120)", value: "bpm",
    parse: Parse.number("a tempo", in: 20...999))
  var bpm: Double?

  @Option(
    "Beats of a bar. (default: 4)", value: "beats", parse: Parse.number("a number of beats", in: 0.001...1e6))
  var quantum: Double?

  @Option(
    name: .long, parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Network interface, by name or address; lo stays inside this machine. (default: all)", valueName: "name"))
  var interface: [String] = []

  @Option(
    "UDP port of the session; programs with different ports do not find each other.", value: "port",
    parse: Parse.integer("a port", in: 1...65_535))
  var port = 20_808

  @Flag(help: "Write the messages of all programs instead of taking part.")
  var monitor = false

  @Flag(help: "Share starts and stops.")
  var startStop = false

  @Option(
    "Lines per second besides those of changes. (default: 50)", value: "hz",
    parse: Parse.number("a rate", in: 0.001...1_000))
  var rate: Double?

  @OptionGroup var limit: TimeLimitOption

  @OptionGroup var output: StreamOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    guard monitor else { return }
    let ownOnly = [
      ("--bpm", bpm != nil), ("--quantum", quantum != nil), ("--rate", rate != nil), ("--start-stop", startStop),
    ]
    if let (option, _) = ownOnly.first(where: \.1) {
      throw ValidationError("--monitor cannot be used with \(option)")
    }
  }

  func run() async throws {
    log.bootstrap()
    if monitor { return try await watch() }
    let session = try LinkSession(configured)
    let screen = output.screen.map { LinkView(session, screen: $0) }
    let table = Table(Self.columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    let input = StandardStream.isTerminal(StandardStream.input) ? nil : InputLines()
    let ending = try await finally {
      await session.close()
    } after: {
      try session.enable()
      return try await RunEnding.of(
        view: screen, settle: { _ in await session.close() },
        tasks: { [log] tasks in
          let reports = try await session.reports()
          tasks.addTask {
            if let screen { try await screen.show(reports) } else { try await table.write(reports, of: "reports") }
            return .streamEnded
          }
          if let input {
            tasks.addTask {
              var commands = try LinkCommands(session)
              for await line in input.lines {
                do {
                  if try commands.perform(line) { return .quit }
                } catch {
                  log.note("standard input: \((error as? TempoError)?.message ?? "\(error)")")
                }
              }
              // The end of the commands is not that of the session.
              return nil
            }
          }
          tasks.addEnd(after: limit.seconds) { await session.close() }
        })
    }
    try Self.end(ending)
  }

  /// Ctrl-C and SIGTERM end a session as `quit` does.
  private static func end(_ ending: RunEnding) throws {
    switch ending {
    case .signal(SIGINT), .signal(SIGTERM): break
    default: if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
    }
  }

  /// Writes the messages of others.
  private func watch() async throws {
    var configuration = LinkMonitor.Configuration()
    configuration.interfaces = interface.isEmpty ? nil : interface
    configuration.port = port
    let monitor = try LinkMonitor(configuration)
    let table = Table(Self.messages, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    let ending = try await finally {
      await monitor.cancel()
    } after: {
      try await RunEnding.of(view: nil as LinkView?, isForced: false) { tasks in
        let messages = try await monitor.messages()
        tasks.addTask {
          try await table.write(messages, of: "messages")
          return .streamEnded
        }
        tasks.addEnd(after: limit.seconds) { await monitor.cancel() }
      }
    }
    try Self.end(ending)
  }

  private var configured: LinkSession.Configuration {
    var configuration = LinkSession.Configuration()
    (configuration.tempo, configuration.quantum) = (bpm ?? 120, quantum ?? 4)
    configuration.sharesStartStop = startStop
    configuration.interfaces = interface.isEmpty ? nil : interface
    (configuration.reportRate, configuration.port) = (rate ?? 50, port)
    return configuration
  }

  static let columns: [Column<TempoReport>] = [
    Column("host_us", "the time: microseconds of CLOCK_MONOTONIC_RAW", \.state.hostTime.microseconds),
    Column("event", "state, or what happened", \.kind.rawValue),
    Column("beats", "the count of beats", \.state.beats),
    Column("phase", "the position in the bar, in beats") { millionths($0.state.phase(quantum: $0.state.quantum)) },
    Column("bpm", "the tempo") { millionths($0.state.tempo) },
    Column("peers", "the other programs in the session", \.state.peerCount),
    Column("playing", "whether the session plays", \.state.isPlaying),
    Column("enabled", "whether this program takes part", \.state.isEnabled),
    Column("source", "the source of the beats: link", \.state.source.rawValue),
    Column("session", "the id of the session", \.state.sessionID),
    Column("by_peer", "whether another program made the change", \.isByPeer),
    Column("shift", "how far the phase moved, in beats", \.shift),
  ]

  /// Beats and tempos have six decimals, also those that are computed from others.
  private static func millionths(_ number: Double) -> Double { (number * 1e6).rounded() / 1e6 }

  static let messages: [Column<LinkMessage>] = [
    Column("host_us", "the time: microseconds of CLOCK_MONOTONIC_RAW", \.hostTime.microseconds),
    Column("message", "alive, response, leaving or malformed", \.kind.rawValue),
    Column("fault", "why it is malformed, or null", \.fault?.rawValue),
    Column("source", "the address from which it came", \.source),
    Column("interface", "the address of the interface by which it came", \.interface),
    Column("node", "the id of the program", \.nodeID),
    Column("session", "the id of its session, or null where it leaves", \.state?.sessionID),
    Column("bpm", "the session's tempo", \.state?.tempo),
    Column("origin_beats", "the session's beat at origin_s", \.state?.originBeats),
    Column("origin_s", "a time of the session") { $0.state.map { $0.originTime / .seconds(1) } },
    Column("playing", "the last start or stop, or null", \.state?.isPlaying),
    Column("responder", "the address that answers measurements", \.state?.responder),
    Column("ttl_s", "the seconds for which the state holds") { $0.state.map { $0.timeToLive / .seconds(1) } },
    Column("bytes", "its length", \.byteCount),
  ]

  static func text(_ message: LinkMessage) -> String {
    let words = [
      message.source, message.kind.rawValue, message.fault.map { "\($0.rawValue), \(message.byteCount) bytes" },
      message.nodeID,
      message.state.map { String(format: "session %@  %.2f BPM", $0.sessionID, $0.tempo) },
      message.state?.isPlaying.map { $0 ? "playing" : "stopped" },
    ]
    return words.compactMap(\.self).joined(separator: "  ") + "\n"
  }

  static func text(_ report: TempoReport) -> String {
    let state = report.state
    let beat = String(format: "%9.2f BPM  beat %10.2f", state.tempo, state.beats)
    return "\(beat)  \(state.isPlaying ? "playing" : "stopped")  peers: \(state.peerCount)  \(report.kind.rawValue)\n"
  }
}

/// The commands of a session, a line each.
struct LinkCommands: ~Copyable {
  private let session: LinkSession
  private var taps: TapTempo

  init(_ session: LinkSession) throws {
    self.session = session
    taps = try TapTempo()
  }

  /// Performs a command; returns whether it ends the run.
  ///
  /// - Throws: `ValidationError` for another word or number; `TempoError`.
  mutating func perform(_ line: String) throws -> Bool {
    let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
    let expected = "expected tempo BPM, play 0|1, quantum BEATS, enable 0|1, tap or quit, got '\(line)'"
    switch (words.first, words.count) {
    case (nil, _): break
    case ("quit", 1): return true
    case ("tap", 1): try tap()
    case ("tempo", 2): try session.setTempo(try number(words[1], expected))
    case ("quantum", 2): try session.setQuantum(try number(words[1], expected))
    case ("play", 2): try session.setPlaying(try flag(words[1], expected))
    case ("enable", 2): if try flag(words[1], expected) { try session.enable() } else { try session.disable() }
    default: throw ValidationError(expected)
    }
    return false
  }

  /// Takes a tap; from the second one on the session has its tempo.
  mutating func tap() throws {
    try taps.tap()
    if let estimate = taps.estimate { try session.setTempo(min(max(estimate.tempo, 20), 999)) }
  }

  private func number(_ word: String, _ expected: String) throws -> Double {
    guard let number = Double(word) else { throw ValidationError(expected) }
    return number
  }

  private func flag(_ word: String, _ expected: String) throws -> Bool {
    guard word == "0" || word == "1" else { throw ValidationError(expected) }
    return word == "1"
  }
}

/// The lines of standard input as they come. A thread waits for them, which the end of the process ends.
struct InputLines: Sendable {
  let lines: AsyncStream<String>

  init() {
    let (lines, writer) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    Thread.detachNewThread {
      while let line = readLine() { writer.yield(line.trimmingCharacters(in: .whitespaces)) }
      writer.finish()
    }
  }
}

/// The live view of a session.
actor LinkView: LiveView {
  var screen: LiveScreen
  private let session: LinkSession
  private var commands: LinkCommands?
  private var notice: String?

  init(_ session: LinkSession, screen: LiveScreen) { (self.session, self.screen) = (session, screen) }

  /// Follows the reports to their end; the picture is of the present beat.
  func show(_ reports: EngineStream<TempoReport>) async throws {
    for await _ in reports {}
    try reports.requireEnd()
  }

  func drawIfNeeded() throws { try draw() }

  func press(_ key: Key) throws -> Bool {
    let state = session.beats()
    notice = nil
    do {
      switch key {
      case .quit: return true
      case .pause: try session.setPlaying(!state.isPlaying)
      case .help: screen.showsHelp.toggle()
      case .letter("+"), .up: try session.setTempo(min(state.tempo.rounded() + 1, 999))
      case .letter("-"), .down: try session.setTempo(max(state.tempo.rounded() - 1, 20))
      case .letter("e"): if state.isEnabled { try session.disable() } else { try session.enable() }
      case .letter("t"):
        if commands == nil { commands = try LinkCommands(session) }
        try commands?.tap()
      default: break
      }
    } catch let error as TempoError {
      notice = error.message
    }
    return false
  }

  func draw() throws {
    let (state, hasKeys, showsHelp, notice) = (session.beats(), screen.hasKeys, screen.showsHelp, notice)
    try screen.draw { profile in
      let words = [
        String(format: "%.2f BPM", state.tempo), state.isPlaying ? "playing" : "stopped", "peers: \(state.peerCount)",
        state.isEnabled ? "session \(state.sessionID)" : "not in a session",
      ]
      let help = ["q quit", "+ - tempo", "space start or stop", "t tap", "e leave or join", "Ctrl-Z suspend"]
      let footer = hasKeys ? profile.wrapped(showsHelp ? help : ["q quit", "+ - tempo", "t tap", "? help"], .dim) : []
      return [
        profile.line(words.joined(separator: "  "), .bold), profile.line(Self.bar(state, columns: profile.columns)),
      ] + (notice.map { [profile.line($0, .yellow)] } ?? []) + footer
    }
  }

  /// The bar, a cell for each part of a beat.
  static func bar(_ state: BeatState, columns: Int) -> String {
    let width = max(8, min(columns - 12, 64))
    let full = min(width, Int(state.barPhase * Double(width)) + 1)
    let beat = Int(state.phase(quantum: state.quantum)) + 1
    return String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
      + "  beat \(beat)/\(Numbers.plain(state.quantum))"
  }
}
