import Foundation
import RustleAudio
import RustleAudioFiles

/// One recording of the command, from its start until one of the things that end it. The file is closed when it returns.
struct RecordRun {
  let capture: AudioCapture
  let path: String
  let options: AudioFileWriter.Options

  /// Pictures a second on a terminal, at most.
  private static let framesPerSecond = 20

  /// Writes a line for each interval, and one at the end.
  func lines(_ lines: RecordLines, to output: LineWriter) async throws -> RunEnding {
    // Signals are taken before anything starts, so that none falls between.
    let signals = await Signals.stream(of: RunEnding.signals)
    let recorder = Recorder()
    let progress = await recorder.progress()
    let (ending, recording) = try await record(with: recorder) { group in
      group.addTask {
        var next = lines.interval
        for await progress in progress where progress.duration >= next {
          while next <= progress.duration { next += lines.interval }
          try output.write(lines.line(progress))
        }
        return nil
      }
      group.addTask { await Self.signal(from: signals) }
      group.addTask { await RunEnding.readerGone(from: StandardStream.output) }
    }
    if ending != .readerGone { try? output.write(lines.summary(recording)) }
    return ending
  }

  /// Shows the levels, and takes keys.
  func view(_ view: LiveRecord, keys: AsyncStream<Key>?) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.signals + [SIGTSTP, SIGWINCH])
    let recorder = Recorder()
    let progress = await recorder.progress()
    try await view.begin()
    do {
      let (ending, recording) = try await record(with: recorder) { group in
        group.addTask {
          for await progress in progress { await view.apply(progress) }
          return nil
        }
        group.addTask {
          for await number in signals {
            switch number {
            case SIGTSTP: try await view.suspend()
            case SIGWINCH: await view.resized()
            default: return .signal(number)
            }
          }
          return nil
        }
        group.addTask {
          while !Task.isCancelled {
            try await view.drawIfNeeded()
            try? await Task.sleep(for: .seconds(1) / Self.framesPerSecond)
          }
          return nil
        }
        if let keys {
          group.addTask {
            for await key in keys {
              switch await view.press(key) {
              case .stop: return .quit
              case .pauseOrResume: try await Self.pauseOrResume(recorder)
              case nil: break
              }
            }
            return nil
          }
        }
      }
      await view.end()
      try? LineWriter.standardOutput.write(RecordLines(format: .text).summary(recording))
      return ending
    } catch {
      await view.end()
      throw error
    }
  }

  private static func pauseOrResume(_ recorder: Recorder) async throws {
    switch await recorder.state {
    case .recording: try await recorder.pause()
    case .paused: try await recorder.resume()
    // The recording has just ended by itself.
    case .idle, .starting: break
    }
  }

  /// The file is closed in milliseconds: nobody needs to be shot for it.
  private static func signal(from signals: AsyncStream<Int32>) async -> RunEnding? {
    for await number in signals { return .signal(number) }
    return nil
  }

  /// Records until the input ends or one of the tasks says how the run ends; nil says nothing.
  private func record(
    with recorder: Recorder, _ addTasks: (inout ThrowingTaskGroup<RunEnding?, any Error>) -> Void
  ) async throws -> (RunEnding, Recording) {
    try await recorder.start(capture, format: capture.configuration.format, to: path, options: options)
    let ending = try await withThrowingTaskGroup(of: RunEnding?.self) { group in
      addTasks(&group)
      group.addTask {
        // What became of it is asked for below.
        _ = try? await recorder.finished()
        return .streamEnded
      }
      defer { group.cancelAll() }
      do {
        while let ending = try await group.next() {
          guard let ending else { continue }
          // Before the group waits for the task above.
          _ = try? await recorder.stop()
          return ending
        }
        return .streamEnded
      } catch {
        _ = try? await recorder.stop()
        throw error
      }
    }
    return (ending, try await recorder.stop())
  }
}
