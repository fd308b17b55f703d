internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

/// The options for reading and writing files.
struct EqualizerFileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Sample encoding: s16, s24; s32 and f32 in a WAV file only. (default: s24)", valueName: "encoding"))
  var encoding: AudioFileWriter.Encoding?

  @Flag(help: "Replace an existing file.")
  var overwrite = false

  @Flag(help: "Add triangular dither of one quantization step before rounding to integers.")
  var dither = false

  @OptionGroup var samples: RawInputOptions

  @Flag(name: .customLong("no-header"), help: "Write samples alone to standard output, little-endian.")
  var isWithoutHeader = false

  /// The options of the output's writer.
  ///
  /// - Parameter output: the name of the output; its extension selects the container. `-` is standard output.
  func options(of output: String) throws -> AudioFileWriter.Options {
    let end =
      output == AudioFileReader.standardInputPath ? "wav" : URL(fileURLWithPath: output).pathExtension.lowercased()
    guard let container: AudioFileWriter.Container = ["wav": .wav, "wave": .wav, "flac": .flac][end] else {
      throw CommandFailure(
        .usage, "\(output): expected a name that ends with .wav or .flac, got '\(end)'", advice: "rename the output")
    }
    return AudioFileWriter.Options(
      container: container, encoding: encoding ?? .int24, overwrite: true, dither: dither)
  }
}

extension EqualizerCommand {
  /// Equalizes a file into a file, until its end or a signal.
  func equalize(_ path: String, into out: String) async throws {
    let options = try file.options(of: out)
    let isStream = out == AudioFileReader.standardInputPath
    if isStream && StandardStream.isTerminal(StandardStream.output) {
      throw CommandFailure(
        .usage, "expected standard output to be a file or a pipe, got a terminal",
        advice: "pipe the sound on: rustle eq take1.flac - | aplay")
    }
    if !isStream { try OutputPath.check(out, option: "the file to write", isNot: path) }
    let request = try settings.request()
    let newFile = isStream ? nil : try NewFile(out, mayReplace: file.overwrite)
    // Signals are handled before a temporary file exists.
    let signals = await Signals.stream(of: RunEnding.signals)
    let input = try await file.samples.open(
      path, rate: device.rate, channels: device.channels, example: "rustle eq - out.wav")
    let job = FileEqualizer(
      input: input, file: newFile, request: request, options: options,
      hasHeader: !file.isWithoutHeader, isBypassed: settings.bypass, isQuiet: log.quiet)
    defer { newFile?.discard() }
    let summary = try await job.run(until: signals)
    if let advice = summary.adviceOnClipping { log.note(advice) }
    let text = summary.text(output.effectiveFormat, profile: output.profile)
    // With sound on standard output, text is written on request only.
    if !isStream { return try LineWriter.standardOutput.write(text) }
    if output.effectiveFormat != .auto { try LineWriter.standardError.write(text) }
  }
}

/// Equalizes a sound into a file or into standard output.
struct FileEqualizer: Sendable {
  let input: SoundInput
  /// The output file; nil for standard output.
  let file: NewFile?
  let request: EqualizerRequest
  let options: AudioFileWriter.Options
  /// Whether standard output begins with the header of a WAV file.
  let hasHeader: Bool
  let isBypassed: Bool
  let isQuiet: Bool

