internal import Foundation
internal import Rustle
internal import StudioCore

/// What the light does when nobody is there.
enum Unattended: String, CaseIterable, Sendable {
  /// The show goes on.
  case hold
  /// It goes out, until somebody restores it.
  case blackout
}

/// A show, its picture, and its output once a person has armed it.
@MainActor
final class Lights {
  let show: LightShow
  private let studioShow: StudioShow
  /// The colours to test lamps with.
  let testColors: [String]
  /// What the output has sent, as of the last second.
  private(set) var counts: OutputCounts
  private(set) var isRunning = false
  private(set) var isBlackout = false
  private(set) var master = 1.0
  /// The address of the output; nil: not armed.
  private(set) var output: String?
  private(set) var report: LightingReport?
  /// What the light does when the last client has left.
  var unattended = Unattended.hold
  /// The levels of the show's faders, 0 to 1.
  private(set) var faders: [Double]

  /// The time from one picture to the next.
  private static let period = Duration.milliseconds(80)

  private let controller: LightingController
  /// Is called when the state has changed by itself.
  var onChange: @MainActor () -> Void = {}
  /// Is called when there are other counts of the output.
  var onCount: @MainActor () -> Void = {}

  private let hub: Hub
  private var sender: DMXSender?
  /// Whether somebody else than the show sends with it.
  private(set) var isLent = false
  /// What whoever has borrowed it has lit.
  private var lit: Set<DMXUniverse> = []
  /// The ends of the output so far: what awaited something meanwhile has none any more.
  private(set) var ends = 0
  /// The patch of the show.
  private lazy var patch = (try? show.fixtures()) ?? []
  private var reports: Task<Void, Never>?
  private var drawing: Task<Void, Never>?
  private var counting: Task<Void, Never>?
  /// The cue and the scene before a test colour.
  private var tested: (cue: Int?, scene: Int?)?

  init(hub: Hub, show: StudioShow) {
    (self.hub, self.show, studioShow, testColors) = (hub, show.show, show, show.testColors)
    faders = [Double](repeating: 0, count: show.show.faders.count)
    counts = OutputCounts(of: show.show)
    controller = LightingController(show.played)
  }

  /// The scene of the show that is on, by its place; nil: none, or a test colour.
  var scene: Int? { report?.scene.flatMap { $0 < show.scenes.count ? $0 : nil } }

  /// The test colour that is on.
  var testColor: String? {
    report?.scene.flatMap { $0 < show.scenes.count ? nil : testColors[$0 - show.scenes.count] }
  }

  /// Plays the show from its beginning, on no output. One that plays goes on.
  func start(following clock: TempoClock) async throws(LightingError) {
    guard !isRunning else { return }
    await stop()
    let stream = try await controller.start(following: clock)
    try await controller.setMaster(master)
    for (fader, level) in faders.enumerated() { try await controller.setFader(fader, to: level) }
    try await settleBlackout()
    isRunning = true
    reports = Task { [weak self] in
      for await element in stream {
        guard case .value(let report) = element, let self else { continue }
        let isNews = report.scene != self.report?.scene || report.cue != self.report?.cue
        self.report = report
        if isNews { self.onChange() }
      }
    }
  }

  /// Draws the show while clients look at it.
  func draw(_ isWanted: Bool) {
    guard isWanted, isRunning else {
      drawing?.cancel()
      drawing = nil
      return
    }
    guard drawing == nil else { return }
    let (controller, hub) = (controller, hub)
    drawing = Task.detached {
      let picture = VenuePictureOptions(width: 960, height: 540, view: .front, format: .png)
      await Self.draw(on: hub) { try await controller.picture(picture) }
    }
  }

  /// Publishes pictures until the task is cancelled; one that cannot be drawn is left out.
  nonisolated static func draw(on hub: Hub, _ picture: @Sendable () async throws -> Data) async {
    while !Task.isCancelled {
      if let png = try? await picture() { hub.publish(.lights, Array(png)) }
      try? await Task.sleep(for: period)
    }
  }

  /// What each fixture of the patch shows, in its order: the values of its slots in the last frame; empty: the show does not play.
  func levels() async throws(LightingError) -> [(fixture: LightShow.Fixture, slots: [UInt8])] {
    guard isRunning else { return [] }
    let levels = try await controller.levels()
    return patch.map { fixture in
      (fixture, Array((levels[fixture.universe] ?? []).dropFirst(fixture.address - 1).prefix(fixture.slotCount)))
    }
  }

  /// The levels of the show's universes in the last frame; empty: the show does not play.
  func universeLevels() async throws(LightingError) -> CameraMapper.Levels {
    guard isRunning else { return [:] }
    var levels: CameraMapper.Levels = [:]
    for (universe, slots) in try await controller.levels() { levels[universe] = try DMXLevels(slots) }
    return levels
  }

