import Foundation
import RustleCore
import RustleLighting
import RustlePlot
import RustleTempo

/// The live view of a show: the venue, and a line of where the show is.
actor LightView: LiveView {
  var screen: LiveScreen
  private let controller: LightingController
  private let beats: LightRunCommand.ShowBeats?
  private var view: VenuePictureOptions.View
  private var report: LightingReport?
  /// What the node of a plan does, by owner.
  private var places: [String: LightingNode.Event] = [:]
  /// What keys have asked for, until a report that is not older has come: the second one.
  private var asked: (tempo: Double?, isPaused: Bool?, isBlackout: Bool?) = (nil, nil, nil)
  private var olderReports = 0
  private var lines: [String] = []

  /// The time between two pictures.
  private static let interval = Duration.milliseconds(50)
  /// The step of the tempo that a key makes, in beats per minute, and its range.
  private static let step = 1.0
  private static let tempoRange = 1.0...999.0

  init(
    _ controller: LightingController, beats: LightRunCommand.ShowBeats? = nil, view: VenuePictureOptions.View,
    screen: LiveScreen
  ) {
    (self.controller, self.beats, self.view, self.screen) = (controller, beats, view, screen)
  }

  /// Shows the reports to their end.
  func show(_ reports: EngineStream<LightingReport>) async throws {
    for await case .value(let report) in reports {
      self.report = report
      olderReports -= 1
      if olderReports < 0 { asked = (nil, nil, nil) }
      screen.needsDrawing = true
    }
    try reports.requireEnd()
  }

  /// Draws the venue again and again, until the task is cancelled; does not end the run.
  func follow() async throws -> RunEnding? {
    while !Task.isCancelled {
      let profile = screen.profile
      let picture = VenuePictureOptions.terminal(
        columns: min(profile.screenColumns, VenuePictureOptions.sideRange.upperBound),
        lines: max(1, profile.lineLimit - 2),
        view: view, format: .of(profile))
      lines = String(decoding: try await controller.picture(picture), as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      screen.needsDrawing = true
      try? await Task.sleep(for: Self.interval)
    }
    return nil
  }

  func press(_ key: Key) async throws -> Bool {
    olderReports = 1
    switch key {
    case .quit: return true
    case .right, .down: try await controller.go()
    case .left, .up: try await controller.back()
    case .pause:
      let isPaused = !(asked.isPaused ?? report?.isPaused ?? false)
      asked.isPaused = isPaused
      try await controller.setPaused(isPaused)
    case .help: screen.showsHelp.toggle()
    case .letter("b"):
      let isBlackout = !(asked.isBlackout ?? report?.isBlackout ?? false)
      asked.isBlackout = isBlackout
      try await controller.setBlackout(isBlackout)
    case .letter("v"): view = view == .top ? .front : .top
    case .letter("t"): try beats?.clock.tap()
    case .letter("+"): try await change(by: Self.step)
    case .letter("-"): try await change(by: -Self.step)
    default: return false
    }
    screen.needsDrawing = true
    return false
  }

  private func change(by step: Double) async throws {
    let lowest = beats == nil ? Self.tempoRange.lowerBound : 20
    let wanted = (asked.tempo ?? report?.tempo ?? controller.configuration.tempo) + step
    let tempo = min(max(wanted, lowest), Self.tempoRange.upperBound)
    asked.tempo = tempo
    if let beats { return try beats.clock.setTempo(tempo) }
    try await controller.setTempo(tempo)
  }

  /// Shows what the node of a plan does.
  func take(_ event: LightingNode.Event) { places[event.owner ?? ""] = event }

  func draw() throws {
    let (hasKeys, showsHelp, report, lines) = (screen.hasKeys, screen.showsHelp, report, lines)
    let places = places.values.map(\.words).sorted()
    let show = controller.show
    try screen.draw { profile in
      let help = [
        "q quit", "arrows cues", "space pause or go on", "b blackout", "+ - tempo", "t tap", "v view", "Ctrl-Z suspend",
      ]
      let footer =
        hasKeys ? profile.wrapped(showsHelp ? help : ["q quit", "arrows cues", "b blackout", "? help"], .dim) : []
      let columns = profile.screenColumns
      return lines.map { ($0, columns) } + [Self.status(report, of: show, places, profile)] + footer
    }
  }

  private static func status(
    _ report: LightingReport?, of show: LightShow, _ places: [String], _ profile: TerminalProfile
  ) -> ScreenLine {
    guard let report else { return profile.line("starting", .dim) }
    let scene = report.scene.flatMap { show.scenes.indices.contains($0) ? show.scenes[$0] : nil } ?? "dark"
    let words =
      [
        String(format: "%.1f BPM  beat %.0f", report.tempo, report.beats.rounded(.down)), scene,
        report.isFading ? "fading" : "", report.isPaused ? "paused" : "", report.isBlackout ? "blackout" : "",
        report.outputs == 0 ? "nothing is sent" : "outputs: \(report.outputs)",
      ] + places
    return profile.line(words.filter { !$0.isEmpty }.joined(separator: "  "), report.isBlackout ? .yellow : .bold)
  }
}

extension VenuePictureOptions.Format {
  /// The lines that a terminal can show.
  static func of(_ profile: TerminalProfile) -> Self {
    guard profile.usesColor, profile.usesUnicode else { return .ascii }
    let colors = ProcessInfo.processInfo.environment["COLORTERM"]
    return ["truecolor", "24bit"].contains(colors) ? .trueColor : .palette
  }
}