  /// Writes the sound, until its end or a signal.
  ///
  /// - Throws: `ExitCode` after a signal; otherwise as ``run()``.
  func run(until signals: AsyncStream<Int32>) async throws -> EqualizerSummary {
    try await withThrowingTaskGroup(of: EqualizerSummary?.self) { group in
      group.addTask { try await run() }
      group.addTask {
        for await number in signals {
          let status = RunEnding.signal(number).status.rawValue
          // A read from an idle pipe blocks without limit; the signal ends the process nonetheless.
          Task.detached {
            try? await Task.sleep(for: .seconds(1))
            file?.discard()
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

  private func note(_ text: String) {
    if !isQuiet { try? LineWriter.standardError.write("rustle: \(text)\n") }
  }

  /// Writes the sound; a finished file replaces its predecessor.
  ///
  /// - Throws: `CommandFailure` or an error that converts to one; an existing file is unchanged then.
  private func run() async throws -> EqualizerSummary {
    let format = input.format
    guard format.channels <= 2 else {
      throw CommandFailure(
        .badData, "\(input.name): expected one or two channels, got \(format.channels)",
        advice: "select two, for example with: sox \(input.name) two.wav remix 1 2")
    }
    let (settings, notes) = try request.prepared(sampleRate: format.sampleRate)
    for text in notes { note(text) }
    if format.channels == 1 && settings.left != settings.right {
      note("\(input.name) is mono: the bands of the left channel are used")
    }
    let equalizer = try await Equalizer(format: format, settings: settings, isBypassed: isBypassed)
    let output = try EqualizerOutput(file, format: format, options: options, hasHeader: hasHeader)
    var (before, after): (Float, Float) = (0, 0)
    var progress = ProgressLine(
      total: input.expectedFrames, isEnabled: !isQuiet && StandardStream.isTerminal(StandardStream.error))
    defer { progress.end() }
    for try await buffer in input.buffers() {
      try Task.checkCancellation()
      let equalized = try equalizer.process(buffer)
      before = buffer.samples.reduce(before) { max($0, abs($1)) }
      after = equalized.samples.reduce(after) { max($0, abs($1)) }
      try output.append(equalized)
      progress.update(input.tally.frames)
    }
    try Task.checkCancellation()
    try input.checkIsNotEmpty()
    if let shortness = input.shortness { note(shortness) }
    let clipped = output.clippedSamples
    try output.finish()
    return EqualizerSummary(
      input: input.name, output: file?.name ?? "standard output", container: output.container,
      encoding: options.encoding, format: format, frames: Int64(input.tally.frames), peakBefore: before,
      peakAfter: after, clippedSamples: clipped, preamp: isBypassed ? 0 : settings.preamp, isBypassed: isBypassed,
      automaticPreamp: try settings.automaticPreamp(sampleRate: format.sampleRate))
  }
}

extension Equalizer {
  /// Creates an equalizer. With `isBypassed`, the bypass applies from the first sample, without a crossfade.
  init(format: AudioFormat, settings: EqualizerSettings, isBypassed: Bool) async throws {
    try self.init(format: format, settings: settings)
    guard isBypassed else { return }
    try setBypassed(true)
    try reset()
  }
}

/// The output of equalized sound: a file, which replaces its predecessor once complete, or standard output.
private final class EqualizerOutput {
  /// The container: `WAV`, `FLAC`, or `raw`.
  let container: String
  private let file: NewFile?
  private var writer: AudioFileWriter?
  private var stream: EncodedStream?
  private var hasBegun = false

  init(_ file: NewFile?, format: AudioFormat, options: AudioFileWriter.Options, hasHeader: Bool) throws {
    self.file = file
    guard let file else {
      container = hasHeader ? AudioFileWriter.Container.wav.rawValue : "raw"
      stream = try EncodedStream(
        format: format, encoding: options.encoding, dither: options.dither, hasHeader: hasHeader,
        name: "standard output")
      return
    }
    do {
      let writer = try AudioFileWriter(path: file.path, format: format, options: options)
      container = writer.container.rawValue
      self.writer = consume writer
    } catch {
      throw error.failure(of: file)
    }
  }

  var clippedSamples: Int { stream?.clippedSamples ?? writer?.clippedSamples ?? 0 }

  func append(_ buffer: PCMBuffer) throws {
    if let bytes = try stream?.encode(buffer) {
      // The header precedes the first sound: for an empty input nothing is written.
      if !hasBegun, let header = stream?.header { try LineWriter.standardOutput.write(header) }
      hasBegun = true
      return try LineWriter.standardOutput.write(bytes)
    }
    do {
      try writer?.append(buffer)
    } catch {
      throw error.failure(of: file)
    }
  }

  /// Completes the output; a file replaces its predecessor.
  func finish() throws {
    do {
      try writer.take()?.finish()
    } catch {
      throw error.failure(of: file)
    }
    try file?.commit()
  }
}

extension AudioFileError {
  /// The failure behind a writer's error, under the file's final name.
  fileprivate func failure(of file: NewFile?) -> any Error {
    guard let file, let failure = CommandFailure(self) else { return self }
    // An encoding that the container does not support is a usage error.
    let status: ExitStatus = code == .unsupported ? .usage : failure.status
    return CommandFailure(status, failure.message.replacing(file.path, with: file.name), advice: failure.advice)
  }
}
