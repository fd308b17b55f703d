/// A view that is redrawn in place on a terminal: it receives updates and keys, and draws changes.
protocol LiveView: Actor {
  var screen: LiveScreen { get set }

  /// Handles a key.
  ///
  /// - Returns: whether the key ends the run.
  func press(_ key: Key) async throws -> Bool
  /// Draws the present picture.
  func draw() throws
  /// Restores the terminal, by default under the last picture. A second call does nothing.
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

  func end() { screen.end() }

  func resized() { screen.needsDrawing = true }

  func drawIfNeeded() throws { if screen.needsDrawing { try draw() } }

  /// Shows the view during a run.
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
