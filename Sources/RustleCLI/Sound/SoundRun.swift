import RustleAudio

extension SoundInput {
  /// Measures the sound until its end, or until something else ends the run.
  ///
  /// - Parameters:
  ///   - view: what is drawn meanwhile; nil: lines are written to standard output.
  ///   - measure: reads the sound to its end.
  ///   - finish: writes what there is to say in sum, before the other tasks have ended: one of them may wait for sound that does
  ///     not come. After a failure it is called, too: what was measured before a device was lost, or a file turned out to be
  ///     damaged, is not lost with it.
  func run<View: LiveView>(
    view: View?, measure: @escaping @Sendable () async throws -> Void,
    finish: @escaping @Sendable (RunEnding) async throws -> Void
  ) async throws -> RunEnding {
    do {
      let ending = try await RunEnding.of(view: view) { ending in
        if let ending { try await finish(ending) }
      } tasks: { tasks in
        tasks.addTask {
          do {
            try await measure()
          } catch {
            if tally.frames > 0, !(error is BrokenPipe) { try? await finish(.streamEnded) }
            throw error
          }
          try checkIsNotEmpty()
          return .streamEnded
        }
      }
      await close()
      return ending
    } catch {
      await close()
      throw error
    }
  }
}
