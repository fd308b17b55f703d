import RustleAudio

extension SoundInput {
  /// Measures until the end of the sound or of the run.
  ///
  /// - Parameters:
  ///   - view: the live view; nil for lines on standard output.
  ///   - measure: reads the sound to its end.
  ///   - finish: writes the summary, before the other tasks have ended: one of them may wait for sound without end. It is
  ///     called after a failure too, so that a lost device or a damaged file keeps its measurement.
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
