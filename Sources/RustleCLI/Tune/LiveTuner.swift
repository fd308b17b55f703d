import Foundation
import RustleAudio
import RustleAudioFiles

/// The live view of the tuner: receives updates and keys, and draws changes.
actor LiveTuner: LiveView {
  var screen: LiveScreen
  private let tuner: Tuner
  private let start: TunerConfiguration
  private let subject: SoundSubject
  private var options: TunerViewOptions

  private var update: TunerUpdate?
  private var isPaused = false
  /// The update shown while the view is paused; the tuner goes on.
  private var frozen: TunerUpdate?
  private var isLearning = false
  private var message: String?

  static let help = [
    "q quit", "arrows A4", "i instrument", "t temperament", "l learn", "s stretch", "r restore", "? hide this",
  ]

  init(
    tuner: Tuner, start: TunerConfiguration, subject: SoundSubject, options: TunerViewOptions, screen: LiveScreen
  ) {
    (self.tuner, self.start, self.subject, self.options, self.screen) = (tuner, start, subject, options, screen)
  }

  func show(_ update: TunerUpdate) {
    self.update = update
    if isLearning && !update.isLearning && update.tuning != options.tuning {
      message = String(format: "learned A4 = %.2f Hz", update.tuning.reference)
    }
    isLearning = update.isLearning
    options.tuning = update.tuning
    screen.needsDrawing = screen.needsDrawing || !isPaused
  }

  func notice(_ text: String) {
    message = text
    screen.needsDrawing = true
  }

  /// Replaces the view by the notes and restores the terminal.
  func finish(_ result: TuneResult) throws {
    defer { screen.end() }
    try screen.draw { TuneTables(format: .text, profile: $0, subject: subject, options: options).lines(result) }
  }

  func press(_ key: Key) async -> Bool {
    if key == .quit { return true }
    do {
      message = try await handle(key)
    } catch {
      // The key failed; the tuner goes on.
      message = error.message
    }
    let configuration = await tuner.configuration
    // The reading may be of a string of the previous instrument.
    if configuration.instrument != options.instrument { update = nil }
    (options.tuning, options.instrument) = (configuration.tuning, configuration.instrument)
    isLearning = await tuner.isLearning
    screen.needsDrawing = true
    return false
  }

  /// Applies a key; returns a message.
  private func handle(_ key: Key) async throws(AudioError) -> String? {
    switch key {
    case .pause: (isPaused, frozen) = (!isPaused, update)
    case .help: screen.showsHelp.toggle()
    case .up, .letter("+"): try await moveReference(by: 1)
    case .down, .letter("-"): try await moveReference(by: -1)
    case .right: try await moveReference(by: 0.1)
    case .left: try await moveReference(by: -0.1)
    case .letter("i"):
      let presets = [.chromatic] + Instrument.Preset.allCases.map { Instrument($0) }
      let instrument = await tuner.configuration.instrument
      try await tuner.set(instrument: Self.following(instrument, in: presets, start.instrument))
    case .letter("t"):
      let presets = Temperament.Preset.allCases.map { Temperament($0) }
      try await tuner.update { [start] tuning in
        let next = Self.following(tuning.temperament, in: presets, start.tuning.temperament)
        tuning = tuning.with(temperament: next)
      }
    case .letter("s"):
      guard await tuner.configuration.tuning.stretch == nil else {
        try await tuner.update { $0 = $0.with(stretch: nil) }
        return nil
      }
      return try await tuner.stretchAsMeasured() == nil ? "no stretch: play some notes first" : "stretched as measured"
    case .letter("l"):
      if await tuner.isLearning { await tuner.stopLearning() } else { try await tuner.learnReference() }
    case .restart:
      await tuner.stopLearning()
      await tuner.set(tuning: start.tuning)
      try await tuner.set(instrument: start.instrument)
    case .quit, .letter, .pageUp, .pageDown, .home, .end: return message
    }
    return nil
  }

  private func moveReference(by hertz: Double) async throws(AudioError) {
    try await tuner.update { $0 = $0.movingReference(by: hertz) }
  }

  /// The value after another, in a circle of the presets and, if it is none of them, the initial one.
  private static func following<Value: Equatable>(_ value: Value, in presets: [Value], _ initial: Value) -> Value {
    let values = presets.contains(initial) ? presets : [initial] + presets
    return values[values.firstIndex(of: value).map { ($0 + 1) % values.count } ?? 0]
  }

  func draw() throws {
    var parts = [
      isPaused ? "paused" : nil, isLearning ? "learning A4: play a note" : nil,
      update.flatMap { $0.droppedFrames > 0 ? "DROPPED \($0.droppedFrames) frames" : nil }, message,
    ].compactMap(\.self)
    if screen.hasKeys { parts += ["q quit", "? help"] }
    let footer = screen.showsHelp ? Self.help : parts
    try screen.draw { TunerView(options: options, profile: $0).lines(isPaused ? frozen : update, footer: footer) }
  }
}
