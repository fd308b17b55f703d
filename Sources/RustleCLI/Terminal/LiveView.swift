/// A view that is redrawn in place on a terminal: it takes news and keys in, and draws itself when something changed.
protocol LiveView: Actor {
  var screen: LiveScreen { get set }

  /// Does what a key asks for.
  ///
  /// - Returns: whether the key ends the run.
  func press(_ key: Key) async throws -> Bool
  /// Draws the picture as it is now.
  func draw() throws
  /// Draws the last picture, which offers no keys any more, and gives the terminal back. The second call does nothing.
  func end()
  /// Draws when something changed since the last picture.
  func drawIfNeeded() throws
}

extension LiveView {
  func begin() throws {
    try screen.begin()
    try draw()
  }

  func suspend() throws { try screen.suspend() }

  func resized() { screen.needsDrawing = true }

  func drawIfNeeded() throws { if screen.needsDrawing { try draw() } }

  /// The terminal is the view's while the run goes on.
  nonisolated func whileShown<Outcome: Sendable>(_ run: () async throws -> Outcome) async throws -> Outcome {
    try await begin()
    do {
      let outcome = try await run()
      await end()
      return outcome
    } catch {
      await end()
      throw error
    }
  }
}
