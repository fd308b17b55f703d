internal import ArgumentParser
import RustleAudio
import RustleAudioFiles

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
          } catch is BrokenPipe {
            return .readerGone
          } catch {
            if tally.frames > 0 { try? await finish(.streamEnded) }
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

extension SoundInput {
  /// Returns the result of `make`; an error about the rate or the channels of a file is the file's.
  func fitting<Outcome>(_ make: () throws -> Outcome) throws -> Outcome {
    do {
      return try make()
    } catch let error as AudioError where error.code == .validation && file != nil {
      throw CommandFailure(.badData, "\(name): \(error.message)", advice: "convert the file first")
    }
  }
}

extension SoundInputOptions {
  /// Whether the sound is that of a file, which is read as fast as it can be.
  var isFile: Bool { input != nil && input != AudioFileReader.standardInputPath }

  /// Opens the input, measures it and closes it.
  ///
  /// - Parameters:
  ///   - example: a command that reads standard input: `rustle meter -`.
  ///   - seconds: the longest duration to read; nil for all.
  ///   - png: the picture that `measure` draws.
  /// - Throws: `ExitCode` after a signal; what `open` and `measure` throw.
  func measured(
    for example: String, seconds: Double?, png: String? = nil, log: LogOptions,
    by measure: (SoundInput) async throws -> RunEnding
  ) async throws {
    let input = try await open(for: example, seconds: seconds)
    let ending: RunEnding
    do {
      ending = try await measure(input)
    } catch {
      await input.close()
      throw error
    }
    if let shortness = input.shortness, ending == .streamEnded { log.note(shortness) }
    if let png { log.noteWritten(png) }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}
