public import RustleAudio
internal import RustleCore

/// An input that is open: its format is known before its sound is read, once, as a whole or in part.
///
/// ```swift
/// let sound = try await AudioFileInput(path: "take1.flac").open(from: .seconds(60), duration: .seconds(15))
/// let meter = try SoundLevelMeter(format: sound.format)
/// for try await reading in try await meter.readings(of: sound) {
///   print(reading.level, sound.counts.frames, sound.expectedFrames ?? 0)
/// }
/// ```
///
/// A sample that is not finite ends the buffers with ``AudioFileError/Code/notFinite``. A part that begins at the end or later
/// has no buffers.
public struct OpenedInput: AudioInput {
  /// The name in messages: the path, `standard input`, or `device` and its name.
  public package(set) var name: String
  /// The rate and the channels of the sound.
  public let format: AudioFormat
  /// The properties that a file reports; nil for raw samples and devices.
  public let file: AudioFileFormat?
  /// The first frame to read, from 0; the frames before it are skipped.
  public let firstFrame: Int

  private let frameLimit: Int?
  private let source: Buffers.Source
  /// The capture of a device; nil for other inputs.
  private let capture: AudioCapture?
  private let shared = SharedCounts()

  fileprivate init<Source: AsyncSequence & Sendable>(
    name: String, format: AudioFormat, file: AudioFileFormat? = nil, source: Source, capture: AudioCapture? = nil,
    from: Duration = .zero, duration: Duration? = nil
  ) where Source.Element == PCMBuffer {
    func frames(_ seconds: Double) -> Int { Int(exactly: (seconds * format.sampleRate).rounded()) ?? .max }
    self.name = name == AudioFileReader.standardInputPath ? "standard input" : name
    self.format = format
    self.file = file
    self.source = source.map { (buffer) throws in buffer }
    self.capture = capture
    let first = max(0, frames(from / .seconds(1)))
    firstFrame = first
    // Both ends are rounded, so that consecutive parts have each frame once.
    frameLimit = duration.map { max(1, frames(from / .seconds(1) + $0 / .seconds(1)) - first) }
  }

  /// Whether it is a device, which captures in real time and without an end.
  public var isLive: Bool { capture != nil }

  /// The number of frames to read; nil if unknown.
  public var expectedFrames: Int? {
    let inFile = file?.frames.map { max(0, $0 - firstFrame) }
    return frameLimit.map { min(inFile ?? .max, $0) } ?? inFile
  }

  /// The counts of a reading, in frames.
  public struct Counts: Sendable, Hashable {
    /// Frames read.
    public internal(set) var frames = 0
    /// Frames skipped before the first one to read.
    public internal(set) var skippedFrames = 0
    /// Frames that a device dropped.
    public internal(set) var droppedFrames: Int64 = 0
    /// Overruns of the device.
    public internal(set) var overruns = 0
  }

  /// The counts so far; any task may take them.
  public var counts: Counts { shared.counts.withLock(\.self) }

  /// The remaining sound; for one consumer.
  public func buffers() -> Buffers { Buffers(input: self, source: source) }

  /// Ends a device's capture, and returns when the device is closed. Does nothing for other inputs.
  public func close() async { await capture?.shutDown() }

  /// The numbers of frames that the header of a truncated file promises, nil if it does not say, and that are there; nil of any
  /// other input. To be taken at the end of the buffers.
  public var truncation: (promised: Int?, found: Int)? {
    let read = counts.frames
    guard read > 0, let file, file.lengthFault != .furtherStreams else { return nil }
    // A part may end before the file.
    if let frameLimit, read >= frameLimit { return nil }
    let found = firstFrame + read
    // The headers of these are exact to a coded frame.
    let coded = ["MP3": 1_152, "M4A": 2_048][file.container] ?? 0
    if let promised = file.promisedFrames ?? file.frames, found < promised - coded { return (promised, found) }
    return file.lengthFault == .noEnd ? (nil, found) : nil
  }

