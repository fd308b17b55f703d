internal import ArgumentParser
import Foundation
import RustleCore
import RustleLighting
import RustlePlot

struct MapRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Light a rig in patterns, and find its fixtures in the frames of a camera.",
    usage: """
      rustle map run --rig <file> --frames <file> --output <where> ...
              [--method <method>] [--hold <frames>] [--schedule <file>]
              [--gray <size>] [--known <file>] [--corrections <file>] [--once]
              [--interface <name>] [-o <file>] [--overlay <png>]
      """,
    discussion: """
      Frames are YUV4MPEG2, or bytes of gray with --gray, from a pipe or standard input (-). First the fixtures are lit and dark in \
      turns, which shows how late the frames are; then the schedule runs, and what was not found is lit once more. Ids are those of the \
      rig's cells: a bar of eight pixels has eight, in their order. At the end, also after an error, Ctrl-C or SIGTERM, all fixtures are \
      dark and the senders end: other sources have the universes back. Standard error has a line for each phase, standard output or -o \
      the map, and --overlay a picture, as rustle map decode writes them. A map that was corrected is the --known of the next run, which \
      lights only what that lacks.

      EXAMPLES:
        rustle map run --demo -o found.json
        ffmpeg -f v4l2 -i /dev/video0 -pix_fmt gray -f yuv4mpegpipe - |
          rustle map run --rig rig.json --frames - \\
          --output artnet:10.0.0.7 -o found.json
      """)

  @Option("File of the rig.", value: "file", completion: .file(extensions: ["json"]))
  var rig: String?

  @Option("Frames of the camera: a pipe, or - for standard input.", value: "file", completion: .file())
  var frames: String?

  @Option(
    name: .customLong("output"),
    "Send the universes of the protocol there; repeatable: sacn:multicast, sacn:ADDRESS, artnet:ADDRESS, artnet:broadcast, or "
      + "artnet:auto, the nodes that list a Port-Address.", value: "where", parse: LightOutput.parse)
  var outputs: [LightOutput] = []

  @Option(
    "Interface of multicast and broadcast: a name or an address. (default: that of the default route)", value: "name")
  var interface: String?

  @OptionGroup var mapping: MappingOptions

  @OptionGroup var input: MapInputOptions

  @Flag(name: .customLong("once"), help: "Do not light once more what was not found.")
  var once = false

  @OptionGroup var output: MapOutputOptions

  @Flag(help: "Map a built-in rig, or that of --rig, with a simulated camera, without a network.")
  var demo = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    try Parse.reject(
      (!demo && rig == nil, "expected --rig, or --demo"), (!demo && frames == nil, "expected --frames, or --demo"),
      (!demo && outputs.isEmpty, "expected --output, or --demo"),
      (demo && input.gray != nil, "--demo cannot be used with --gray"),
      (input.schedule != nil && input.known != nil, "--schedule cannot be used with --known, which has its own"),
      (Set(outputs).count < outputs.count, "--output: expected different ones, got one twice"))
  }

  func run() async throws {
    log.bootstrap()
    try output.check(isNot: [rig, frames, input.schedule, input.known])
    var corrections = try output.readCorrections()
    var settings = mapping.settings
    settings.lightsAgain = !once
    let file =
      try rig.map { try TextFile.bytes(of: $0, option: "--rig", limit: TextFile.longestShow) }
      ?? (demo ? Self.demoRig : nil)
    try input.read(into: &settings, output, corrections, count: 0, rig: file)
    if input.known != nil { corrections = nil }
    guard let file else { return }
    if demo { return try await runDemo(file, settings, corrections) }
    guard let frames else { return }
    let stream = try MapFiles.stream(of: frames, option: "--frames")
    let hasSACN = outputs.contains { $0.kind == .sacn }
    let identity = SourceIdentity(path: hasSACN ? SourceIdentity.defaultPath : nil)
    defer { withExtendedLifetime(identity) {} }
    let senders = try outputs.map { try DMXSender($0.configuration(interface: interface, identity: identity.cid)) }
    for sender in senders { try await sender.start() }
    let (mapper, found) = (CameraMapper(settings), Shared<Known?>(nil))
    let ending = try await finally {
      await mapper.cancel()
      for sender in senders { await sender.stop() }
    } after: {
      try await RunEnding.of(view: LiveBoard<DMXUniverseBoard>?.none, isForced: false, watchesReader: false) { tasks in
        let updates = try await mapper.map(file, frames: stream, output: CameraMapper.sending(to: senders))
        tasks.addTask {
          found.value = try await follow(updates)
          return .streamEnded
        }
      }
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
    if let known = found.value { try await write(known, of: mapper, corrections) }
  }

  /// What is known at the end.
  struct Known: Sendable {
    var map: FixtureMap
    /// What failed after it, of the output; nil: nothing, or the frames ended.
    var failure: (any Error)?
  }

  /// Writes a map and its picture with the corrections; without them if they do not fit, since what they were for cannot be had once
  /// more. What failed after it is thrown then.
  private func write(_ known: Known, of mapper: CameraMapper, _ corrections: Data?) async throws {
    let map = known.map
    let corrected = Result { try corrections.map { try output.correct(by: $0) { try map.corrected(by: $0) } } ?? map }
    try output.write((try? corrected.get()) ?? map, log)
    if let overlay = output.overlay {
      if let corrections, case .success = corrected { try await mapper.correct(by: corrections) }
      try PictureFile.write(try await mapper.picture(), to: overlay)
    }
    _ = try corrected.get()
    if let failure = known.failure { throw failure }
  }

  /// Notes the phases; the last map, also where the frames end while what was not found is lit once more.
  func follow(_ updates: AsyncThrowingStream<CameraMapper.Update, any Error>) async throws -> Known? {
    var (known, isJudged): (Known?, Bool) = (nil, false)
    do {
      for try await update in updates {
        guard let next = update.map else { continue }
        (known, isJudged) = (Known(map: next), [.again, .done].contains(update.phase))
        note(update, next)
      }
    } catch let error as LightingError where isJudged {
      log.note("\(error.message); the map has what was found before")
      if error.code != .malformedInput { known?.failure = error }
    }
    return known
  }

  private func note(_ update: CameraMapper.Update, _ map: FixtureMap) {
    switch update.phase {
    case .delay: break
    case .schedule:
      let delay = update.delay.map { "\(Numbers.plain($0, digits: 2)) frames late" } ?? "delay unknown"
      log.note("\(delay), spread \(Numbers.plain(update.delaySpread, digits: 2)); the schedule runs")
    case .again:
      log.note("\(map.found.count) of \(map.fixtures.count) fixtures found; the others are lit once more")
    case .done:
      if update.delay == nil && map.found.count < map.fixtures.count {
        log.note("no light was seen: check the camera, the outputs and the patch")
      }
      // The frames of the demonstration come as fast as they are taken.
      if update.droppedFrames > 0 && !demo { log.note("\(update.droppedFrames) frames were lost") }
    }
  }
}

