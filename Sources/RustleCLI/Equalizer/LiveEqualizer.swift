import Foundation
import RustleAudio

/// The live view of an equalizer: takes keys and levels in, sets the equalizer, and draws itself when something changed.
actor LiveEqualizer: LiveView {
  var screen: LiveScreen
  private let equalizer: Equalizer
  private let save: @Sendable (EqualizerSettings) throws -> String
  private var desk: EqualizerDesk
  private var status: EqualizerPanel.Status

  /// - Parameter save: writes a preset and returns what to say about it.
  init(
    equalizer: Equalizer, desk: EqualizerDesk, screen: LiveScreen,
    save: @escaping @Sendable (EqualizerSettings) throws -> String
  ) {
    self.equalizer = equalizer
    self.desk = desk
    self.screen = screen
    self.save = save
    status = EqualizerPanel.Status(hasKeys: screen.hasKeys)
  }

  func end() {
    status.hasKeys = false
    if desk.showsHelp { _ = desk.press(.help) }
    try? draw()
    screen.end()
  }

  func show(_ state: EqualizerState) {
    status.state = state
    screen.needsDrawing = true
  }

  /// - Returns: whether the key ends the view.
  func press(_ key: Key) async -> Bool {
    let action = desk.press(key)
    screen.needsDrawing = true
    status.message = nil
    do {
      switch action {
      case .none: break
      case .quit: return true
      case .bypass: try await equalizer.setBypassed(desk.isBypassed)
      case .apply:
        let prepared = try desk.recipe.prepared(sampleRate: equalizer.format.sampleRate)
        try await equalizer.set(prepared.settings)
        status.message = desk.recipe.isSolved ? prepared.notes.last : nil
      case .save: status.message = try save(await equalizer.settings)
      }
    } catch {
      // What a key asked for was not done; the sound goes on.
      status.message = CommandFailure(error)?.message ?? error.localizedDescription
    }
    return false
  }

  func draw() throws {
    try screen.draw { EqualizerPanel(profile: $0).lines(desk, status) }
  }
}
