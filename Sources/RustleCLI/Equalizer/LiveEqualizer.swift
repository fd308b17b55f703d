import Foundation
import RustleAudio

/// The live view of an equalizer: takes keys and levels in, sets the equalizer, and draws itself when something changed.
actor LiveEqualizer {
  private let equalizer: Equalizer
  private let session: TerminalSession
  private let write: @Sendable (String) throws -> Void
  private let makeProfile: @Sendable () -> TerminalProfile
  private let save: @Sendable (EqualizerSettings) throws -> String
  private var desk: EqualizerDesk
  private var status: EqualizerPanel.Status
  private var frame = LiveFrame()
  private var needsDrawing = true

  /// - Parameters:
  ///   - save: writes a preset and returns what to say about it.
  ///   - makeProfile: asks the terminal what it can show, for every picture anew, since its size changes.
  init(
    equalizer: Equalizer, desk: EqualizerDesk, hasKeys: Bool, session: TerminalSession,
    save: @escaping @Sendable (EqualizerSettings) throws -> String,
    makeProfile: @escaping @Sendable () -> TerminalProfile, write: @escaping @Sendable (String) throws -> Void
  ) {
    self.equalizer = equalizer
    self.desk = desk
    self.session = session
    self.save = save
    self.makeProfile = makeProfile
    self.write = write
    status = EqualizerPanel.Status(hasKeys: hasKeys)
  }

  func begin() throws {
    try session.begin()
    try draw()
  }

  /// Draws the last picture and gives the terminal back.
  func end() {
    status.hasKeys = false
    if desk.showsHelp { _ = desk.press(.help) }
    try? draw()
    session.end()
  }

  func show(_ state: EqualizerState) {
    status.state = state
    needsDrawing = true
  }

  /// - Returns: whether the key ends the view.
  func press(_ key: Key) async -> Bool {
    let action = desk.press(key)
    needsDrawing = true
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

  /// Stops with the process and comes back with it.
  func suspend() throws {
    try session.suspend()
    frame.forget()
    needsDrawing = true
  }

  func resized() { needsDrawing = true }

  /// Draws when something changed since the last picture.
  func drawIfNeeded() throws {
    if needsDrawing { try draw() }
  }

  private func draw() throws {
    let profile = makeProfile()
    try write(frame.draw(EqualizerPanel(profile: profile).lines(desk, status), columns: profile.columns))
    needsDrawing = false
  }
}
