internal import Foundation
public import RustleAudio
internal import RustleFiles
internal import RustleCore

/// Raw PCM, interleaved samples without a header, from standard input or a file.
///
/// ```swift
/// // arecord -f S16_LE -r 48000 -c 2 -t raw | …
/// let input = RawPCMInput(format: try AudioFormat(sampleRate: 48_000, channels: 2), encoding: .s16le)
/// ```
public struct RawPCMInput: AudioInput {
  /// The file's path; `-` is standard input.
  public let path: String
  /// The rate and the channels, as specified.
  public let format: AudioFormat
  /// The encoding of a sample, as specified.
  public let encoding: PCMEncoding
  /// The number of frames per buffer, at least 1; the last buffer has the remaining ones.
  public let bufferFrameCount: Int

  /// - Parameters:
  ///   - path: the file's path, or `-` for standard input, which can be read once.
  ///   - format: the rate and the channels of the samples.
  ///   - encoding: the encoding of a sample.
  ///   - bufferFrameCount: the number of frames per buffer, at least 1. A buffer of a pipe is delivered when it is full.
  /// - Precondition: `bufferFrameCount` is at least 1.
  public init(
    path: String = AudioFileReader.standardInputPath, format: AudioFormat, encoding: PCMEncoding,
    bufferFrameCount: Int = 4_096
  ) {
    precondition(bufferFrameCount >= 1, "bufferFrameCount must be at least 1, got \(bufferFrameCount)")
    self.path = path
    self.format = format
    self.encoding = encoding
    self.bufferFrameCount = bufferFrameCount
  }

  /// Opens the file and returns its sound from the beginning. Each call opens the file anew; standard input can be read once.
  ///
  /// - Throws: ``AudioFileError`` with `notFound`, `notReadable` or `readFailed`.
  public func buffers() async throws(AudioFileError) -> Buffers {
    let handle: FileHandle
    if path == AudioFileReader.standardInputPath {
      handle = .standardInput
    } else {
      try SoundFile.checkIsReadable(path)
      do {
        handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      } catch {
        throw AudioFileError(
          .readFailed, path: path, reason: "the file could not be opened: \(SystemError.reason(behind: error))",
          advice: "Check the file.")
      }
    }
    return Buffers(reading: Reading(handle, of: self))
  }

  /// One reading of the samples: the position is shared by its iterators, and each buffer goes to one of them.
  ///
  /// A buffer is read when it is asked for, on a thread of the concurrency runtime and not on the actor that asks; that
  /// thread waits when a pipe has nothing, and a cancelled task ends when the pipe's next block or end has come. It ends with
  /// the sound, when the task is cancelled, and after an error: `readFailed`, or `unfinishedFrame`, which comes behind all
  /// whole frames.
  public struct Buffers: AsyncSequence, Sendable {
    fileprivate let reading: Reading

    fileprivate init(reading: Reading) { self.reading = reading }

    /// Makes an iterator that continues at the current position.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: reading) }

    /// Reads block by block.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      fileprivate let reading: Reading

      /// The next buffer, nil at the end of the sound and when the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(AudioFileError) -> PCMBuffer? {
        if Task.isCancelled { return nil }
        let buffer = try await reading.next()
        return Task.isCancelled ? nil : buffer
      }
    }
  }

  /// The position in the samples, one reader at a time.
  fileprivate final class Reading: Sendable {
    private struct Position {
      let handle: FileHandle
      var decoder: PCMDecoder
      var frames: Int64 = 0
      var isAtEnd = false
    }

    private let path: String
    private let format: AudioFormat
    private let blockBytes: Int
    private let position: SeenMutex<Position>

    init(_ handle: FileHandle, of input: RawPCMInput) {
      path = input.path
      format = input.format
      let decoder = PCMDecoder(encoding: input.encoding, channels: input.format.channels)
      blockBytes = input.bufferFrameCount * decoder.frameBytes
      position = SeenMutex(Position(handle: handle, decoder: decoder))
    }

    @concurrent
    func next() async throws(AudioFileError) -> PCMBuffer? {
      try read()
    }

    private func read() throws(AudioFileError) -> PCMBuffer? {
      try position.withLock { position throws(AudioFileError) in
        if position.isAtEnd { return nil }
        // The end is remembered, also after an error: nothing is read after it.
        position.isAtEnd = true
        let bytes: Data
        do {
          bytes = try position.handle.read(upToCount: blockBytes) ?? Data()
        } catch {
          throw AudioFileError(
            .readFailed, path: path, reason: "reading stopped early: \(SystemError.reason(behind: error))",
            advice: "Check that its medium is readable.")
        }
        var samples: [Float] = []
        position.decoder.decode(bytes, into: &samples)
        guard !samples.isEmpty else {
          try checkIsWhole(position.decoder)
          return nil
        }
        position.isAtEnd = false
        let buffer = PCMBuffer(format: format, wholeFrames: samples, position: position.frames)
        position.frames += Int64(buffer.frameCount)
        return buffer
      }
    }

    private func checkIsWhole(_ decoder: PCMDecoder) throws(AudioFileError) {
      guard decoder.pendingBytes > 0 else { return }
      throw AudioFileError(
        .unfinishedFrame, path: path,
        reason: "expected whole frames of \(decoder.frameBytes) bytes, got \(decoder.pendingBytes) bytes more",
        advice: "Check the channels and the encoding (\(decoder.encoding.rawValue)), or that the sound is complete.")
    }
  }
}
