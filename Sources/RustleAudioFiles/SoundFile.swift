internal import CSndfile
import Foundation

/// The only owner of a libsndfile handle, and the only file that calls libsndfile.
///
/// The unsafe expressions below rely on two invariants: `handle` came from a successful open and is closed in `deinit`
/// alone, so it is valid in every method; and a pointer into an array is handed to libsndfile only for the length of
/// the call, together with the number of elements that the array was sized for.
@safe struct SoundFile: ~Copyable {
  private let handle: OpaquePointer
  private let path: String
  let format: AudioFileFormat

  init(path: String) throws(AudioFileError) {
    var info = SF_INFO()
    let opened: OpaquePointer?
    let isStandardInput = path == AudioFileReader.standardInputPath
    if isStandardInput {
      unsafe opened = sf_open_fd(FileHandle.standardInput.fileDescriptor, Int32(SFM_READ), &info, 0)
    } else {
      try Self.checkIsReadable(path)
      unsafe opened = sf_open(path, Int32(SFM_READ), &info)
    }
    guard let opened = unsafe opened else {
      throw unsafe Self.openError(
        path: path, number: sf_error(nil), text: String(cString: sf_strerror(nil)), isPipe: isStandardInput)
    }
    unsafe handle = opened
    self.path = path
    // A stream of unknown length is reported with one of several very large numbers (SF_COUNT_MAX for Ogg, what the
    // header claims for a piped WAV); a length is believed only where the library could look for itself.
    let isLengthKnown = info.seekable != 0 && info.frames < Int64(Int32.max) * 1024
    format = AudioFileFormat(
      sampleRate: Double(info.samplerate), channels: Int(info.channels),
      frames: isLengthKnown ? Int(info.frames) : nil,
      container: Self.containerName(info.format),
      codec: Self.name(of: info.format & Int32(SF_FORMAT_SUBMASK)) ?? "unknown codec")
  }

  deinit {
    _ = unsafe sf_close(handle)
  }

  /// Replaces the contents of `buffer` by the next frames; returns how many there were, 0 at the end.
  func read(into buffer: inout [Float], maximumFrames: Int) throws(AudioFileError) -> Int {
    let wanted = maximumFrames * format.channels
    if buffer.count > wanted { buffer.removeLast(buffer.count - wanted) }
    if buffer.count < wanted { buffer.append(contentsOf: repeatElement(0, count: wanted - buffer.count)) }
    let frames = unsafe buffer.withUnsafeMutableBufferPointer { samples in
      unsafe samples.baseAddress.map { unsafe Int(sf_readf_float(handle, $0, Int64(maximumFrames))) } ?? 0
    }
    if unsafe frames < maximumFrames && sf_error(handle) != SF_ERR_NO_ERROR {
      throw unsafe AudioFileError(
        .readFailed, path: path,
        reason: "reading stopped early: \(Self.sentence(String(cString: sf_strerror(handle))))",
        advice: "check that the file is complete and its medium is readable")
    }
    buffer.removeLast(wanted - frames * format.channels)
    return frames
  }
}

extension SoundFile {
  /// libsndfile reports a missing file, a folder and a forbidden one all as "system error"; this tells them apart.
  private static func checkIsReadable(_ path: String) throws(AudioFileError) {
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw AudioFileError(
        .notFound, path: path, reason: "no such file", advice: "check the path, or give - to read standard input")
    }
    guard !isFolder.boolValue else {
      throw AudioFileError(
        .notReadable, path: path, reason: "expected an audio file, got a folder", advice: "name a file inside it")
    }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw AudioFileError(
        .notReadable, path: path, reason: "permission denied", advice: "make the file readable for this user")
    }
  }

  private static func openError(path: String, number: Int32, text: String, isPipe: Bool) -> AudioFileError {
    let advice = isPipe ? "from a pipe give a WAV, OGG or MP3, and FLAC as a file" : "give a WAV, FLAC, OGG or MP3 file"
    let detail = sentence(text)
    switch Int(number) {
    case SF_ERR_UNRECOGNISED_FORMAT:
      return AudioFileError(
        .notAudio, path: path, reason: "expected an audio file, got bytes in no known audio format", advice: advice)
    case SF_ERR_SYSTEM:
      return AudioFileError(
        .readFailed, path: path, reason: "the file could not be opened: \(detail)", advice: "check the file")
    case SF_ERR_UNSUPPORTED_ENCODING, unimplementedFormat:
      return AudioFileError(
        .unsupported, path: path, reason: "the container is known and its encoding is not: \(detail)",
        advice: "convert it to WAV or FLAC")
    case badFile:
      // The text of this one speaks of a missing file; the MP3 decoder gives it when it finds no frame.
      return AudioFileError(.notAudio, path: path, reason: "no audio found behind its header", advice: advice)
    default:
      // Every other number is private to the library and may change; its text is what there is.
      if isPipe {
        return AudioFileError(
          .unsupported, path: path, reason: "damaged, or of a format that cannot be read from a pipe: \(detail)",
          advice: advice)
      }
      return AudioFileError(.notAudio, path: path, reason: "the file is damaged: \(detail)", advice: advice)
    }
  }

  /// Two of the library's private numbers, as measured on libsndfile 1.2.0: an encoding that it does not implement, and
  /// a file that a decoder refused. A version that renumbers them is still reported, as damaged with the library's text.
  private static let unimplementedFormat = 18
  private static let badFile = 7

  /// libsndfile's texts end with a full stop, sometimes with a line feed; ours do not.
  private static func sentence(_ text: String) -> String {
    text.trimmingCharacters(in: CharacterSet(charactersIn: ". \n"))
  }

  private static func containerName(_ format: Int32) -> String {
    switch Int(format) & SF_FORMAT_TYPEMASK {
    case SF_FORMAT_WAV, SF_FORMAT_WAVEX: "WAV"
    case SF_FORMAT_FLAC: "FLAC"
    case SF_FORMAT_OGG: "OGG"
    case SF_FORMAT_MPEG: "MP3"
    case SF_FORMAT_AIFF: "AIFF"
    case let type: name(of: Int32(type)) ?? "unknown container"
    }
  }

  /// The library's own name of a container or an encoding.
  private static func name(of format: Int32) -> String? {
    var info = unsafe SF_FORMAT_INFO()
    unsafe info.format = format
    let size = unsafe Int32(MemoryLayout<SF_FORMAT_INFO>.size)
    guard unsafe sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &info, size) == 0 else { return nil }
    guard let name = unsafe info.name else { return nil }
    return unsafe String(cString: name)
  }

  /// The library's version text, for example `libsndfile-1.2.0`.
  static var libraryVersion: String {
    unsafe String(cString: sf_version_string())
  }

  /// Whether the library was built with a decoder for the container and the encoding.
  static func canRead(container: Int, codec: Int) -> Bool {
    var info = SF_INFO(
      frames: 0, samplerate: 44_100, channels: 1, format: Int32(container | codec), sections: 0, seekable: 0)
    return unsafe sf_format_check(&info) != 0
  }
}
