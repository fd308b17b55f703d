internal import CSndfile

/// The capabilities of this process's libsndfile, which a distribution may build without the external codecs, and of FFmpeg.
public enum AudioLibrary {
  /// The library's own version text, for example `libsndfile-1.2.0`.
  public static var version: String { SoundFile.libraryVersion }

  /// A format that the project promises to read.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// PCM and float in a RIFF container.
    case wav = "WAV"
    /// Free lossless audio codec.
    case flac = "FLAC"
    /// Vorbis in an Ogg container.
    case ogg = "OGG"
    /// Opus in an Ogg container.
    case opus = "OPUS"
    /// MPEG audio layer III.
    case mp3 = "MP3"
    /// AAC in an MP4 container, by FFmpeg's programs.
    case m4a = "M4A"
  }

  /// Returns whether the installed library has a codec for the format, or for M4A whether FFmpeg's programs are in PATH.
  ///
  /// - Parameter format: one of the formats that the project promises.
  /// - Returns: false when the library was built without the codec, or a program is missing.
  public static func supports(_ format: Format) -> Bool {
    switch format {
    case .wav: SoundFile.canRead(container: SF_FORMAT_WAV, codec: SF_FORMAT_PCM_16)
    case .flac: SoundFile.canRead(container: SF_FORMAT_FLAC, codec: SF_FORMAT_PCM_16)
    case .ogg: SoundFile.canRead(container: SF_FORMAT_OGG, codec: SF_FORMAT_VORBIS)
    case .opus: SoundFile.canRead(container: SF_FORMAT_OGG, codec: SF_FORMAT_OPUS)
    case .m4a: FFmpeg.isInstalled
    case .mp3: SoundFile.canRead(container: SF_FORMAT_MPEG, codec: SF_FORMAT_MPEG_LAYER_III)
    }
  }
}
