internal import CSndfile
import Foundation
import RustleAudio
import RustleFiles

/// Held while a file is opened: libsndfile keeps the error of a failed open in a variable of the process, which another open
/// changes. A stream or a pipe, which may not deliver for long, is opened without it.
let opening = NSLock()

/// The only owner of a libsndfile handle, and, with its encoder, the only caller of libsndfile.
///
/// The unsafe expressions below rely on two invariants: `handle` came from a successful open and is closed in `deinit`
/// alone, so it is valid in every method; and a pointer into an array is handed to libsndfile only for the length of
/// the call, together with the number of elements that the array was sized for.
@safe struct SoundFile: ~Copyable {
  private let handle: OpaquePointer
  private let path: String
  /// The file below a FLAC decoder, whose position says how far the decoder has read.
  private let flac: FileHandle?
  /// The bytes that the library reads in place of a WAV file without a length.
  private let repaired: RepairedFile?
  /// The program that decodes an MP4 file, and the socket from which its sound is read.
  private let decoder: (program: FFmpeg, output: FileHandle)?
  /// The end of an MP4 file by its header.
  private let end: DecodedEnd?
  let format: AudioFileFormat
  let layout: ChannelLayout

  init(path: String) throws(AudioFileError) {
    var info = SF_INFO()
    let isStandardInput = path == AudioFileReader.standardInputPath
    if !isStandardInput {
      try Self.checkIsReadable(path)
      try Self.checkIsNotEmpty(path)
    }
    let sound = !isStandardInput && Self.isMP4(path) ? try FFmpeg.sound(of: path) : nil
    let decoder = if sound != nil { try FFmpeg.decoder(of: path) } else { nil as (FFmpeg, FileHandle)? }
    let flac = isStandardInput || sound != nil ? nil : Self.flacFile(path)
    let stream = isStandardInput ? .standardInput : decoder?.1 ?? flac
    let isRegular = !isStandardInput && Self.isRegular(path)
    let wave = stream == nil && isRegular ? WaveLength.ofFile(path) : nil
    let repaired: RepairedFile? =
      if case .missing(let repairs) = wave { RepairedFile(path: path, repairs: repairs) } else { nil }
    let isLocked = isRegular && sound == nil
    if isLocked { opening.lock() }
    defer { if isLocked { opening.unlock() } }
    let opened =
      if let repaired {
        unsafe repaired.open(&info)
      } else if let stream {
        unsafe sf_open_fd(stream.fileDescriptor, Int32(SFM_READ), &info, 0)
      } else {
        unsafe sf_open(path, Int32(SFM_READ), &info)
      }
    guard let opened = unsafe opened else {
      if let reason = decoder?.0.failure() { throw Self.decodingFailed(path, reason) }
      let (number, text) = unsafe (sf_error(nil), String(cString: sf_strerror(nil)))
      if isRegular { try Self.checkOgg(path, Self.sentence(text)) }
      throw Self.openError(path: path, number: number, text: text, isPipe: isStandardInput)
    }
    unsafe handle = opened
    self.path = path
    self.flac = flac
    self.repaired = repaired
    self.decoder = decoder
    if let sound {
      // What comes is as the decoder's header says, and not as the file's.
      let isAsReported = Int(info.samplerate) == sound.sampleRate
      format = AudioFileFormat(
        sampleRate: Double(info.samplerate), channels: Int(info.channels), frames: isAsReported ? sound.frames : nil,
        container: "M4A", codec: sound.codec, lengthFault: Self.lacksSound(path) ? .noEnd : nil)
      layout = .default(for: Int(info.channels))
      end = format.frames.map { DecodedEnd(frames: $0) }
      return
    }
    // A stream of unknown length is reported with one of several very large numbers (SF_COUNT_MAX for Ogg, what the
    // header claims for a piped WAV); a length is believed only where the library could look for itself.
    let isLengthKnown = info.seekable != 0 && info.frames < Int64(Int32.max) * 1024
    let container = Self.containerName(info.format)
    let ogg = container == "OGG" && isRegular ? OggEnd.fault(of: path) : nil
    let (promisedFrames, isCut) =
      if case .short(let promised) = wave { (promised, promised == nil) } else { (nil, false) }
    format = AudioFileFormat(
      sampleRate: Double(info.samplerate), channels: Int(info.channels),
      frames: isLengthKnown ? Int(info.frames) : nil,
      container: container,
      codec: Self.name(of: info.format & Int32(SF_FORMAT_SUBMASK)) ?? "unknown codec",
      promisedFrames: promisedFrames, lengthFault: ogg ?? (isCut ? .noEnd : repaired == nil ? nil : .noLength))
    layout = unsafe Self.layout(of: opened, channels: Int(info.channels))
    end = nil
  }

