import Foundation
import RustleAudio
import RustleAudioFiles
import Synchronization

/// An open sound: a file, raw samples or a device. It can be read once.
struct SoundInput: AudioInput {
  /// The name in messages: the path, `standard input`, or `device demo`.
  let name: String
  /// The rate and the channels of the sound.
  let format: AudioFormat
  /// The file's format; nil for raw samples and devices.
  let file: AudioFileFormat?
  /// Whether it is a device, which runs in real time without an end.
  var isLive: Bool { capture != nil }
  /// The counts of frames read so far.
  let tally: SoundTally
  /// The first frame to read; earlier frames are skipped.
  let firstFrame: Int
  private let source: SoundBuffers.Source
  /// The capturing device; nil for a file.
  private let capture: AudioCapture?
  private let frameLimit: Int64?

  /// Opens a sound file.
  ///
  /// - Parameters:
  ///   - from: the time to begin at, in seconds.
  ///   - seconds: the longest duration to read; nil for all.
  static func file(_ path: String, from: Double = 0, seconds: Double? = nil) async throws -> Self {
    let buffers = try await AudioFileInput(path: path).buffers()
    return Self(
      name: name(path), format: buffers.format, file: buffers.fileFormat, source: buffers, from: from, seconds: seconds)
  }

  /// Opens samples without a header.
  static func raw(
    _ path: String, format: AudioFormat, encoding: PCMEncoding, from: Double = 0, seconds: Double? = nil
  ) async throws -> Self {
    // A pipe delivers full buffers: 20 ms are short enough for a live view.
    let frames = max(1, Int(format.sampleRate / 50))
    let input = RawPCMInput(path: path, format: format, encoding: encoding, blockFrames: frames)
    return Self(
      name: name(path), format: format, file: nil, source: try await input.buffers(), from: from, seconds: seconds)
  }

  /// Opens and starts a device, which ends at the configuration's frame limit.
  static func device(_ configuration: DeviceConfiguration) async throws -> Self {
    let capture = try AudioCapture(configuration)
    let buffers = try await capture.buffers(of: .milliseconds(20))
    return Self(
      name: "device \(configuration.device)", format: configuration.format, file: nil,
      source: buffers, capture: capture)
  }

  private init<Buffers: AsyncSequence & Sendable>(
    name: String, format: AudioFormat, file: AudioFileFormat?, source: Buffers, capture: AudioCapture? = nil,
    from: Double = 0, seconds: Double? = nil
  ) where Buffers.Element == PCMBuffer {
    self.name = name
    self.format = format
    self.file = file
    self.source = source.map { (buffer) throws in buffer }
    self.capture = capture
    tally = SoundTally()
    let first = Int((from * format.sampleRate).rounded())
    firstFrame = first
    // Both ends are rounded to frames, so that consecutive parts contain each frame once.
    frameLimit = seconds.map { Int64(max(1, Int(((from + $0) * format.sampleRate).rounded()) - first)) }
  }

  private static func name(_ path: String) -> String {
    path == AudioFileReader.standardInputPath ? "standard input" : path
  }

  /// The number of frames to read; nil if unknown.
  var expectedFrames: Int? {
    let inFile = file.flatMap(\.frames).map { max(0, $0 - firstFrame) }
    guard let frameLimit else { return inFile }
    return min(inFile ?? .max, Int(frameLimit))
  }

  /// The remaining buffers. A sample that is not finite is a `CommandFailure`.
  func buffers() -> SoundBuffers {
    SoundBuffers(
      source: source, capture: capture, name: name, firstFrame: firstFrame, frameLimit: frameLimit, tally: tally)
  }

  /// Reads the sound to its end as one channel.
  ///
  /// - Parameters:
  ///   - channel: counted from 1; nil for the mean of all.
  ///   - progress: shows the progress.
  ///   - take: receives the samples of each buffer.
  func forEachMono(channel: Int?, progress: ProgressLine, _ take: ([Float]) throws -> Void) async throws {
    var progress = progress
    defer { progress.end() }
    let selection: ChannelSelection = channel.map { .channel($0 - 1) } ?? .mix
    var block: [Float] = []
    for try await buffer in buffers() {
      selection.reduce(buffer.samples, channels: buffer.format.channels, into: &block)
      try take(block)
      progress.update(tally.frames)
    }
    try checkIsNotEmpty()
  }

  /// Stops a device at once, and returns when it is closed.
  func close() async { await capture?.shutDown() }

  /// Rejects an input without frames; to be called at its end.
  func checkIsNotEmpty() throws {
    guard tally.frames == 0 else { return }
    if firstFrame > 0 && tally.skipped > 0 { throw beginsTooLate(end: tally.skipped) }
    throw CommandFailure(.badData, "\(name): expected sound, got \(isLive ? "none" : "a file of 0 frames")")
  }

