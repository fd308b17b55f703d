import Foundation
import RustleAudio

/// The live view of the tuner: receives updates and keys, and draws changes.
actor LiveTuner: LiveView {
  var screen: LiveScreen
  private let tuner: Tuner
  private let keys: TuneKeys
  private let subject: SoundSubject
  private var options: TunerViewOptions

  private var state = TunerState()
  /// The state shown while the view is paused; the tuner goes on.
  private var frozen: TunerState?
  private var isLearning = false
  private var droppedFrames: Int64 = 0
  private var message: String?
  private var showsHelp = false
  private var isOver = false

  init(tuner: Tuner, keys: TuneKeys, subject: SoundSubject, options: TunerViewOptions, screen: LiveScreen) {
    self.tuner = tuner
    self.subject = subject
    self.keys = keys
    self.options = options
    self.screen = screen
  }

  func show(_ update: TunerUpdate) {
    guard !isOver else { return }
    state = TunerState(update)
    if isLearning && !update.isLearning && update.tuning != options.tuning {
      message = String(format: "learned A4 = %.2f Hz", update.tuning.reference)
    }
    isLearning = update.isLearning
    options.tuning = update.tuning
    droppedFrames = update.droppedFrames
    screen.needsDrawing = screen.needsDrawing || frozen == nil
  }

  /// Replaces the view by the notes and restores the terminal.
  func finish(_ result: TuneResult) throws {
    guard !isOver else { return }
    isOver = true
    defer { screen.end() }
    try screen.draw { TuneTables(format: .text, profile: $0, subject: subject, options: options).lines(result) }
  }

  /// Restores the terminal after a failure; the last picture stays.
  func end() {
    guard !isOver else { return }
    isOver = true
    screen.end()
  }

  /// - Returns: whether the key ends the view.
  func press(_ key: Key) async -> Bool {
    // The present configuration: the tuner may have learned since the last picture.
    let action = keys.action(for: key, await tuner.configuration)
    if action == .none { return false }
    message = nil
    do {
      switch action {
      case .none: break
      case .quit: return true
      case .pause: frozen = frozen == nil ? state : nil
      case .help: showsHelp.toggle()
      case .tuning: try await change(by: key)
      case .instrument(let instrument): try await tuner.set(instrument: instrument)
      case .asBegun:
        await tuner.stopLearning()
        await tuner.set(tuning: keys.start.tuning)
        try await tuner.set(instrument: keys.start.instrument)
      case .learn:
        if await tuner.isLearning { await tuner.stopLearning() } else { try await tuner.learnReference() }
      case .stretch:
        message =
          try await tuner.stretchAsMeasured() == nil ? "no stretch: play some notes first" : "stretched as measured"
      }
    } catch {
      // The key failed; the tuner goes on.
      message = error.message
    }
    let configuration = await tuner.configuration
    (options.tuning, options.instrument) = (configuration.tuning, configuration.instrument)
    isLearning = await tuner.isLearning
    // The reading may be of a string of the previous instrument.
    if case .instrument = action { state = TunerState() }
    screen.needsDrawing = true
    return false
  }

  /// Applies a key to the tuner's present tuning, so that a reference learned in between stays.
  private func change(by key: Key) async throws(AudioError) {
    let (keys, configuration) = (keys, await tuner.configuration)
    try await tuner.update { tuning in
      var now = configuration
      now.tuning = tuning
      if case .tuning(let changed) = keys.action(for: key, now) { tuning = changed }
    }
  }

  func drawIfNeeded() throws { if screen.needsDrawing && !isOver { try draw() } }

  func draw() throws {
    // Reads the screen, before the exclusive access of drawing.
    let footer = footer
    try screen.draw { TunerView(options: options, profile: $0).lines(frozen ?? state, footer: footer) }
  }

  private var footer: String {
    if showsHelp { return TuneKeys.help }
    var parts: [String] = []
    if frozen != nil { parts.append("paused") }
    if isLearning { parts.append("learning A4: play a note") }
    if droppedFrames > 0 { parts.append("DROPPED \(droppedFrames) frames") }
    if let message { parts.append(message) }
    if screen.hasKeys { parts.append("q quit  ? help") }
    return parts.joined(separator: "   ")
  }
}
