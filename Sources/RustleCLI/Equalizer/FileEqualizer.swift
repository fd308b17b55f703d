internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

/// Equalizes a sound into a file or into standard output.
struct FileEqualizer: Sendable {
  let input: SoundInput
  let output: SoundDestination
  let recipe: EqualizerRecipe
  let options: AudioFileWriter.Options
  let isBypassed: Bool
  /// Says what has to be said on standard error.
  let note: @Sendable (String) -> Void

  /// Writes the file, until it is done or a signal has come, whichever is first.
  ///
  /// - Parameters:
  ///   - isWatched: whether somebody looks at standard error, for a line that says how far it is.
  ///   - signals: those that end the work.
  /// - Throws: `ExitCode` after a signal; otherwise as ``run(isWatched:)``.
  func run(isWatched: Bool, until signals: AsyncStream<Int32>) async throws -> EqualizerSummary {
    try await withThrowingTaskGroup(of: EqualizerSummary?.self) { group in
      group.addTask { try await run(isWatched: isWatched) }
      group.addTask { [output] in
        for await number in signals {
          let status = RunEnding.signal(number).status.rawValue
          // A pipe that gives nothing holds its reader up for as long as it likes; the signal ends the process all the
          // same.
          Task.detached {
            try? await Task.sleep(for: .seconds(1))
            output.discard()
            exit(status)
          }
          throw ExitCode(status)
        }
        return nil
      }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let result { return result }
      }
      throw CancellationError()
    }
  }

  /// Writes the sound; a file is put in its place.
  ///
  /// - Parameter isWatched: whether somebody looks at standard error, for a line that says how far it is.
  /// - Throws: `CommandFailure` or an error that is one; the file that was there before is as it was then.
  func run(isWatched: Bool) async throws -> EqualizerSummary {
    let format = input.format
    guard format.channels <= 2 else {
      throw CommandFailure(
        .badData, "\(input.name): expected one or two channels, got \(format.channels)",
        advice: "take two of them, for example with: sox \(input.name) two.wav remix 1 2")
    }
    let prepared = try recipe.prepared(sampleRate: format.sampleRate)
    for text in prepared.notes { note(text) }
    if format.channels == 1 && prepared.settings.left != prepared.settings.right {
      note("\(input.name) is mono: the bands of the left channel are used")
    }
    let equalizer = try Equalizer(format: format, settings: prepared.settings)
    if isBypassed {
      try await equalizer.setBypassed(true)
      // From the first sample on, without the way there that a listener would want.
      try equalizer.reset()
    }
    return try await write(with: equalizer, settings: prepared.settings, isWatched: isWatched)
  }

  private func write(
    with equalizer: Equalizer, settings: EqualizerSettings, isWatched: Bool
  ) async throws -> EqualizerSummary {
    let format = input.format
    let sink = try output.sink(format: format, options: options)
    var (before, after) = (PeakTally(channels: format.channels), PeakTally(channels: format.channels))
    var progress = ProgressLine(total: input.expectedFrames, isEnabled: isWatched)
    defer { progress.end() }
    for try await buffer in input.buffers() {
      try Task.checkCancellation()
      let equalized = try equalizer.process(buffer)
      before.add(buffer.samples)
      after.add(equalized.samples)
      try sink.append(equalized)
      progress.update(input.tally.frames)
    }
    try Task.checkCancellation()
    try input.checkIsNotEmpty()
    if let shortness = input.shortness { note(shortness) }
    try sink.finish()
    return EqualizerSummary(
      input: input.name, output: output.name, container: sink.container, encoding: options.encoding, format: format,
      frames: sink.framesWritten, peaksBefore: before.peaks, peaksAfter: after.peaks,
      clippedSamples: sink.clippedSamples,
      preamp: isBypassed ? 0 : settings.preamp, isBypassed: isBypassed,
      automaticPreamp: try settings.automaticPreamp(sampleRate: format.sampleRate))
  }
}

/// The highest sample of each channel.
private struct PeakTally {
  private(set) var peaks: [Float]

  init(channels: Int) { peaks = Array(repeating: 0, count: channels) }

  mutating func add(_ samples: [Float]) {
    let count = peaks.count
    var channel = 0
    for sample in samples {
      peaks[channel] = max(peaks[channel], abs(sample))
      channel = channel + 1 == count ? 0 : channel + 1
    }
  }
}
