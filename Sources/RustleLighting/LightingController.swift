public import Foundation
public import RustleCore
public import RustleTempo

/// Plays a show of light on senders of DMX.
///
/// ```swift
/// let show = try LightShow(demo: .festival)
/// var output = DMXSenderConfiguration(.sacn, name: "stage")
/// output.interface = "127.0.0.1"
/// let controller = LightingController(show)
/// let reports = try await controller.start(outputs: [DMXSender(output)])
/// try await controller.setTempo(128)
/// try await controller.go()
/// await controller.stop()
/// ```
///
/// Frames are rendered by a native worker for the time at which they are sent; an input is in the next packets. Stopping or dropping
/// the controller ends the senders' universes.
public actor LightingController: NativeStreamEngine {
  /// How a show is played.
  public struct Configuration: Sendable, Hashable {
    /// The tempo at the start in beats per minute, 1 to 999.
    public var tempo = 120.0
    /// Frames per second without an output, 1 to 200; with one, its rate.
    public var frameRate = 44.0
    /// Whether the first cue, or the first scene of a show without cues, waits for an input.
    public var startsInBlackout = false
    /// Reports of the state a second, 0.001 to 10,000,000.
    public var reportRate = 1.0
    /// The number of reports after which a session ends, those of events among them; nil: no limit.
    public var reportLimit: Int?

    /// 120 beats per minute, and a report a second.
    public init() {}
  }

  /// The engine of a session.
  private final class Engine: Sendable {
    let native: NativeShow

    init(_ configuration: NativeShowConfiguration, _ runtime: NativeRuntime?) throws(NativeError) {
      native = try NativeShow(configuration, runtime: runtime)
    }
  }

  /// The show.
  public nonisolated let show: LightShow
  /// How it is played.
  public nonisolated let configuration: Configuration

  private let runtime: NativeRuntime?
  private var engine: Engine?
  private var started: (session: ShowSessionID, reports: EngineStream<LightingReport>)?
  private var senders: [DMXSender] = []
  /// Whether a start awaits its senders.
  private var isStarting = false
  /// Counts the stops: what awaited a sender meanwhile does not go on.
  private var stops = 0
  /// The stops that have not returned.
  private var stopping = 0
  /// The sessions that it has started.
  package let streams = EngineStreams()

  /// Creates a controller; nothing is sent.
  public init(_ show: LightShow, configuration: Configuration = Configuration()) {
    self.init(show, configuration: configuration, runtime: nil)
  }

  /// Creates a controller on the caller's runtime, which is also that of its senders.
  package init(_ show: LightShow, configuration: Configuration = Configuration(), runtime: NativeRuntime?) {
    (self.show, self.configuration, self.runtime) = (show, configuration, runtime)
  }

  /// Plays the show from its beginning.
  ///
  /// - Parameters:
  ///   - outputs: the senders, which are started: each takes the universes of its protocol. None: frames can be read and drawn.
  ///   - clock: the clock whose smooth beats the show has, until ``setTempo(_:)``; nil: beats from 0 on, at the configuration's tempo.
  ///   - buffering: how the reports travel; by default the newest 64 wait.
  /// - Returns: the reports, for one consumer. Ending them ends the show.
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation``; with ``LightingError/Code/wrongState`` while it plays; as
  ///   ``DMXSender/start(buffering:)``.
  @discardableResult
  public func start(
    outputs: [DMXSender] = [], following clock: TempoClock? = nil,
    buffering: StreamBuffering = .batched(capacity: 64, overflow: .dropOldest)
  ) async throws(LightingError) -> EngineStream<LightingReport> {
    let isPlaying = started.map { $0.reports.outcome == nil } ?? false
    if isStarting || isPlaying || stopping > 0 {
      throw LightingError(
        .wrongState, "expected a start after the end, got one of a show that plays", advice: "Await stop() first.")
    }
    isStarting = true
    defer { isStarting = false }
    let reports: EngineStream<LightingReport>
    do throws(LightingError) {
      reports = try await play(on: outputs, following: clock, buffering: buffering)
    } catch {
      await cancel()
      await stopSenders()
      throw error
    }
    return reports
  }

  private func play(
    on outputs: [DMXSender], following clock: TempoClock?, buffering: StreamBuffering
  ) async throws(LightingError) -> EngineStream<LightingReport> {
    let stops = stops
    for sender in outputs { try await begin(sender, after: stops) }
    var native = native
    var sessions: [(DMXProtocol, DMXSessionID)] = []
    for sender in outputs {
      if let session = await sender.session { sessions.append((sender.configuration.protocol, session)) }
    }
    guard stops == self.stops else { throw Self.stopped }
    // The show's time begins with the first frame of these two.
    let first = [DMXProtocol.sacn, .artNet].map { kind in sessions.firstIndex { $0.0 == kind } }
    native.send(sacn: first[0].map { sessions[$0].1 }, artNet: first[1].map { sessions[$0].1 })
    native.follow(clock?.native)
    let engine = try self.engine(native)
    self.engine = engine
    let reports = try start(
      engine, buffering: buffering, reader: ElementReader { LightingReport($0) }, sequenceNumber: \.sequence)
    let session = ShowSessionID(of: reports)
    started = (session, reports)
    for (place, other) in sessions.enumerated() where !first.contains(place) {
      try LightingError.rethrowing { () throws(NativeError) in try session.attach(other.1) }
    }
    return reports
  }

  /// As ``start(outputs:following:buffering:)`` without outputs, for values of the caller's type; any number at a time.
  package func start<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativeShowReport, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(LightingError) -> EngineStream<Value> {
    let engine = if let engine { engine } else { try self.engine(native) }
    self.engine = engine
    return try start(engine, buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
  }

  private func start<Value: Sendable>(
    _ engine: Engine, buffering: StreamBuffering, reader: ElementReader<NativeShowReport, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(LightingError) -> EngineStream<Value> {
    try started(orThrow: LightingError.self) { () throws(NativeError) in
      try engine.native.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
    }
  }

  /// The native configuration without outputs.
  private var native: NativeShowConfiguration {
    var native = LightShow.native(show: show.show, rig: show.rig, demo: show.demo)
    native.beatsAMinute = configuration.tempo
    native.framesASecond = configuration.frameRate
    native.reportsPerSecond = configuration.reportRate
    native.reportLimit = configuration.reportLimit.map { UInt64(clamping: $0) } ?? 0
    native.startsInBlackout = configuration.startsInBlackout
    return native
  }

  private func engine(_ native: NativeShowConfiguration) throws(LightingError) -> Engine {
    let runtime = runtime
    return try LightingError.rethrowing { () throws(NativeError) in try Engine(native, runtime) }
  }

  /// Goes to the next cue, the first one at the start.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/wrongState`` while nothing plays.
  public func go() throws(LightingError) { try input(.go) }

  /// Goes to the cue before.
  ///
  /// - Throws: as ``go()``.
  public func back() throws(LightingError) { try input(.back) }

  /// Goes to a cue by its place.
  ///
  /// - Throws: as ``go()``; with ``LightingError/Code/validation`` for one that the show does not have.
  public func go(toCue cue: Int) throws(LightingError) { try input(.cue, place: cue) }

  /// Goes to a scene by its place, without a cue.
  ///
  /// - Parameters:
  ///   - scene: the scene.
  ///   - fade: how long it takes to come, 0 to 100,000 s.
  /// - Throws: as ``go(toCue:)``.
  public func show(scene: Int, fade: Duration = .zero) throws(LightingError) {
    try input(.scene, place: scene, value: fade / .seconds(1))
  }

  /// Replaces a scene, with its layers, while the show plays: if it is on, the coming frame shows the new one. ``show`` stays as it is,
  /// and is what a later start plays.
  ///
  /// Layers are compared by their places: what one has in common with the one before goes on, so that another `opacity` or `enabled`
  /// of a layer changes that alone. A fader that is a layer's modulator (``setFader(_:to:)``) moves its opacity without a new scene.
  ///
  /// - Parameters:
  ///   - place: the scene's place.
  ///   - json: the new scene, as in the list of scenes of a show (`docs/show.schema.json`); its modulators name the show's faders.
  /// - Throws: as ``go(toCue:)``; with ``LightingError/Code/malformedInput`` for JSON that is none, or anything wrong within.
  public func replace(scene place: Int, with json: Data) throws(LightingError) {
    guard (0...Int(UInt32.max)).contains(place) else {
      throw .validation("place", expected: "0 or more", got: "\(place)")
    }
    let text = try LightShow.text(of: json, "scene")
    try call { (session) throws(NativeError) in try session.replace(scene: place, with: text) }
  }

  /// Lets fades and waits for the next cue stand still, or go on. Effects go on.
  ///
  /// - Throws: as ``go()``.
  public func setPaused(_ isPaused: Bool) throws(LightingError) { try input(.pause, value: isPaused ? 1 : 0) }

  /// Turns all light off with the next frame, or on again where the beats are. Heads and cues go on.
  ///
  /// - Throws: as ``go()``.
  public func setBlackout(_ isBlackout: Bool) throws(LightingError) { try input(.blackout, value: isBlackout ? 1 : 0) }

  /// Turns all light off and pauses the cues.
  ///
  /// - Throws: as ``go()``.
  public func panic() throws(LightingError) { try input(.panic) }

  /// Sets what all light is multiplied with, 0 to 1.
  ///
  /// - Throws: as ``go(toCue:)``.
  public func setMaster(_ level: Double) throws(LightingError) { try input(.master, value: level) }

  /// Sets a fader of the show, by its place, to a level of 0 to 1.
  ///
  /// - Throws: as ``go(toCue:)``.
  public func setFader(_ fader: Int, to level: Double) throws(LightingError) {
    try input(.fader, place: fader, value: level)
  }

  /// Gives the modulators an onset of the sound, its strength 0 to 1.
  ///
  /// - Throws: as ``go(toCue:)``.
  public func strike(_ strength: Double) throws(LightingError) { try input(.onset, value: strength) }

  /// Gives the modulators the level of the sound, and of its bands from the lowest, at most 8; each 0 to 1.
  ///
  /// - Throws: as ``go(toCue:)``.
  public func setSound(level: Double, bands: [Double] = []) throws(LightingError) {
    try input(.level, value: level)
    for (band, level) in bands.enumerated() { try input(.band, place: band, value: level) }
  }

  /// Changes the tempo, 1 to 999 beats per minute, from the coming frame on; the beats go on from where they are.
  ///
  /// - Throws: as ``go(toCue:)``.
  public func setTempo(_ tempo: Double) throws(LightingError) {
    try call { (session) throws(NativeError) in try session.setTempo(tempo) }
  }

  /// Follows the smooth beats of a clock from the coming frame on, until ``setTempo(_:)``. The show's count of beats goes on, and walks
  /// to the clock's phase in its quantum by 1 ms in 22.7 ms: no effect jumps.
  ///
  /// - Throws: as ``go()``.
  public func follow(_ clock: TempoClock) throws(LightingError) {
    try call { (session) throws(NativeError) in try session.follow(clock.native) }
  }

  /// Starts another sender, which takes the universes of its protocol from the coming frame on.
  ///
  /// - Throws: as ``start(outputs:following:buffering:)``.
  public func add(_ output: DMXSender) async throws(LightingError) {
    let session = try session()
    guard stopping == 0 else { throw Self.notStarted }
    try await begin(output, after: stops)
    guard let sending = await output.session else { return }
    do throws(LightingError) {
      try LightingError.rethrowing { () throws(NativeError) in try session.attach(sending) }
    } catch {
      await remove(output)
      throw error
    }
  }

  /// Starts a sender, and stops it again if the show was stopped meanwhile.
  private func begin(_ sender: DMXSender, after stops: Int) async throws(LightingError) {
    try await sender.startUnheard()
    guard stops == self.stops else {
      await sender.stop()
      throw Self.stopped
    }
    senders.append(sender)
  }

  /// Stops a sender; the show goes on.
  public func remove(_ output: DMXSender) async {
    senders.removeAll { $0 === output }
    await output.stop()
  }

  /// Streams the frames, the last one first: the levels of each universe in each. They end with the show.
  ///
  /// ```swift
  /// for await case .value(let shown) in try await controller.frames() {
  ///   print(shown.frame, shown.universe, shown.levels[0])
  /// }
  /// ```
  ///
  /// - Parameter capacity: the levels that wait at most, 1 to 1,048,576; the oldest are dropped. nil: the newest of each universe wait.
  /// - Throws: as ``go()``; with ``LightingError/Code/validation`` for another capacity.
  public func frames(capacity: Int? = nil) throws(LightingError) -> EngineStream<LightingLevels> {
    guard let engine else { throw Self.notStarted }
    _ = try session()
    if let capacity, !(1...1_048_576).contains(capacity) {
      throw .validation("capacity", expected: "1 to 1048576", got: "\(capacity)")
    }
    return try started(orThrow: LightingError.self) { () throws(NativeError) in
      try engine.native.start(
        NativeShowFramesRequest(capacity: capacity ?? 0), reader: ElementReader { LightingLevels($0) })
    }
  }

  /// The slots of each universe in the last frame, 512 of each.
  ///
  /// - Throws: as ``go()``, before the first start.
  public func levels() throws(LightingError) -> [DMXUniverse: [UInt8]] {
    guard let session = started?.session else { throw Self.notStarted }
    let count = show.universeCount
    let read = try LightingError.rethrowing { () throws(NativeError) in try session.levels(universes: count) }
    var levels: [DMXUniverse: [UInt8]] = [:]
    for (place, number) in read.universes.enumerated() {
      let isArtNet = number >= nativeShowArtNet
      let universe = try DMXUniverse(
        Int(isArtNet ? number - nativeShowArtNet : number), of: isArtNet ? .artNet : .sacn)
      levels[universe] = Array(read.slots[place * 512..<(place + 1) * 512])
    }
    return levels
  }

  /// Draws the last frame. Colours are read back from the slots, so that a wrong patch shows.
  ///
  /// - Throws: as ``levels()``; with ``LightingError/Code/validation`` for a size outside of ``VenuePictureOptions/sideRange``.
  public func picture(_ options: VenuePictureOptions) throws(LightingError) -> Data {
    guard let session = started?.session else { throw Self.notStarted }
    let settings = try options.native()
    return Data(try LightingError.rethrowing { () throws(NativeError) in try session.picture(settings) })
  }

  /// Ends the show and its senders, and returns when their last packet has been sent.
  public func stop() async {
    (stops, stopping) = (stops + 1, stopping + 1)
    await cancel()
    await stopSenders()
    stopping -= 1
  }

  /// Makes the native side refuse new sessions and end the running ones, without waiting for their end.
  package func refuseStreams() { engine?.native.shutDown() }

  private func stopSenders() async {
    let stopping = senders
    senders = []
    for sender in stopping { await sender.stop() }
  }

  private func input(_ kind: NativeShowInput, place: Int = 0, value: Double = 0) throws(LightingError) {
    guard (0...Int(UInt32.max)).contains(place) else {
      throw .validation("place", expected: "0 or more", got: "\(place)")
    }
    try call { (session) throws(NativeError) in try session.input(kind, place: place, value: value) }
  }

  private func call(_ body: (ShowSessionID) throws(NativeError) -> Void) throws(LightingError) {
    let session = try session()
    try LightingError.rethrowing { () throws(NativeError) in try body(session) }
  }

  private func session() throws(LightingError) -> ShowSessionID {
    guard let started, started.reports.outcome == nil else { throw Self.notStarted }
    return started.session
  }

  private static var stopped: LightingError {
    LightingError(
      .wrongState, "expected a show that goes on until it has started, got a stop", advice: "Start it again.")
  }

  private static var notStarted: LightingError {
    LightingError(.wrongState, "expected a call while the show plays, got one before or after", advice: "Start it.")
  }
}
