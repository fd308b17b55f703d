import Foundation
import RustleAudio
import RustleAudioFiles
import Synchronization

/// Sound that is open, behind one type wherever it comes from. It is read once.
struct SoundInput: AudioInput {
  /// What texts call it: the path, `standard input`, or `device demo`.
  let name: String
  /// The rate and the channels of the sound.
  let format: AudioFormat
  /// What a file says about itself; nil for raw samples and devices.
  let file: AudioFileFormat?
  /// Whether it goes on in its own time: a device, which has no end of its own.
  var isLive: Bool { capture != nil }
  /// What has been read so far.
  let tally: SoundTally
  /// The frame of the sound that is read first; those before it are passed over.
  let firstFrame: Int
  private let source: SoundBuffers.Source
  /// The device, which lives as long as its sound is wanted.
  private let capture: AudioCapture?
  private let frameLimit: Int64?

  /// Opens a sound file.
  ///
  /// - Parameters:
  ///   - from: the time in it that is read first, in seconds.
  ///   - seconds: how much of it is read at most; nil: all.
  static func file(_ path: String, from: Double = 0, seconds: Double? = nil) async throws -> Self {
    let buffers = try await AudioFileInput(path: path).buffers()
    return Self(
      name: name(path), format: buffers.format, file: buffers.fileFormat, source: buffers, from: from, seconds: seconds)
  }

  /// Opens samples without a header.
  static func raw(
    _ path: String, format: AudioFormat, encoding: PCMEncoding, from: Double = 0, seconds: Double? = nil
  ) async throws -> Self {
    // A pipe's buffers come when they are full: 20 ms are soon enough for a live view.
    let frames = max(1, Int(format.sampleRate / 50))
    let input = RawPCMInput(path: path, format: format, encoding: encoding, blockFrames: frames)
    return Self(
      name: name(path), format: format, file: nil, source: try await input.buffers(), from: from, seconds: seconds)
  }

  /// Opens a device, which begins to run; it ends by itself at the configuration's limit.
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
    // Both ends are rounded to frames, so that parts that follow one another hold each frame once.
    frameLimit = seconds.map { Int64(max(1, Int(((from + $0) * format.sampleRate).rounded()) - first)) }
  }

  private static func name(_ path: String) -> String {
    path == AudioFileReader.standardInputPath ? "standard input" : path
  }

  /// The frames that there are to read, as far as that is known.
  var expectedFrames: Int? {
    let inFile = file.flatMap(\.frames).map { max(0, $0 - firstFrame) }
    guard let frameLimit else { return inFile }
    return min(inFile ?? .max, Int(frameLimit))
  }

  /// The buffers from here on. A sample that is no number is a `CommandFailure`.
  func buffers() -> SoundBuffers {
    SoundBuffers(
      source: source, capture: capture, name: name, firstFrame: firstFrame, frameLimit: frameLimit, tally: tally)
  }

  /// Reads the sound to its end as one channel.
  ///
  /// - Parameters:
  ///   - channel: counted from 1; nil: the mean of all.
  ///   - progress: shows how far it is.
  ///   - take: takes some samples at a time.
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

  /// Ends a device at once, and returns when it is closed.
  func close() async { await capture?.shutDown() }

  /// Refuses an input of which nothing could be read; to be called at its end.
  func checkIsNotEmpty() throws {
    guard tally.frames == 0 else { return }
    if firstFrame > 0 && tally.skipped > 0 { throw beginsTooLate(end: tally.skipped) }
    throw CommandFailure(.badData, "\(name): expected sound, got \(isLive ? "none" : "a file of 0 frames")")
  }

  /// The failure of an input that ends before the frame that was to be the first.
  func beginsTooLate(end: Int) -> CommandFailure {
    CommandFailure(
      .usage,
      "--from: expected a time before the end of \(name), which is at \(seconds(end)) s, got \(seconds(firstFrame)) s",
      advice: "begin earlier")
  }

  private func seconds(_ frames: Int) -> String { String(format: "%.6g", Double(frames) / format.sampleRate) }

  /// What is to be said about a file that ended before its header said so; to be asked at its end.
  var shortness: String? {
    guard !isLive, tally.frames > 0, let file else { return nil }
    // A part that was asked for may end before the file does.
    if let expectedFrames, file.promisedFrames == nil, tally.frames >= expectedFrames { return nil }
    if let frameLimit, tally.frames >= frameLimit { return nil }
    return file.shortness(of: name, framesRead: firstFrame + tally.frames)
  }
}

/// Counts what has been read of an input; any task may look.
final class SoundTally: Sendable {
  private let counts = Mutex((frames: 0, skipped: 0, lost: Int64(0), overruns: 0))

  /// The frames that were read.
  var frames: Int { counts.withLock { $0.frames } }
  /// The frames before the first one that was wanted.
  var skipped: Int { counts.withLock { $0.skipped } }
  /// The frames of a device that were lost, because the command or the device was too slow.
  var droppedFrames: Int64 { counts.withLock { $0.lost } }
  /// How often the device ran over.
  var overruns: Int { counts.withLock { $0.overruns } }

  fileprivate func skip(_ frames: Int) { counts.withLock { $0.skipped += frames } }

  fileprivate func count(_ buffer: PCMBuffer) {
    counts.withLock {
      $0.frames += buffer.frameCount
      $0.lost += buffer.droppedFrames
      $0.overruns = buffer.overruns
    }
  }
}

/// The buffers of a ``SoundInput``, each of which is counted.
struct SoundBuffers: AsyncSequence, Sendable {
  /// Where they come from.
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

    /// The next buffer, without what is before the first frame that is wanted.
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
  /// The frames behind the first ones.
  fileprivate func dropFirst(_ frames: Int) -> Self {
    Self(
      format: format, samples: Array(samples.dropFirst(frames * format.channels)), position: position + Int64(frames),
      droppedFrames: droppedFrames, overruns: overruns)
  }

  /// The first frames.
  fileprivate func prefix(_ frames: Int) -> Self {
    Self(
      format: format, samples: Array(samples.prefix(frames * format.channels)), position: position,
      droppedFrames: droppedFrames, overruns: overruns)
  }
}

extension AudioFileFormat {
  /// What is to be said about a file that ended before its header said so; nil where it did not.
  ///
  /// - Parameter framesRead: the frames from its beginning to the end that was found.
  func shortness(of name: String, framesRead: Int) -> String? {
    guard let promised = promisedFrames ?? frames, framesRead < promised else { return nil }
    // The header of an MP3 tells its length to a coded frame only.
    guard container != "MP3" || framesRead < promised - 1_152 else { return nil }
    return "\(name) is cut short: its header promises \(promised) frames, and there are \(framesRead)"
  }
}