  /// The buffers of an ``OpenedInput``, which they count.
  public struct Buffers: AsyncSequence, Sendable {
    fileprivate typealias Source = any AsyncSequence<PCMBuffer, any Error> & Sendable

    fileprivate let input: OpenedInput
    fileprivate let source: Source

    /// Makes an iterator that continues at the current position.
    public func makeAsyncIterator() -> Iterator { Iterator(input: input, base: source.makeAsyncIterator()) }

    /// Reads buffer by buffer.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let input: OpenedInput
      fileprivate var base: any AsyncIteratorProtocol<PCMBuffer, any Error>

      /// The next buffer, nil at the end of the part and when the task is cancelled.
      public mutating func next() async throws -> PCMBuffer? { try await next(isolation: #isolation) }

      /// The next buffer, nil at the end of the part and when the task is cancelled; waits in the isolation of `actor`.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws -> PCMBuffer? {
        let counts = input.counts
        let left = input.frameLimit.map { $0 - counts.frames } ?? .max
        guard left > 0, let buffer = try await wanted(isolation: actor) else { return nil }
        let cut = buffer.frames(0..<Swift.min(left, buffer.frameCount))
        let peak = cut.samples.span.peak
        if !peak.isFinite, let index = cut.samples.firstIndex(where: { !$0.isFinite }) {
          let frame = input.counts.skippedFrames + counts.frames + index / cut.format.channels + 1
          throw AudioFileError(
            .notFinite, path: input.name,
            reason: "expected finite samples, got \(cut.samples[index]) in frame \(frame)",
            advice: "Write the sound again, without NaN and infinity.")
        }
        input.shared.counts.withLock {
          $0.frames += cut.frameCount
          $0.droppedFrames += cut.droppedFrames
          $0.overruns = cut.overruns
        }
        return cut.knowing(peak: peak)
      }

      /// The next buffer from the first frame to read on.
      private mutating func wanted(isolation actor: isolated (any Actor)?) async throws -> PCMBuffer? {
        while let buffer = try await base.next(isolation: actor) {
          let early = Swift.min(buffer.frameCount, input.firstFrame - input.counts.skippedFrames)
          guard early > 0 else { return buffer }
          input.shared.counts.withLock { $0.skippedFrames += early }
          if early < buffer.frameCount { return buffer.frames(early..<buffer.frameCount) }
        }
        return nil
      }
    }
  }

  fileprivate final class SharedCounts: Sendable {
    let counts = SeenMutex(Counts())
  }
}

extension AudioFileInput {
  /// Opens the file and reads its properties; the sound is read later.
  ///
  /// - Parameters:
  ///   - from: the time in the file to begin at, rounded to a frame.
  ///   - duration: the most sound to read, at least a frame; nil: to the end.
  /// - Throws: as ``buffers()``.
  public func open(from: Duration = .zero, duration: Duration? = nil) async throws(AudioFileError) -> OpenedInput {
    let buffers = try await buffers()
    return OpenedInput(
      name: path, format: buffers.format, file: buffers.fileFormat, source: buffers, from: from, duration: duration)
  }
}

extension RawPCMInput {
  /// Opens the file or standard input; the sound is read later.
  ///
  /// - Parameters:
  ///   - from: the time in the sound to begin at, rounded to a frame.
  ///   - duration: the most sound to read, at least a frame; nil: to the end.
  /// - Throws: as ``buffers()``.
  public func open(from: Duration = .zero, duration: Duration? = nil) async throws(AudioFileError) -> OpenedInput {
    OpenedInput(name: path, format: format, source: try await buffers(), from: from, duration: duration)
  }
}

extension AudioCapture {
  /// Opens the device, which captures from now on, up to the configuration's limit.
  ///
  /// - Parameter duration: the most sound in a buffer, as for ``buffers(of:)``.
  /// - Throws: as ``buffers(of:)``.
  public func open(bufferDuration duration: Duration = .milliseconds(100)) throws(AudioError) -> OpenedInput {
    OpenedInput(
      name: "device \(configuration.device)", format: configuration.format, source: try buffers(of: duration),
      capture: self)
  }
}
