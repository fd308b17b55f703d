package import Foundation
public import RustleAudio
internal import RustleFiles

/// The result of equalizing a sound.
public struct EqualizedSound: Sendable, Hashable {
  /// The frames of the sound.
  public internal(set) var frames: Int64 = 0
  /// The largest absolute sample of all channels before the equalizer; full scale is 1.
  public internal(set) var peakBefore: Float = 0
  /// The largest absolute sample of all channels after the equalizer; full scale is 1.
  public internal(set) var peakAfter: Float = 0
  /// The samples beyond the range of the encoding; see ``AudioFileWriter/clippedSamples``.
  public internal(set) var clippedSamples = 0

  package init(frames: Int64 = 0, peakBefore: Float = 0, peakAfter: Float = 0, clippedSamples: Int = 0) {
    self.frames = frames
    self.peakBefore = peakBefore
    self.peakAfter = peakAfter
    self.clippedSamples = clippedSamples
  }
}

extension Equalizer {
  /// Equalizes an input to its end into a file, which is written beside `path` and renamed once complete.
  ///
  /// ```swift
  /// let input = AudioFileInput(path: "take1.flac")
  /// let equalizer = try Equalizer(format: try await input.buffers().format, settings: settings)
  /// let sound = try await equalizer.write(input, to: "take1-eq.wav")
  /// if sound.clippedSamples > 0 { print("too loud") }
  /// ```
  ///
  /// - Parameters:
  ///   - input: sound of the equalizer's format.
  ///   - path: the file, as of ``AudioFileWriter/init(path:format:options:)``. A link is followed.
  ///   - options: the container, the encoding and others.
  ///   - automation: gains over time, from the input's first frame on. They are exact every 44 ms (40 ms and 192 frames); between,
  ///     they are within a fifth of the change in that time, and a jump takes 40 ms. The settings stay as they were.
  ///   - onProgress: receives the number of frames written so far, after each buffer.
  /// - Throws: `AudioError` for sound of another format, ``AudioFileError`` of the file, the error of the input, and
  ///   `CancellationError`; what was at the path is left as it was.
  public nonisolated func write(
    _ input: some AudioInput, to path: String, options: AudioFileWriter.Options = AudioFileWriter.Options(),
    automation: EqualizerAutomation? = nil, onProgress: (Int64) -> Void = { _ in }
  ) async throws -> EqualizedSound {
    try await write(input, to: path, options: options, automation: automation, onProgress: onProgress) {}
  }

  /// Equalizes an input into a file, as above. A cancellation removes the incomplete file at once, also while the input waits
  /// for sound.
  ///
  /// - Parameter check: may refuse the complete sound before it replaces a file.
  package nonisolated func write(
    _ input: some AudioInput, to path: String, options: AudioFileWriter.Options,
    automation: EqualizerAutomation? = nil, onProgress: (Int64) -> Void,
    check: () throws -> Void
  ) async throws -> EqualizedSound {
    var options = options
    options.container = if let chosen = options.container { chosen } else { try .init(path: path) }
    try OutputFile.check(path, overwrite: options.overwrite)
    let replacement = FileReplacement(of: path)
    if replacement.isProtected { throw OutputFile.permissionDenied(path) }
    replacement.discardLeftovers()
    return try await withTaskCancellationHandler {
      defer { replacement.discard() }
      do {
        var writer = try AudioFileWriter(path: replacement.path, format: format, options: options)
        try Task.checkCancellation()
        var sound = try await equalize(input, automation) { buffer, frames in
          try writer.append(buffer)
          onProgress(frames)
        }
        sound.clippedSamples = writer.clippedSamples
        try writer.finish()
        try check()
        try OutputFile.check(path, overwrite: options.overwrite)
        guard let reason = replacement.commit() else { return sound }
        throw AudioFileError(
          .notWritable, path: path, reason: "cannot be renamed: \(reason)",
          advice: "Check the folder, or choose another.")
      } catch let error as AudioFileError where error.path == replacement.path {
        throw AudioFileError(error.code, path: path, reason: error.reason, advice: error.advice)
      }
    } onCancel: {
      replacement.discard()
    }
  }

  /// Equalizes an input to its end into the bytes of a stream; the header precedes the first sound.
  package nonisolated func write(
    _ input: some AudioInput, as stream: EncodedStream, automation: EqualizerAutomation? = nil,
    onProgress: (Int64) -> Void, to sink: (Data) throws -> Void
  ) async throws -> EqualizedSound {
    var stream = stream
    var sound = try await equalize(input, automation) { buffer, frames in
      if stream.framesWritten == 0, !stream.header.isEmpty { try sink(stream.header) }
      try sink(stream.encode(buffer))
      onProgress(frames)
    }
    sound.clippedSamples = stream.clippedSamples
    return sound
  }

  private nonisolated func equalize(
    _ input: some AudioInput, _ automation: EqualizerAutomation?, _ take: (PCMBuffer, Int64) throws -> Void
  ) async throws -> EqualizedSound {
    guard let automation else { return try await equalize(input, by: { try process($0) }, take) }
    let settings = try await begin(automation)
    do {
      let sound = try await equalize(
        input, by: { try await process($0, following: automation, of: settings) }, take)
      try await end(settings)
      return sound
    } catch {
      try? await end(settings)
      throw error
    }
  }

  /// Equalizes a buffer in pieces that end where the automation has its next gains.
  private nonisolated func process(
    _ buffer: PCMBuffer, following automation: EqualizerAutomation, of settings: EqualizerSettings
  ) async throws -> PCMBuffer {
    var samples: [Float] = []
    samples.reserveCapacity(buffer.samples.count)
    var first = 0
    while first < buffer.frameCount {
      let offset = (Int(buffer.position) + first) % automationFrames
      if offset == 0 { try await follow(automation, of: settings, from: Int(buffer.position) + first) }
      let end = min(buffer.frameCount, first + automationFrames - offset)
      samples += try process(buffer.frames(first..<end)).samples
      first = end
    }
    return PCMBuffer(format: format, wholeFrames: samples, position: buffer.position)
  }

  private nonisolated func equalize(
    _ input: some AudioInput, by process: (PCMBuffer) async throws -> PCMBuffer,
    _ take: (PCMBuffer, Int64) throws -> Void
  ) async throws -> EqualizedSound {
    var sound = EqualizedSound()
    for try await buffer in try await input.buffers() {
      try Task.checkCancellation()
      let equalized = try await process(buffer)
      sound.frames += Int64(buffer.frameCount)
      let before = buffer.peak ?? buffer.samples.span.peak
      let isUnchanged = equalized.samples.span.hasSameBits(as: buffer.samples.span)
      let after = isUnchanged ? before : equalized.samples.span.peak
      sound.peakBefore = max(sound.peakBefore, before.isNaN ? buffer.samples.span.peakOfNumbers : before)
      sound.peakAfter = max(sound.peakAfter, after.isNaN ? equalized.samples.span.peakOfNumbers : after)
      try take(equalized.knowing(peak: after), sound.frames)
    }
    try Task.checkCancellation()
    return sound
  }
}
