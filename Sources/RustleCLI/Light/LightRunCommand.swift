internal import ArgumentParser
import Foundation
import RustleAudioFiles
import RustleCore
import RustleLighting
import RustlePlot
import RustleTempo

struct LightCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "light", abstract: "Play and render shows of light on beats.",
    subcommands: [LightRunCommand.self, LightRenderCommand.self])
}

struct LightRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play a show on DMX outputs.",
    usage: """
      rustle light run [<show>] [--rig <file>] [--tempo <bpm|tap|link|audio>]
              [--device <name>] [--sound <file>] [--output <where> ...]
              [--interface <name>] [--duration <seconds>]
      """,
    discussion: """
      Scenes, cues and effects of the show light the fixtures of the rig; each output takes the universes of its protocol. Without \
      --output nothing is sent. A terminal shows the venue as the slots say it is; a pipe or a file gets a line of NDJSON for each \
      report. Without a file, the built-in show plays on the rig of --demo.

      The sound of --device or --sound moves the faders that the show gives to onsets, the level, and the bands below 200 Hz, to 2500 Hz and \
      above: 0 at -48 dBFS, 1 at 0 dBFS. With --tempo audio its beats are the show's, from about two seconds on; the delay of a \
      sound card is not known, and makes them late. A file plays in its own time without being heard; its end is that of the show.

      Keys: right, the next cue; left, the one before; space, pause the cues; b, blackout; + and -, the tempo; t, tap; v, the other view; \
      q, quit. The end, also by Ctrl-C and SIGTERM, sends the terminations of sACN.

      EXAMPLES:
        rustle light run
        rustle light run --demo heads --tempo 96
        rustle light run --tempo link
        rustle light run --tempo audio --device default
        rustle light run show.json --tempo audio --sound song.flac
        rustle light run show.json --output sacn:multicast --interface eth0
        rustle light run show.json --output artnet:10.0.0.7 --output sacn:multicast
        rustle light run show.json --output sacn:multicast --plan p.json --node left

      NDJSON FIELDS:
      \(columns.fieldList())

      With --plan (kind node):
      \(LightingNode.columns.fieldList())
      """)

  @OptionGroup var show: ShowOptions

  @Option(
    "Tempo: 1 to 999 beats per minute; tap, the key t; link, a session on the network; audio, the beats of the sound. "
      + "(default: 120)", value: "bpm|tap|link|audio", parse: ShowTempo.parse)
  var tempo = ShowTempo.fixed(120)

  @Option(
    name: .customLong("output"),
    "sacn:multicast, sacn:ADDRESS, artnet:ADDRESS, artnet:broadcast, or artnet:auto, the nodes that list a Port-Address.",
    value: "where", parse: LightOutput.parse)
  var outputs: [LightOutput] = []

  @Option(
    "Interface of multicast and broadcast: a name or an address. (default: that of the default route)", value: "name")
  var interface: String?

  @OptionGroup var sound: ShowSoundOptions

  @OptionGroup var plan: PlanOptions

  @OptionGroup var limit: TimeLimitOption
  @OptionGroup var metrics: MetricsOption

  @Option(help: "From where the venue is seen.")
  var view: VenuePictureOptions.View = .front

  @OptionGroup var output: StreamOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try Parse.reject((Set(outputs).count < outputs.count, "--output: expected different ones, got one twice"))
    try plan.check(outputs, tempo: tempo, hasSound: sound.device != nil || sound.sound != nil)
  }

  func run() async throws {
    log.bootstrap()
    let read = try show.read(log)
    try noteProtocols(of: read)
    var configuration = LightingController.Configuration()
    if case .fixed(let tempo) = tempo { configuration.tempo = tempo }
    // Keys act on what is shown.
    if output.screen != nil { configuration.reportRate = 10 }
    let controller = LightingController(read, configuration: configuration)
    let beats = try ShowBeats(tempo, interface: interface)
    let heard = try await sound.open(isNeeded: tempo == .audio)
    let hasSACN = outputs.contains { $0.kind == .sacn }
    let identity = SourceIdentity(path: hasSACN ? SourceIdentity.defaultPath : nil)
    defer { withExtendedLifetime(identity) {} }
    let configurations = outputs.map { $0.configuration(interface: interface, identity: identity.cid) }
    let node = try plan.open(read, configuration, followsClock: beats != nil, output: configurations.first)
    let senders = try node?.senders ?? configurations.map { try DMXSender($0) }
    let table = Table(Self.columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    let screen = output.screen.map { LightView(controller, beats: beats, view: view, screen: $0) }
    let ending = try await finally {
      await heard?.close()
      await controller.stop()
      await beats?.close()
    } after: {
      try await RunEnding.of(view: screen, isForced: false) { [tempo, outputs, metrics = metrics.metrics] tasks in
        let names = node == nil ? outputs.map(\.text) : senders.map(\.configuration.name)
        try await tasks.addMetrics(at: metrics, note: screen == nil ? { log.note($0) } : nil) {
          var sent: [(name: String, report: DMXReport)] = []
          for (name, sender) in zip(names, senders) {
            if let report = await sender.total { sent.append((name, report)) }
          }
          return DMXReport.metrics(of: sent) + (await node?.metrics ?? [])
        }
        let reports = try await controller.start(outputs: senders, following: beats?.clock)
        tasks.addTask {
          if let screen { try await screen.show(reports) } else { try await table.write(reports, of: "reports") }
          return .streamEnded
        }
        if let screen { tasks.addTask { try await screen.follow() } }
        if let node {
          tasks.addTask {
            try await node.run(controller)
            return nil
          }
          tasks.addTask {
            try await node.report(table.format, table.profile, view: screen, log)
            return nil
          }
        }
        if let heard {
          let clock = tempo == .audio ? beats?.clock : nil
          tasks.addTask {
            try await heard.drive(controller, clock: clock)
            return .streamEnded
          }
        }
        tasks.addEnd(after: limit.seconds) { await controller.cancel() }
      }
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  /// Notes outputs whose protocol no fixture has, and protocols of fixtures without an output.
  private func noteProtocols(of show: LightShow) throws {
    let patched = try Set(show.fixtures().map(\.universe.protocol))
    let sent = Set(outputs.map(\.kind))
    for kind in DMXProtocol.allCases where !outputs.isEmpty && patched.contains(kind) != sent.contains(kind) {
      log.note(
        sent.contains(kind)
          ? "nothing is sent by \(kind.title): no fixture is patched to it"
          : "the fixtures of \(kind.title) have no output: add --output \(kind.rawValue):ADDRESS")
    }
  }

  /// The clock that a show follows.
  struct ShowBeats: Sendable {
    let clock: TempoClock
    private let session: LinkSession?

    /// - Parameter interface: that of the session; nil: all.
    init?(_ tempo: ShowTempo, interface: String?) throws {
      var configuration = LinkSession.Configuration()
      configuration.interfaces = interface.map { [$0] }
      switch tempo {
      case .fixed: return nil
      case .tap, .audio: session = nil
      case .link:
        session = try LinkSession(configuration)
        try session?.enable()
      }
      clock = try TempoClock(following: session)
      // There is no other tempo to go back to.
      if tempo != .audio { try clock.holdTaps(true) }
    }

    func close() async {
      await clock.shutDown()
      await session?.close()
    }
  }

  static let columns: [Column<LightingReport>] = [
    Column("t_ms", "milliseconds since the show's start") { $0.time / .milliseconds(1) },
    Column("event", LightingReport.Kind.allCases.map(\.rawValue).joined(separator: ", "), \.kind.rawValue),
    Column("beats", "beats since the start", \.beats),
    Column("bpm", "the tempo", \.tempo),
    Column("cue", "the cue by its place from 0, or null", \.cue),
    Column("scene", "the scene by its place from 0, or null", \.scene),
    Column("fading", "whether what was there before is still seen", \.isFading),
    Column("paused", "whether fades and waits stand still", \.isPaused),
    Column("blackout", "whether the light is blacked out", \.isBlackout),
    Column("master", "what all light is multiplied with", \.master),
    Column("frames", "frames so far", \.frames),
    Column("skipped", "frames that were skipped because the sender was late", \.skippedFrames),
    Column("outputs", "senders that take frames", \.outputs),
  ]

  static func text(_ report: LightingReport) -> String {
    let time = String(format: "%8.2f s  beat %8.2f", report.time / .seconds(1), report.beats)
    return "\(time)  \(report.kind.rawValue)\(report.scene.map { "  scene \($0)" } ?? "")\n"
  }
}