extension MapRunCommand {
  /// Twenty-four pars on one universe of Art-Net.
  static var demoRig: Data {
    let fixtures = (0..<24).map { index in
      """
      {"id":\(index + 1),"profile":"rgb-par","protocol":"artnet","universe":0,"address":\(index * 3 + 1)}
      """
    }
    return Data("{\"v\":1,\"fixtures\":[\(fixtures.joined(separator: ","))]}".utf8)
  }

  /// The camera and the time of a demonstration, whose frames follow each other as fast as they are taken.
  private actor Stage {
    let camera: SimulatedCamera
    private var frame = 0

    init(_ camera: SimulatedCamera) { self.camera = camera }

    func next() async throws -> Data {
      while true {
        frame += 1
        if let bytes = try await camera.frame(at: camera.interval * frame) { return bytes }
      }
    }

    /// A change is seen by the exposures after the next.
    func light(_ levels: CameraMapper.Levels) async throws {
      for (universe, levels) in levels {
        try await camera.light(universe, levels.bytes, at: camera.interval * (frame + 2))
      }
    }
  }

  private func runDemo(_ rig: Data, _ settings: MappingSettings, _ corrections: Data?) async throws {
    let camera = try SimulatedCamera(.club, rig: rig)
    let stage = Stage(camera)
    var gray = settings
    gray.format = .gray(width: camera.width, height: camera.height)
    let frames = AsyncStream<Data> { try? await stage.next() }
    let mapper = CameraMapper(gray)
    let updates = try await mapper.map(rig, frames: frames) { try await stage.light($0) }
    if let known = try await follow(updates) { try await write(known, of: mapper, corrections) }
  }
}