  deinit {
    _ = unsafe sf_close(handle)
  }

  /// Replaces the contents of `buffer` by the next frames; returns how many there were, 0 at the end.
  func read(into buffer: inout [Float], maximumFrameCount: Int) throws(AudioFileError) -> Int {
    guard let end else { return try decode(into: &buffer, maximumFrameCount: maximumFrameCount) }
    return try end.read(into: &buffer, maximumFrameCount: maximumFrameCount, channels: format.channels) {
      buffer, count throws(AudioFileError) in try decode(into: &buffer, maximumFrameCount: count)
    }
  }

  /// Reads into memory for `maximumFrameCount` frames; returns how many there were.
  @unsafe private func read(into samples: UnsafeMutableBufferPointer<Float>, maximumFrameCount: Int) -> Int {
    guard let start = samples.baseAddress else { return 0 }
    return unsafe max(0, Int(sf_readf_float(handle, start, Int64(maximumFrameCount))))
  }

  private func decode(into buffer: inout [Float], maximumFrameCount: Int) throws(AudioFileError) -> Int {
    let wanted = maximumFrameCount * format.channels
    var frames = 0
    if buffer.capacity < wanted {
      // New memory is not filled before the library fills it.
      buffer = unsafe [Float](unsafeUninitializedCapacity: wanted) { samples, count in
        frames = unsafe read(into: samples, maximumFrameCount: maximumFrameCount)
        count = frames * format.channels
      }
    } else {
      if buffer.count > wanted { buffer.removeLast(buffer.count - wanted) }
      if buffer.count < wanted { buffer.append(contentsOf: repeatElement(0, count: wanted - buffer.count)) }
      frames = unsafe buffer.withUnsafeMutableBufferPointer { samples in
        unsafe read(into: samples, maximumFrameCount: maximumFrameCount)
      }
      buffer.removeLast(wanted - frames * format.channels)
    }
    if frames < maximumFrameCount, let reason = decoder?.program.failure(), !isUnfinishedMP4() {
      throw Self.decodingFailed(path, reason)
    }
    if unsafe frames < maximumFrameCount && sf_error(handle) != SF_ERR_NO_ERROR && !isUnfinishedAndRead() {
      throw unsafe Self.decodingFailed(path, Self.sentence(String(cString: sf_strerror(handle))))
    }
    return frames
  }

  /// Whether the file is an M4A file that ends within its sound.
  private static func lacksSound(_ path: String) -> Bool {
    FileHandle(forReadingAtPath: path).map { MP4Boxes(of: $0).lacksSound } ?? false
  }

  /// Whether the file is an M4A file that ends within a fragment, where the processes that wrote it ended, or within its sound.
  private func isUnfinishedMP4() -> Bool {
    FileHandle(forReadingAtPath: path).map { MP4Boxes(of: $0).isUnfinished } ?? false
  }

  /// Whether the file is an unfinished FLAC file, read to its last byte.
  ///
  /// The process that wrote it may have ended within a coded frame, which the decoder reports as it reports damage. A file
  /// whose header promises more frames is not such a file: a part of it is missing.
  private func isUnfinishedAndRead() -> Bool {
    guard let flac, format.frames == nil, let position = try? flac.offset() else { return false }
    return position == (try? flac.seekToEnd())
  }
}