  /// The failure of an input that ends before the first frame to read.
  func beginsTooLate(end: Int) -> CommandFailure {
    CommandFailure(
      .usage,
      "--from: expected a time before the end of \(name) at \(seconds(end)) s, got \(seconds(firstFrame)) s",
      advice: "begin earlier")
  }

  private func seconds(_ frames: Int) -> String { String(format: "%.6g", Double(frames) / format.sampleRate) }

  /// The warning about a file with fewer frames than in its header; nil otherwise. Valid at the file's end.
  var shortness: String? {
    guard !isLive, tally.frames > 0, let file else { return nil }
    // A part of a file may end before the file.
    if let expectedFrames, file.promisedFrames == nil, tally.frames >= expectedFrames { return nil }
    if let frameLimit, tally.frames >= frameLimit { return nil }
    return file.shortness(of: name, framesRead: firstFrame + tally.frames)
  }
}

/// The counts of an input's frames; safe to read from any task.
final class SoundTally: Sendable {
  private let counts = Mutex((frames: 0, skipped: 0, dropped: Int64(0), overruns: 0))

  /// The number of frames read.
  var frames: Int { counts.withLock { $0.frames } }
  /// The number of frames skipped before the first frame to read.
  var skipped: Int { counts.withLock { $0.skipped } }
  /// The number of a device's dropped frames, because the command or the device was too slow.
  var droppedFrames: Int64 { counts.withLock { $0.dropped } }
  /// The number of a device's overruns.
  var overruns: Int { counts.withLock { $0.overruns } }

  fileprivate func skip(_ frames: Int) { counts.withLock { $0.skipped += frames } }

  fileprivate func count(_ buffer: PCMBuffer) {
    counts.withLock {
      $0.frames += buffer.frameCount
      $0.dropped += buffer.droppedFrames
      $0.overruns = buffer.overruns
    }
  }
}

/// The buffers of a ``SoundInput``, with their count.
struct SoundBuffers: AsyncSequence, Sendable {
  /// The sequence of the input's buffers.
  typealias Source = any AsyncSequence<PCMBuffer, any Error> & Sendable

  fileprivate let source: Source
  fileprivate let capture: AudioCapture?
  fileprivate let name: String
  fileprivate let firstFrame: Int
  fileprivate let frameLimit: Int64?
  fileprivate let tally: SoundTally

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  struct Iterator: AsyncIteratorProtocol {
    private var base: any AsyncIteratorProtocol<PCMBuffer, any Error>
    private let buffers: SoundBuffers

    fileprivate init(_ buffers: SoundBuffers) {
      self.buffers = buffers
      base = buffers.source.makeAsyncIterator()
    }

    mutating func next() async throws -> PCMBuffer? { try await next(isolation: #isolation) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> PCMBuffer? {
      let done = buffers.tally.frames
      let left = buffers.frameLimit.map { Int(clamping: $0 - Int64(done)) } ?? .max
      guard left > 0, let buffer = try await wanted(isolation: actor) else { return nil }
      if let place = buffer.samples.firstIndex(where: { !$0.isFinite }) {
        throw CommandFailure(
          .badData,
          "\(buffers.name): expected finite samples, got \(buffer.samples[place]) in frame "
            + "\(buffers.tally.skipped + done + place / buffer.format.channels + 1)")
      }
      let cut = buffer.frameCount <= left ? buffer : buffer.prefix(left)
      buffers.tally.count(cut)
      return cut
    }

    /// The next buffer from the first frame to read on.
    private mutating func wanted(isolation actor: isolated (any Actor)?) async throws -> PCMBuffer? {
      while let buffer = try await base.next(isolation: actor) {
        let early = Swift.min(buffer.frameCount, buffers.firstFrame - buffers.tally.skipped)
        guard early > 0 else { return buffer }
        buffers.tally.skip(early)
        if early < buffer.frameCount { return buffer.dropFirst(early) }
      }
      return nil
    }
  }
}

extension PCMBuffer {
  /// The buffer without its first frames.
  fileprivate func dropFirst(_ frames: Int) -> Self {
    Self(
      format: format, samples: Array(samples.dropFirst(frames * format.channels)), position: position + Int64(frames),
      droppedFrames: droppedFrames, overruns: overruns)
  }

  /// The buffer's first frames.
  fileprivate func prefix(_ frames: Int) -> Self {
    Self(
      format: format, samples: Array(samples.prefix(frames * format.channels)), position: position,
      droppedFrames: droppedFrames, overruns: overruns)
  }
}

extension AudioFileFormat {
  /// The warning about a file with fewer frames than in its header; nil otherwise.
  ///
  /// - Parameter framesRead: the number of frames in the file.
  func shortness(of name: String, framesRead: Int) -> String? {
    guard let promised = promisedFrames ?? frames, framesRead < promised else { return nil }
    // The header of an MP3 has its length to a coded frame only.
    guard container != "MP3" || framesRead < promised - 1_152 else { return nil }
    return "\(name) is truncated: expected \(promised) frames as in its header, got \(framesRead)"
  }
}
