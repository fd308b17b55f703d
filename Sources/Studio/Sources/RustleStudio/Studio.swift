internal import Foundation
internal import Rustle
internal import ServiceLifecycle
internal import StudioCore

/// What all clients share: one session of each engine, and its state.
@MainActor
final class Studio {
  /// The version of the server.
  static let version = "0.1.0"
  /// How long an engine goes on without clients, so that loading the page again does not restart it.
  private let linger: Duration

  /// What distinguishes this run from those before: a page then shows no value of theirs.
  private let identity = String(UInt64.random(in: .min ... .max), radix: 16)
  nonisolated let hub: Hub
  let prices: Prices
  let sound: Sound
  let lights: Lights
  let nodes = NodeSearch()
  let provisioning = Provisioning()
  let mapping: Mapping
  nonisolated let recordings: Recordings
  let clock: TempoClock
  let session: LinkSession
  private var following: Task<Void, Never>?
  private var beating: Task<Void, Never>?
  /// Whether beats are published.
  var isBeating: Bool { beating != nil }
  /// How many times their publication has begun.
  private(set) var beatStartCount = 0
  /// Ends the engines that nobody wants, a little later; nil: none waits.
  private var ending: Task<Void, Never>?
  /// The topics whose engines run.
  private var running: Set<Topic> = []
  /// Since when nobody wants them: each engine ends in its own time, whatever clients do with the others.
  private var unwantedSince: [Topic: ContinuousClock.Instant] = [:]
  /// The newest action: the next one waits for its end, so that those of several clients do not meet within an engine.
  private var underWay: Task<Void, Never>?
  private var order = ActionOrder()
  /// The end of the output; nil: the server goes on.
  private var darkening: Task<Void, Never>?
  /// The refusal of an action that the end of the server overtakes.
  private static let stops = ActionError("refused", "expected a server that goes on, got one that stops", status: 503)

  init(
    recordings folder: URL, show: StudioShow, prices sources: [Prices.Source], camera: CameraInput?,
    linger: Duration = .seconds(5)
  ) throws {
    self.linger = linger
    hub = Hub()
    recordings = Recordings(hub: hub, folder: folder)
    prices = Prices(hub: hub, sources: sources)
    var configuration = LinkSession.Configuration()
    configuration.sharesStartStop = true
    session = try LinkSession(configuration)
    clock = try TempoClock(following: session)
    sound = try Sound(hub: hub)
    lights = Lights(hub: hub, show: show)
    mapping = Mapping(hub: hub, camera: camera)
    prices.onChange = { [weak self] in self?.report("ticker") }
    sound.onChange = { [weak self] in self?.report("sound") }
    recordings.onChange = { [weak self] in
      self?.sound.isRecorded = false
      self?.report("recorder")
    }
    nodes.onChange = { [weak self] in self?.report("fixtures") }
    provisioning.onChange = { [weak self] in self?.report("provisioning") }
    mapping.onChange = { [weak self] in
      self?.report("mapping")
      // One that has ended leaves the server's camera to those who look at it.
      if self?.mapping.isRunning == false { self?.topicsChanged() }
    }
    lights.onChange = { [weak self] in self?.report("lights") }
    lights.onCount = { [weak self] in self?.report("output") }
    sound.findDevices()
    following = Task { [weak self, hub] in for await _ in hub.changes { self?.topicsChanged() } }
  }

  /// Ends the show and its output: no action begins any more.
  func darken() async {
    let darkening = darkening ?? Task { await lights.stop() }
    self.darkening = darkening
    await darkening.value
  }

  /// Ends every engine.
  func stop() async {
    await darken()
    for task in [following, beating, ending] { task?.cancel() }
    await prices.stop()
    await recordings.stop()
    await sound.stop()
    await mapping.stop()
    mapping.camera?.stop()
    await nodes.stop()
    await provisioning.stop()
    await session.close()
  }

  /// Sends a new client everything there is.
  func greet(_ client: Client) {
    let states = Dictionary(uniqueKeysWithValues: State.allCases.map { ($0.rawValue, state($0)) })
    let hello: JSON = [
      "v": .number(1), "type": "hello", "version": .string(Self.version), "client": .integer(client.id),
      "run": .string(identity), "states": .object(states),
    ]
    client.withOutbox { $0.greet(hello.text) }
    sound.findDevices()
  }