extension SoundFile {
  /// libsndfile reports a missing file, a folder and a forbidden one all as "system error"; this distinguishes them.
  static func checkIsReadable(_ path: String) throws(AudioFileError) {
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw AudioFileError(
        .notFound, path: path, reason: "no such file", advice: "Check the path, or pass - to read standard input.")
    }
    guard !isFolder.boolValue else {
      throw AudioFileError(
        .notReadable, path: path, reason: "expected an audio file, got a folder", advice: "Name a file inside it.")
    }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw AudioFileError(
        .notReadable, path: path, reason: "permission denied", advice: "Make the file readable for this user.")
    }
  }

  /// Refuses an empty file, for which libsndfile reports an unknown format.
  private static func checkIsNotEmpty(_ path: String) throws(AudioFileError) {
    // A pipe has a length of 0 too.
    guard let status = FileStatus(of: path, followsLink: true), status.kind == .regular, status.size == 0 else {
      return
    }
    throw AudioFileError(
      .notAudio, path: path, reason: "expected an audio file, got an empty one", advice: "Check what was to write it.")
  }

  /// Whether it is a regular file, of which a look takes nothing away, other than of a pipe.
  private static func isRegular(_ path: String) -> Bool {
    FileStatus(of: path, followsLink: true)?.kind == .regular
  }

  /// The file, opened, if it begins as FLAC files do.
  private static func flacFile(_ path: String) -> FileHandle? {
    guard isRegular(path), let file = FileHandle(forReadingAtPath: path),
      (try? file.read(upToCount: 4)) == Data("fLaC".utf8),
      (try? file.seek(toOffset: 0)) != nil
    else { return nil }
    return file
  }

  /// Whether the file begins as those of ISO base media do (ISO/IEC 14496-12, section 4.3): M4A, MP4, QuickTime.
  private static func isMP4(_ path: String) -> Bool {
    guard isRegular(path), let file = FileHandle(forReadingAtPath: path), let bytes = try? file.read(upToCount: 8)
    else { return false }
    return bytes.count == 8 && bytes.suffix(4) == Data("ftyp".utf8)
  }

  /// Names what is wrong with an Ogg file that the library does not open, whatever it says of it.
  private static func checkOgg(_ path: String, _ text: String) throws(AudioFileError) {
    let codecs = OggEnd.codecs(of: path)
    guard codecs.isEmpty || codecs.contains(where: \.isDecoded) else {
      let names = codecs.map { "\($0)".uppercased() }.sorted().joined(separator: ", ")
      throw openError(path: path, number: Int32(unimplementedFormat), text: "\(names) in Ogg", isPipe: false)
    }
    guard OggEnd.isMissing(in: path) else { return }
    throw AudioFileError(
      .notAudio, path: path, reason: "the file is truncated before any sound: \(text)",
      advice: "Check what was to write it.")
  }

  private static func decodingFailed(_ path: String, _ reason: String) -> AudioFileError {
    AudioFileError(
      .readFailed, path: path, reason: "reading stopped early: \(reason)",
      advice: "Check that the file is complete and its medium is readable.")
  }

  private static func openError(path: String, number: Int32, text: String, isPipe: Bool) -> AudioFileError {
    let advice =
      isPipe
      ? "From a pipe pass WAV, OGG, MP3 or AIFF, and FLAC or M4A as a file."
      : "Pass a WAV, FLAC, OGG, MP3, AIFF or M4A file."
    let detail = sentence(text)
    switch Int(number) {
    case SF_ERR_UNRECOGNISED_FORMAT:
      // Whether there were any bytes cannot be seen any more.
      let got = isPipe ? "nothing, or bytes in no known audio format" : "bytes in no known audio format"
      return AudioFileError(.notAudio, path: path, reason: "expected an audio file, got \(got)", advice: advice)
    case SF_ERR_SYSTEM:
      return AudioFileError(
        .readFailed, path: path, reason: "the file could not be opened: \(detail)", advice: "Check the file.")
    case SF_ERR_UNSUPPORTED_ENCODING, unimplementedFormat:
      return AudioFileError(
        .unsupported, path: path, reason: "the container is known and its encoding is not: \(detail)",
        advice: "Convert it to WAV or FLAC.")
    case badFile:
      // The text of this error names a missing file; the MP3 decoder reports it when it finds no frame.
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

  /// The channels as the file reports them, or the default layout for their number.
  private static func layout(of handle: OpaquePointer, channels: Int) -> ChannelLayout {
    var positions = [Int32](repeating: 0, count: channels)
    let size = Int32(channels * MemoryLayout<Int32>.size)
    let isKnown = unsafe positions.withUnsafeMutableBytes { bytes in
      unsafe sf_command(handle, Int32(SFC_GET_CHANNEL_MAP_INFO), bytes.baseAddress, size) != 0
    }
    guard isKnown else { return .default(for: channels) }
    return ChannelPositions.layout(of: positions.map(ChannelPositions.init(libraryNumber:)))
  }

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

extension ChannelPositions {
  /// The position behind a number of libsndfile's channel map; none where there is no name for it here.
  fileprivate init(libraryNumber: Int32) {
    self =
      switch Int(libraryNumber) {
      case SF_CHANNEL_MAP_MONO, SF_CHANNEL_MAP_CENTER, SF_CHANNEL_MAP_FRONT_CENTER: .frontCenter
      case SF_CHANNEL_MAP_LEFT, SF_CHANNEL_MAP_FRONT_LEFT: .frontLeft
      case SF_CHANNEL_MAP_RIGHT, SF_CHANNEL_MAP_FRONT_RIGHT: .frontRight
      case SF_CHANNEL_MAP_LFE: .lowFrequency
      case SF_CHANNEL_MAP_REAR_LEFT: .backLeft
      case SF_CHANNEL_MAP_REAR_RIGHT: .backRight
      case SF_CHANNEL_MAP_SIDE_LEFT: .sideLeft
      case SF_CHANNEL_MAP_SIDE_RIGHT: .sideRight
      default: []
      }
  }
}
