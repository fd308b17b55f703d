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
  private(set) var isRunning = false
  private(set) var isDark = false
  private(set) var master = 1.0
  /// The address of the output; nil: not armed.
  private(set) var output: String?
  private(set) var report: LightingReport?
  /// What the light does when the last client has left.
  var unattended = Unattended.hold
  /// The levels of the show's faders, 0 to 1.
  private(set) var faders: [Double]

  private let controller: LightingController
  /// Is called when the state has changed by itself.
  var onChange: @MainActor () -> Void = {}

  private let hub: Hub
  private var sender: DMXSender?
  private var reports: Task<Void, Never>?
  private var drawing: Task<Void, Never>?

  init(hub: Hub, show: LightShow) {
    (self.hub, self.show) = (hub, show)
    faders = [Double](repeating: 0, count: show.faders.count)
    controller = LightingController(show)
  }

  /// Plays the show from its beginning, on no output. One that plays goes on.
  func start(following clock: TempoClock) async throws(LightingError) {
    guard !isRunning else { return }
    await stop()
    let stream = try await controller.start(following: clock)
    try await controller.setMaster(master)
    for (fader, level) in faders.enumerated() { try await controller.setFader(fader, to: level) }
    try await controller.setBlackout(isDark)
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
      while !Task.isCancelled {
        let picture = VenuePicture(width: 960, height: 540, view: .front, form: .png)
        guard let png = try? await controller.picture(picture) else { return }
        hub.publish(.lights, Array(png))
        try? await Task.sleep(for: .milliseconds(80))
      }
    }
  }

  /// The protocols of the show's universes.
  var protocols: Set<DMXProtocol> {
    get async throws(LightingError) { Set(try await controller.levels().keys.map(\.protocol)) }
  }

  /// Sends the show to an address from now on, in place of the one before, which stays if this one is refused.
  func arm(_ protocol: DMXProtocol, _ address: String) async throws(LightingError) {
    var configuration = DMXConfiguration(`protocol`, name: "rustle studio")
    configuration.destinations = [address]
    if AccessRules.isLoopback(String(address.prefix { $0 != ":" })) { configuration.interface = "127.0.0.1" }
    let sender = try DMXSender(configuration)
    try await controller.add(sender)
    await disarm()
    self.sender = sender
    output = "\(`protocol`.rawValue):\(address)"
  }

  /// Ends the output: its universes are terminated.
  func disarm() async {
    if let sender { await controller.remove(sender) }
    (sender, output) = (nil, nil)
  }

  func setDark(_ isDark: Bool) async throws(LightingError) {
    try await controller.setBlackout(isDark)
    self.isDark = isDark
  }

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
  func go(toCue cue: Int) async throws(LightingError) { try await controller.go(toCue: cue) }
  func go() async throws(LightingError) { try await controller.go() }
  func back() async throws(LightingError) { try await controller.back() }

  /// Ends the show and its output.
  func stop() async {
    drawing?.cancel()
    drawing = nil
    await disarm()
    await controller.stop()
    await reports?.value
    (isRunning, report, reports) = (false, nil, nil)
  }
}
