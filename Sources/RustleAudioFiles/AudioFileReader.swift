public import RustleAudio

/// A reader of an audio file from its beginning to its end, in blocks of interleaved samples.
///
/// WAV, FLAC, OGG (Vorbis and Opus), MP3, AIFF and everything else that the installed libsndfile reads; M4A and other MP4 files,
/// which FFmpeg's programs decode where they are installed. Samples are `Float`; integer encodings are scaled so that full scale is ±1.
/// The file is closed with the reader. Of damaged MP3 files libsndfile's decoder writes warnings to standard error itself.
///
/// ```swift
/// var reader = try AudioFileReader(path: "take1.flac")
/// var block: [Float] = []
/// while try reader.readMono(into: &block, maximumFrameCount: 4096) > 0 {
///   analyzer.add(block)
/// }
/// ```
///
/// Truncated files are read to their ends: the frames read are then fewer than ``AudioFileFormat/promisedFrames`` (WAV and AIFF) or
/// ``AudioFileFormat/frames`` (MP3 and M4A), or there is a ``AudioFileFormat/lengthFault`` (Ogg and M4A); a FLAC file is an error
/// with `readFailed` there, unless its writer ended before it wrote the length. ``OpenedInput/truncation`` compares.
///
/// The streams of a chained Ogg file are read one after the other, up to one of another rate or other channels, or that cannot be decoded,
/// which is a ``AudioFileFormat/lengthFault``; from a pipe the first one is read. Of streams side by side the
/// first one that can be decoded is read.
///
/// An M4A file with more sound than its header says is read to its end; of one with an edit list, the sound in that.
///
/// A reader is one position in one file: it is not copyable, and two tasks do not share one.
public struct AudioFileReader: ~Copyable {
  /// The path that means standard input.
  public static let standardInputPath = "-"

  /// The path as it was given.
  public let path: String
  /// The properties that the file reports.
  public let format: AudioFileFormat

  /// The channels: as the file reports them, or else the default layout for their number.
  public let layout: ChannelLayout

  private let file: SoundFile
  private var interleaved: [Float] = []

  /// Opens a file.
  ///
  /// - Parameter path: the file's path, or `-` for standard input. libsndfile 1.2 reads WAV, AIFF, OGG and MP3 from a
  ///   pipe; a file redirected to standard input can be of any format but M4A.
  /// - Throws: `AudioFileError` with `notFound`, `notReadable`, `notAudio`, `unsupported`, `readFailed` or `noProgram`.
  public init(path: String) throws(AudioFileError) {
    file = try SoundFile(path: path)
    format = file.format
    layout = file.layout
    self.path = path
  }

  /// Reads the next frames as they are in the file.
  ///
  /// - Parameters:
  ///   - buffer: its contents are replaced by `channels` interleaved samples for each frame read; its storage is kept.
  ///   - maximumFrameCount: at most this many frames are read, at least 1.
  /// - Returns: the number of frames read: fewer than `maximumFrameCount` only at the end of the file, and then 0 for ever.
  /// - Throws: `AudioFileError` with `readFailed`.
  /// - Precondition: `maximumFrameCount` is at least 1.
  public mutating func read(into buffer: inout [Float], maximumFrameCount: Int) throws(AudioFileError) -> Int {
    precondition(maximumFrameCount >= 1, "maximumFrameCount must be at least 1, got \(maximumFrameCount)")
    return try file.read(into: &buffer, maximumFrameCount: maximumFrameCount)
  }

  /// Reads the next frames and reduces them to one channel.
  ///
  /// - Parameters:
  ///   - buffer: its contents are replaced by one sample for each frame read; its storage is kept.
  ///   - maximumFrameCount: at most this many frames are read, at least 1.
  ///   - selection: the mean of all channels, or one of them.
  /// - Returns: the number of frames read, 0 at the end of the file.
  /// - Throws: `AudioFileError` with `noSuchChannel` or `readFailed`.
  /// - Precondition: `maximumFrameCount` is at least 1.
  public mutating func readMono(
    into buffer: inout [Float], maximumFrameCount: Int, selecting selection: ChannelSelection = .all
  ) throws(AudioFileError) -> Int {
    if case .channel(let index) = selection, !(0..<format.channels).contains(index) {
      throw AudioFileError(
        .noSuchChannel, path: path,
        reason: "expected a channel below \(format.channels), counted from 0, got \(index)",
        advice: format.channels == 1 ? "The file is mono: leave the channel out." : "Choose one of its channels.")
    }
    precondition(maximumFrameCount >= 1, "maximumFrameCount must be at least 1, got \(maximumFrameCount)")
    let frames = try file.read(into: &interleaved, maximumFrameCount: maximumFrameCount)
    selection.reduce(interleaved, channels: format.channels, into: &buffer)
    return frames
  }
}