  /// Takes a text message of a client.
  func receive(_ text: [UInt8], from client: Client, _ account: AccountSocket?) async {
    let message: ClientMessage
    do {
      message = try ClientMessage(text)
    } catch {
      answer(client, ["v": .number(1), "error": ActionError("validation", error.message).json])
      return
    }
    client.withOutbox { outbox in
      outbox.subscribe(message.subscribe)
      outbox.unsubscribe(message.unsubscribe)
      if let pause = message.pause { outbox.isPaused = pause }
    }
    hub.subscriptionsChanged()
    if let isWanted = message.account { await account?.subscribe(isWanted) }
    guard let action = message.action else { return }
    if let account, action.name.hasPrefix("account/") {
      return answer(
        client, action.id, Result { () throws(ActionError) in try account.perform(action.name, action.arguments) })
    }
    do throws(ActionError) {
      let task = try begin(action.name, action.arguments, by: client.id)
      // The next message may be a blackout: it is read while this one goes on, as long as there is room for its answer.
      client.withOutbox { $0.begin(length: text.count) }
      Task { answer(client, action.id, await end(task, of: action.name), toActionOfLength: text.count) }
    } catch {
      answer(client, action.id, .failure(error))
    }
  }

  /// Takes a binary message of a client: sound of its microphone, or a frame of its camera.
  func receive(binary bytes: [UInt8], from client: Client) {
    if let block = MicrophoneBlock(bytes) {
      try? sound.push(block, from: client.id)
    } else if let frame = CameraFrame(bytes) {
      mapping.push(frame, from: client.id)
    } else {
      let expected = "\(MicrophoneBlock.expectation), or \(CameraFrame.expectation)"
      answer(client, ["v": .number(1), "error": ["code": "validation", "message": .string(expected)]])
    }
  }

  /// Which engines run, by their names.
  var engines: [(name: String, isRunning: Bool)] {
    [
      ("prices", prices.isRunning), ("sound", sound.source != .none), ("recorder", recordings.name != nil),
      ("meter", sound.isAnalyzed(for: .meter)), ("spectrum", sound.isAnalyzed(for: .spectrum)),
      ("tuner", sound.isAnalyzed(for: .pitch)), ("voice", sound.isAnalyzed(for: .voice)),
      ("lights", lights.isRunning), ("output", lights.output != nil), ("session", session.isEnabled),
      ("scan", provisioning.isScanning), ("provisioning", provisioning.attempt?.isRunning == true),
      ("mapping", mapping.isRunning),
    ]
  }

  /// Ends what a client that left was the source of; without one that can act for a while, the light may be to go out.
  ///
  /// A page that is paused or hidden is still there, and so is one without topics: each has the button for the blackout.
  func left(_ client: Client) async {
    release(client)
    if let underWay {
      Task {
        // It may have chosen itself with its last words.
        await underWay.value
        release(client)
      }
    }
    // A page that is loaded again is no absence.
    let attendances = hub.counts.attendances
    try? await Task.sleep(for: linger)
    guard !hub.clients.contains(where: \.canAct), hub.counts.attendances == attendances else { return }
    provisioning.stopScan()
    if lights.unattended == .blackout, lights.isRunning, !lights.isBlackout {
      // The action's whole: a mapping with the server's camera has the lamps without a page.
      _ = try? await perform(Action.lightsBlackout.rawValue, ["on": .bool(true)], by: nil)
    }
  }

  private func release(_ client: Client) {
    if sound.source == .browser(client.id) {
      try? sound.select(.none)
      report("sound")
    }
    mapping.left(.browser(client.id))
  }

  /// Performs an action after those before it, unless it darkens lamps, and sends every client the state.
  func perform(_ name: String, _ arguments: JSON, by client: Int?) async throws(ActionError) -> JSON {
    let task = try begin(name, arguments, by: client)
    // The server stops though an action waits.
    return try await cancelWhenGracefulShutdown { await self.end(task, of: name) }.get()
  }

  /// Begins an action at its place in the order: actions come in the order of the calls.
  private func begin(
    _ name: String, _ arguments: JSON, by client: Int?
  ) throws(ActionError) -> Task<JSON, any Error> {
    guard let action = Action(rawValue: name) else {
      throw ActionError("notFound", "expected an action, got \(name)", status: 404)
    }
    switch arguments {
    case .null, .object: break
    default: throw ActionError("validation", "expected an object with the arguments, got another value")
    }
    let place = order.enter(action.kind(arguments))
    let before = underWay
    let task = Task { () throws -> JSON in
      if place.disarms { await disarm() }
      if !place.overtakes { await before?.value }
      guard darkening == nil else { throw Self.stops }
      guard !order.isTakenBack(place) else { throw Lights.takenBack }
      return try await perform(action, arguments, by: client)
    }
    underWay = Task {
      await before?.value
      _ = await task.result
    }
    return task
  }

  /// Waits for the end of an action, and sends every client the state that it may have changed.
  private func end(_ task: Task<JSON, any Error>, of name: String) async -> Result<JSON, ActionError> {
    guard let result = await outcome(of: { await task.result }) else { return .failure(Self.stops) }
    if Action(rawValue: name)?.onlyReads != true {
      // Also after an error: what was done before it is done.
      report(String(name.prefix { $0 != "/" }))
      topicsChanged()
    }
    return result.mapError { error in
      switch error {
      case let error as ActionError: error
      case let error as any CodedError: ActionError(error)
      default: ActionError("refused", "\(error)")
      }
    }
  }

