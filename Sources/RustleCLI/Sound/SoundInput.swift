import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

extension OpenedInput {
  /// Opens and starts a device, which ends at the configuration's frame limit.
  static func device(_ configuration: DeviceConfiguration) async throws -> Self {
    try await AudioCapture(configuration).open(bufferDuration: .milliseconds(20))
  }

  /// Reads the sound to its end as one channel, counted from 1, or with nil as the mean of all. It has a progress line, unless the
  /// output itself shows the progress, and a note on a truncated file.
  func forEachMono(
    channel: Int?, log: LogOptions, writesAtOnce: Bool = false, _ take: ([Float]) throws -> Void
  ) async throws {
    var progress = log.progress(total: expectedFrames, writesAtOnce: writesAtOnce)
    defer { progress.end() }
    let selection = ChannelSelection(number: channel)
    var cancellation = ChannelCancellation()
    for try await buffer in buffers() {
      let block = buffer.mono(channel: selection)
      cancellation.add(buffer, selection, mono: block)
      try take(block)
      progress.update(counts.frames)
    }
    try checkIsNotEmpty()
    if let notice = cancellation.notice { log.note("\(name): \(notice)") }
    if let shortness { log.note(shortness) }
  }

  /// Rejects a sample rate; the rate of a file is its data, not the usage.
  func checkRate(in range: ClosedRange<Double>, _ expected: String) throws {
    guard !range.contains(format.sampleRate) else { return }
    throw CommandFailure(
      file == nil ? .usage : .badData,
      "\(name): expected a sample rate of \(expected) Hz, got \(Numbers.plain(format.sampleRate)) Hz",
      advice: "Convert the sound first.")
  }

  /// Returns the result of `make`; an error about the rate or the channels of a file is the file's.
  func fitting<Outcome>(_ make: () throws -> Outcome) throws -> Outcome {
    do {
      return try make()
    } catch let error as AudioError where error.code == .validation && file != nil {
      throw CommandFailure(.badData, "\(name): \(error.message)", advice: "Convert the file first.")
    }
  }

  /// Rejects an input without frames to read; valid at its end, and before it if no frames are expected.
  func checkIsNotEmpty() throws {
    guard counts.frames == 0 else { return }
    let end = counts.skippedFrames > 0 ? counts.skippedFrames : file?.frames ?? 0
    guard firstFrame > 0, end > 0 else {
      let isCut = file?.lengthFault == .noEnd || (file?.promisedFrames ?? file?.frames ?? 0) > 0
      let got = isLive ? "none" : isCut ? "a file that is truncated before any sound" : "a file of 0 frames"
      throw CommandFailure(.badData, "\(name): expected sound, got \(got)")
    }
    func seconds(_ frames: Int) -> String { Numbers.plain(Double(frames) / format.sampleRate) }
    throw CommandFailure(
      .usage, "--from: expected a time before the end of \(name) at \(seconds(end)) s, got \(seconds(firstFrame)) s",
      advice: "Begin earlier.")
  }

  /// The warning about a file with fewer frames than in its header, without its end or a length, or with streams that are not
  /// read; nil otherwise. Valid at the file's end.
  var shortness: String? {
    guard let truncation else {
      switch file?.lengthFault {
      case .noLength: return "\(name): the length in its header is 0; read to the file's end"
      case .furtherStreams:
        let place = file?.seconds.map { " from \(Numbers.plain($0)) s on" } ?? ""
        return "\(name) is a chain of streams: those\(place) are not read, of another rate, other channels or no known "
          + "codec"
      case .noEnd, nil: return nil
      }
    }
    guard let promised = truncation.promised else {
      return "\(name) is truncated: it has \(truncation.found) frames, and not the end of its stream"
    }
    return "\(name) is truncated: its header has \(promised) frames, the file \(truncation.found)"
  }

  /// Measures until the end of the sound or of the run.
  ///
  /// `finish` writes the summary, before the other tasks have ended: one of them may wait for sound without end. It is called
  /// after a failure too, so that a lost device or a damaged file keeps its measurement.
  func run<View: LiveView>(
    view: View?, measure: @escaping @Sendable () async throws -> Void,
    finish: @escaping @Sendable (RunEnding) async throws -> Void
  ) async throws -> RunEnding {
    try await RunEnding.of(view: view) { ending in
      if let ending { try await finish(ending) }
    } tasks: { tasks in
      tasks.addTask {
        do {
          try await measure()
        } catch is BrokenPipe {
          return .readerGone
        } catch {
          if counts.frames > 0 { try? await finish(.streamEnded) }
          throw error
        }
        try checkIsNotEmpty()
        return .streamEnded
      }
    }
  }
}

/// The lines of a measurement on standard output: a header before the first, and no reading after the end.
actor MeasurementLines {
  private let header: String
  private var progress: ProgressLine
  private(set) var isEmpty = true
  private var isOver = false

  init(header: String, progress: sending ProgressLine) { (self.header, self.progress) = (header, progress) }

  /// Writes a reading after this many frames; an empty one is only progress.
  func write(_ reading: String, frames: Int) throws {
    if isOver { return }
    progress.update(frames)
    if !reading.isEmpty { try write(reading) }
  }

  /// Ends the readings; returns false for a second call.
  func end() -> Bool {
    defer { isOver = true }
    progress.end()
    return !isOver
  }

  func write(_ text: String) throws {
    try LineWriter.standardOutput.write((isEmpty ? header : "") + text)
    isEmpty = false
  }
}
