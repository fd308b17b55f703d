import RustleAudio
import RustleAudioFiles

/// Where equalized sound goes.
enum SoundDestination: Sendable {
  /// A file, which is put in its place when it is whole.
  case file(PartFile)
  /// Standard output: a WAV file without a length, or samples alone.
  case standardOutput(hasHeader: Bool)

  /// What texts call it.
  var name: String {
    switch self {
    case .file(let part): part.target
    case .standardOutput: "standard output"
    }
  }

  /// Opens it.
  func sink(format: AudioFormat, options: AudioFileWriter.Options) throws -> any SoundSink {
    switch self {
    case .file(let part): try FileSink(part, format: format, options: options)
    case .standardOutput(let hasHeader): try StreamSink(format: format, options: options, hasHeader: hasHeader)
    }
  }

  /// Takes away what is not whole.
  func discard() {
    if case .file(let part) = self { part.discard() }
  }
}

/// Takes equalized sound, from its beginning to its end.
protocol SoundSink: AnyObject {
  /// What kind of file it is: `WAV`, `FLAC`, or `raw`.
  var container: String { get }
  var framesWritten: Int64 { get }
  var clippedSamples: Int { get }

  func append(_ buffer: AudioBuffer) throws
  /// Says that there is no more: the file is in its place then.
  func finish() throws
}

/// A file.
private final class FileSink: SoundSink {
  let container: String
  private(set) var framesWritten: Int64 = 0
  private(set) var clippedSamples = 0
  private let part: PartFile
  private var writer: AudioFileWriter?

  init(_ part: PartFile, format: AudioFormat, options: AudioFileWriter.Options) throws {
    self.part = part
    let writer = try part.withItsName { () throws(AudioFileError) in
      try AudioFileWriter(path: part.path, format: format, options: options)
    }
    container = writer.container.rawValue
    self.writer = consume writer
  }

  func append(_ buffer: AudioBuffer) throws {
    do {
      try writer?.append(buffer)
    } catch {
      throw part.failure(error)
    }
    framesWritten = writer?.framesWritten ?? framesWritten
    clippedSamples = writer?.clippedSamples ?? clippedSamples
  }

  func finish() throws {
    do {
      try writer.take()?.finish()
    } catch {
      throw part.failure(error)
    }
    try part.commit()
  }
}

/// Standard output. What was written is written: an error behind it cannot take it back.
private final class StreamSink: SoundSink {
  let container: String
  private var stream: EncodedStream
  private var hasBegun = false

  init(format: AudioFormat, options: AudioFileWriter.Options, hasHeader: Bool) throws {
    container = hasHeader ? AudioFileWriter.Container.wav.rawValue : "raw"
    stream = try EncodedStream(
      format: format, encoding: options.encoding, dither: options.dither, hasHeader: hasHeader, name: "standard output")
  }

  var framesWritten: Int64 { stream.framesWritten }
  var clippedSamples: Int { stream.clippedSamples }

  func append(_ buffer: AudioBuffer) throws {
    // The header comes with the first sound: an input that has none leaves nothing behind.
    if !hasBegun { try LineWriter.standardOutput.write(stream.header) }
    hasBegun = true
    try LineWriter.standardOutput.write(stream.encode(buffer))
  }

  func finish() {}
}
