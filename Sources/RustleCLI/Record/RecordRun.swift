import Foundation
import RustleAudio
import RustleAudioFiles

/// One recording of the command, from its start until one of the things that end it. The file is closed when it returns.
struct RecordRun {
  let capture: AudioCapture
  let path: String
  let options: AudioFileWriter.Options

  /// Writes a line for each interval, and one at the end.
  func lines(_ lines: RecordLines, to output: LineWriter) async throws -> RunEnding {
    // Signals are taken before anything starts, so that none falls between.
    let signals = await Signals.stream(of: RunEnding.signals)
    let recorder = Recorder()
    let progress = await recorder.progress()
    let (ending, recording) = try await record(with: recorder) { tasks in
      tasks.addTask {
        var next = lines.interval
        for await progress in progress where progress.duration >= next {
          while next <= progress.duration { next += lines.interval }
          try output.write(lines.line(progress))
        }
        return nil
      }
      // The file is closed in milliseconds: nobody needs to be shot for it.
      tasks.addEndingsOfLines(signals: signals, isForced: false)
    }
    if ending != .readerGone { try? output.write(lines.summary(recording)) }
    return ending
  }

  /// Shows the levels, and takes keys.
  func view(_ view: LiveRecord) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.viewSignals)
    let recorder = Recorder()
    let progress = await recorder.progress()
    let keys = await view.screen.keys()
    let (ending, recording) = try await view.whileShown {
      try await record(with: recorder) { tasks in
        tasks.addTask {
          for await progress in progress { await view.apply(progress) }
          return nil
        }
        tasks.add(view, signals: signals, keys: keys) { key in
          switch await view.press(key) {
          case .stop: return true
          case .pauseOrResume: try await Self.pauseOrResume(recorder)
          case nil: break
          }
          return false
        }
      }
    }
    try? LineWriter.standardOutput.write(RecordLines(format: .text).summary(recording))
    return ending
  }

  private static func pauseOrResume(_ recorder: Recorder) async throws {
    switch await recorder.state {
    case .recording: try await recorder.pause()
    case .paused: try await recorder.resume()
    // The recording has just ended by itself.
    case .idle, .starting: break
    }
  }

  /// Records until the input ends or one of the tasks says how the run ends.
  private func record(
    with recorder: Recorder, _ addTasks: (inout RunTasks) -> Void
  ) async throws -> (RunEnding, Recording) {
    try await recorder.start(capture, format: capture.configuration.format, to: path, options: options)
    let ending = try await RunEnding.first { tasks in
      addTasks(&tasks)
      tasks.addTask {
        // What became of it is asked for below.
        _ = try? await recorder.finished()
        return .streamEnded
      }
    } settle: { _ in
      // The task above waits for the end of the recording.
      _ = try? await recorder.stop()
    }
    return (ending, try await recorder.stop())
  }
}