  /// Sends every client a state.
  func report(_ name: String) {
    guard let which = State(rawValue: name) else { return }
    let text: JSON = ["v": .number(1), "type": "state", "name": .string(name), "state": state(which)]
    hub.broadcast(text.text, state: name)
    // The meter has the calibration of what is heard.
    if which == .sound { report(State.meter.rawValue) }
  }

  private func answer(
    _ client: Client, _ id: Double, _ result: Result<JSON, ActionError>, toActionOfLength length: Int? = nil
  ) {
    var reply: [String: JSON] = ["v": .number(1), "id": .number(id)]
    switch result {
    case .success(let value): (reply["result"], reply["ok"]) = (value, true)
    case .failure(let error): reply["error"] = error.json
    }
    answer(client, .object(reply), toActionOfLength: length)
  }

  private func answer(_ client: Client, _ value: JSON, toActionOfLength length: Int? = nil) {
    let text = value.text
    client.withOutbox { $0.answer(text, toActionOfLength: length) }
  }

  /// The topics that somebody wants now.
  private var wanted: Set<Topic> {
    mapping.isRunning && mapping.source == .server ? hub.topics.union([.camera]) : hub.topics
  }

  /// Begins what clients have subscribed to; ends the rest a little later, however often they act until then.
  private func topicsChanged() {
    let wanted = wanted
    running.formUnion(wanted)
    runEngines()
    for topic in running {
      unwantedSince[topic] = wanted.contains(topic) ? nil : unwantedSince[topic] ?? .now
    }
    endLater()
  }

  /// Ends what nobody has wanted for a while as soon as the while is over.
  private func endLater() {
    guard ending == nil, let first = unwantedSince.values.min() else { return }
    let end = first + linger
    ending = Task { [weak self] in
      try? await ContinuousClock().sleep(until: end)
      guard let self, !Task.isCancelled else { return }
      self.ending = nil
      self.endUnwanted()
      // Of what became unwanted since, or again, the time is yet to come.
      self.endLater()
    }
  }

  private func endUnwanted() {
    let (wanted, limit) = (wanted, ContinuousClock.now - linger)
    for (topic, since) in unwantedSince where since <= limit || wanted.contains(topic) {
      unwantedSince[topic] = nil
      if !wanted.contains(topic) { running.remove(topic) }
    }
    runEngines()
    mapping.look(running.contains(.camera))
  }

  /// Lets the server's camera go on for the whole time from the end of the action that opens it.
  func lookAnew() {
    running.insert(.camera)
    unwantedSince[.camera] = nil
  }

  /// Has the engines of these topics run, and no others.
  private func runEngines() {
    sound.want(running)
    lights.draw(running.contains(.lights))
    lights.count(running.contains(.lights))
    if running.contains(.tempo) {
      if beating == nil { beat() }
    } else {
      beating?.cancel()
      beating = nil
    }
  }

  private func beat() {
    let (clock, session, hub) = (clock, session, hub)
    beatStartCount += 1
    beating = Task.detached { [weak self] in
      var reported: Tempo?
      while !Task.isCancelled {
        let state = clock.beats()
        // Others change it too: those of the session, and taps.
        let tempo = Tempo(
          centibeats: Int((100 * state.tempo).rounded()), source: state.source, isPlaying: session.beats().isPlaying,
          peerCount: session.peerCount)
        if tempo != reported { await self?.report(State.tempo.rawValue) }
        reported = tempo
        var payload: [UInt8] = []
        for value in [state.beats, state.tempo, state.quantum] { payload.append(number: value) }
        payload.append(integer: UInt32(clamping: tempo.peerCount))
        payload.append(integer: UInt8(tempo.isPlaying ? 1 : 0))
        hub.publish(.tempo, payload)
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
  }
}

/// The state of the tempo as pages have it, with the tempo in hundredths of a beat per minute.
private struct Tempo: Equatable {
  let centibeats: Int
  let source: TempoSource
  let isPlaying: Bool
  let peerCount: Int
}

/// Why an action was refused.
struct ActionError: Error {
  let code: String
  let message: String
  let advice: String?
  /// The HTTP status.
  let status: Int
  /// The most characters of a message.
  private static let maximumLength = 400

  init(_ code: String, _ message: String, advice: String? = nil, status: Int = 422) {
    // A message may quote what was received, which may be long.
    (self.code, self.message) = (code, String(message.prefix(Self.maximumLength)))
    (self.advice, self.status) = (advice, status)
  }

  init(_ error: any CodedError) { self.init("refused", error.message, advice: error.advice) }

  var json: JSON { ["code": .string(code), "message": .string(message), "advice": .optional(advice)] }
}
