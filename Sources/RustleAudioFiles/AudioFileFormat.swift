/// The properties that an audio file reports.
public struct AudioFileFormat: Sendable, Hashable {
  /// Sample rate in hertz, at least 1.
  public let sampleRate: Double
  /// Interleaved channels in a frame, at least 1.
  public let channels: Int
  /// Frames in the whole file, or nil where that is not known in advance (a pipe, or a header that does not say). For
  /// MP3 it is libsndfile's estimate from the header, up to one coded frame (1152 samples) away from what is read.
  public let frames: Int?
  /// Frames that the header of a truncated WAV or AIFF file promises; the frames it holds can be read. nil for a whole file, for
  /// other containers (that an AU or W64 file is cut is not seen), and where the header does not say (that of a stream). Of a pipe
  /// it is what the header promises, whether the sound is whole or not. Truncated MP3 and M4A files have the promised number in
  /// ``frames``.
  public let promisedFrames: Int?
  /// What is wrong with the length that the file reports; nil: nothing, or that is unknown.
  public let lengthFault: LengthFault?
  /// The container's common short name: `WAV`, `FLAC`, `OGG`, `MP3`, `M4A`, `AIFF`, … or a longer name from libsndfile.
  public let container: String
  /// The encoding of the samples as libsndfile names it, for example `Signed 16 bit PCM` or `Vorbis`.
  public let codec: String

  /// A fault of the length of a file. What the file holds can be read, except for further streams.
  public enum LengthFault: Sendable, Hashable {
    /// An Ogg file without the end of its stream, an M4A file that ends within its sound, or a cut WAV file of compressed sound
    /// without the number of its frames: it was cut off, or its writer was killed.
    case noEnd
    /// A WAV file whose header has the length 0 although samples follow.
    case noLength
    /// A chained Ogg file whose streams behind ``AudioFileFormat/frames`` are not read: the first of them has another rate or other
    /// channels than those before, or cannot be decoded.
    case furtherStreams
  }

  /// Creates a description; the reader does this when it opens a file.
  ///
  /// - Parameters:
  ///   - sampleRate: hertz, at least 1.
  ///   - channels: channels in a frame, at least 1.
  ///   - frames: frames in the file, nil when unknown.
  ///   - container: the container's short name.
  ///   - codec: the encoding's name.
  ///   - promisedFrames: see ``promisedFrames``.
  ///   - lengthFault: see ``lengthFault``.
  public init(
    sampleRate: Double, channels: Int, frames: Int?, container: String, codec: String, promisedFrames: Int? = nil,
    lengthFault: LengthFault? = nil
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.frames = frames
    self.container = container
    self.codec = codec
    self.promisedFrames = promisedFrames
    self.lengthFault = lengthFault
  }

  /// The length in seconds, or nil where `frames` is.
  public var seconds: Double? { frames.map { Double($0) / sampleRate } }
}