  /// Counts what is sent, once a second while clients look at it.
  func count(_ isWanted: Bool) {
    guard isWanted, isRunning else {
      counting?.cancel()
      counting = nil
      return
    }
    guard counting == nil else { return }
    counting = Task { [weak self] in
      while !Task.isCancelled {
        await self?.countOnce()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  private func countOnce() async {
    counts.note((try? await controller.levels()) ?? [:])
    if let sender, let report = await sender.report {
      let now = ContinuousClock.now
      var sent: [DMXUniverse: DMXSentCounts] = [:]
      for universe in counts.universes.map(\.universe) where universe.protocol == sender.configuration.protocol {
        sent[universe] = try? await sender.counts(of: universe)
      }
      // The sender may have been replaced meanwhile.
      if sender === self.sender { counts.note(report, sent, at: now) }
    }
    onCount()
  }

  /// The protocols of the show's universes.
  var protocols: Set<DMXProtocol> {
    get async throws(LightingError) { Set(try await controller.levels().keys.map(\.protocol)) }
  }

  /// Sends the show to an address from now on, in place of the one before, which stays if this one is refused.
  ///
  /// - Parameter ends: those of the output when it was asked for; after another one it is refused.
  func arm(_ protocol: DMXProtocol, _ address: String, after ends: Int) async throws {
    var configuration = DMXSenderConfiguration(`protocol`, name: "rustle studio")
    configuration.destinations = [address]
    if AccessRules.isLoopback(String(address.prefix { $0 != ":" })) { configuration.interface = "127.0.0.1" }
    let sender = try DMXSender(configuration)
    try await controller.add(sender)
    guard ends == self.ends else {
      await controller.remove(sender)
      throw Self.takenBack
    }
    let before = self.sender
    output = "\(`protocol`.rawValue):\(address)"
    exchange(sender, isLent: false)
    if let before { await controller.remove(before) }
  }

  /// Ends the output: its universes are terminated.
  func disarm() async {
    ends += 1
    let sender = sender
    output = nil
    exchange(nil, isLent: false)
    if let sender { await controller.remove(sender) }
  }

  /// Replaces the sender: the new one counts from 0.
  private func exchange(_ sender: DMXSender?, isLent: Bool) {
    (self.sender, self.isLent, lit) = (sender, isLent, [])
    counts.beginOutput()
    onCount()
  }

  /// Takes the output from the show until it is taken back: whoever has it is the only one that sends to it.
  ///
  /// It is not lent twice: actions come one after the other, and only a mapping, of which one runs at a time, asks for it.
  func lend() async throws -> DMXSender {
    guard let sender else {
      throw ActionError(
        "wrongState", "expected an output that is armed, got none",
        advice: "Start the show on the screen of the lights, and arm its output.")
    }
    let ends = ends
    await controller.remove(sender)
    do {
      let lent = try DMXSender(sender.configuration)
      try await lent.start()
      guard ends == self.ends else {
        await lent.stop()
        throw Self.takenBack
      }
      exchange(lent, isLent: true)
      onChange()
      return lent
    } catch {
      await disarm()
      throw error
    }
  }

  /// Gives the show its output again.
  func takeBack() async {
    guard isLent, let sender else { return }
    isLent = false
    let ends = ends
    await sender.stop()
    guard ends == self.ends else { return }
    do throws(LightingError) {
      let own = try DMXSender(sender.configuration)
      try await controller.add(own)
      guard ends == self.ends else { return await controller.remove(own) }
      exchange(own, isLent: false)
    } catch {
      await disarm()
    }
    onChange()
  }

  /// The cells of the show's fixtures.
  func rig() throws -> StudioShow.CellRig { try studioShow.cellRig() }

  func setBlackout(_ isBlackout: Bool) async throws(LightingError) {
    let before = self.isBlackout
    self.isBlackout = isBlackout
    if isBlackout, isLent, let sender {
      let dark = DMXLevels()
      try? await sender.set(Dictionary(uniqueKeysWithValues: lit.map { ($0, dark) }))
    }
    do throws(LightingError) {
      try await settleBlackout()
    } catch {
      // A show that starts later begins with it.
      guard isRunning else { return }
      self.isBlackout = before
      throw error
    }
  }

  /// Makes the show as dark as it is to be, also by a blackout that came meanwhile.
  private func settleBlackout() async throws(LightingError) {
    var isDark: Bool
    repeat {
      isDark = isBlackout
      try await controller.setBlackout(isDark)
    } while isDark != isBlackout
  }

  /// Sends what whoever has borrowed the output lights: in a blackout nothing.
  func light(_ levels: CameraMapper.Levels, with sender: DMXSender) async throws {
    guard sender === self.sender else { throw CancellationError() }
    lit = Set(levels.keys)
    try await CameraMapper.sending(to: [sender])(isBlackout ? levels.mapValues { _ in DMXLevels() } : levels)
  }

  /// The refusal of an action that another one has overtaken.
  static let takenBack = ActionError(
    "wrongState", "somebody has blacked out or disarmed the lamps since this action was asked for",
    advice: "Repeat it, if it is still wanted.")

  func setMaster(_ level: Double) async throws(LightingError) {
    try await controller.setMaster(level)
    master = level
  }

  func setFader(_ fader: Int, to level: Double) async throws(LightingError) {
    try await controller.setFader(fader, to: level)
    faders[fader] = level
  }

  func show(scene: Int) async throws(LightingError) {
    try await controller.show(scene: scene, fade: .milliseconds(800))
  }

  /// Shows a test colour on all lamps; nil: what was there before.
  func test(_ color: String?) async throws(LightingError) {
    if let color, let place = testColors.firstIndex(of: color) {
      if testColor == nil { tested = (report?.cue, scene) }
      return try await controller.show(scene: show.scenes.count + place)
    }
    guard testColor != nil else { return }
    if let cue = tested?.cue {
      try await controller.go(toCue: cue)
    } else if let scene = tested?.scene {
      try await controller.show(scene: scene)
    }
  }

  func go(toCue cue: Int) async throws(LightingError) { try await controller.go(toCue: cue) }
  func go() async throws(LightingError) { try await controller.go() }
  func back() async throws(LightingError) { try await controller.back() }

  /// Ends the show and its output.
  func stop() async {
    for task in [drawing, counting] { task?.cancel() }
    (drawing, counting) = (nil, nil)
    await disarm()
    await controller.stop()
    await reports?.value
    (isRunning, report, reports) = (false, nil, nil)
    counts.note([:])
    onCount()
  }
}
