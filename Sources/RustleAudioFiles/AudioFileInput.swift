public import RustleAudio
internal import RustleCore

/// The sound of a file, from its beginning to its end.
///
/// ```swift
/// for try await buffer in try await AudioFileInput(path: "take1.flac").buffers() {
///   try await meter.process(buffer)
/// }
/// ```
public struct AudioFileInput: AudioInput {
  /// The file's path; `-` is standard input.
  public let path: String
  /// The number of frames per buffer, at least 1; the last buffer has the remaining ones.
  public let bufferFrameCount: Int

  /// - Parameters:
  ///   - path: the file's path, or `-` for standard input, which can be read once.
  ///   - bufferFrameCount: the number of frames per buffer, at least 1.
  /// - Precondition: `bufferFrameCount` is at least 1.
  public init(path: String, bufferFrameCount: Int = 4_096) {
    precondition(bufferFrameCount >= 1, "bufferFrameCount must be at least 1, got \(bufferFrameCount)")
    self.path = path
    self.bufferFrameCount = bufferFrameCount
  }

  /// Opens the file and returns its sound from the beginning. Each call opens the file anew; standard input can be read once.
  ///
  /// - Throws: ``AudioFileError`` as `AudioFileReader.init(path:)`, and `unsupported` for a sample rate or a number of
  ///   channels out of the ranges of ``AudioFormat``.
  public func buffers() async throws(AudioFileError) -> Buffers {
    let reader = try AudioFileReader(path: path)
    let format: AudioFormat
    do {
      format = try AudioFormat(sampleRate: reader.format.sampleRate, layout: reader.layout)
    } catch {
      throw AudioFileError(.unsupported, path: path, reason: error.message, advice: "Convert the file first.")
    }
    return Buffers(reading: Reading(reader, format: format, bufferFrameCount: bufferFrameCount))
  }

  /// One reading of the file: the file's position is shared by its iterators, and each buffer goes to one of them.
  ///
  /// A buffer is read when it is asked for, on a thread of the concurrency runtime and not on the actor that asks; at most one
  /// block is read that no iterator takes. It ends with the file, when the task is cancelled, and after an error with
  /// `readFailed`.
  public struct Buffers: AsyncSequence, Sendable {
    /// The format of all buffers.
    public var format: AudioFormat { reading.format }
    /// The properties that the file reports.
    public var fileFormat: AudioFileFormat { reading.fileFormat }
    fileprivate let reading: Reading

    fileprivate init(reading: Reading) { self.reading = reading }

    /// Makes an iterator that continues at the current position.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: reading) }

    /// Reads block by block.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      fileprivate let reading: Reading

      /// The next buffer, nil at the end of the file and when the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(AudioFileError) -> PCMBuffer? {
        if Task.isCancelled { return nil }
        return try await reading.next()
      }
    }
  }

  /// A file's position, one reader at a time.
  fileprivate final class Reading: Sendable {
    private struct Position: ~Copyable {
      var reader: AudioFileReader
      var frames: Int64 = 0
      var isAtEnd = false
    }

    let format: AudioFormat
    let fileFormat: AudioFileFormat
    private let bufferFrameCount: Int
    private let position: SeenMutex<Position>

    init(_ reader: consuming sending AudioFileReader, format: AudioFormat, bufferFrameCount: Int) {
      self.format = format
      self.bufferFrameCount = bufferFrameCount
      fileFormat = reader.format
      position = SeenMutex(Position(reader: reader))
    }

    @concurrent
    func next() async throws(AudioFileError) -> PCMBuffer? {
      try read()
    }

    private func read() throws(AudioFileError) -> PCMBuffer? {
      try position.withLock { position throws(AudioFileError) in
        if position.isAtEnd { return nil }
        var samples: [Float] = []
        // The end is remembered, also after an error: nothing is read after it.
        position.isAtEnd = true
        let frames = try position.reader.read(into: &samples, maximumFrameCount: bufferFrameCount)
        guard frames > 0 else { return nil }
        position.isAtEnd = false
        defer { position.frames += Int64(frames) }
        return PCMBuffer(format: format, wholeFrames: samples, position: position.frames)
      }
    }
  }
}
