internal import CSndfile
import Foundation
import RustleAudio

/// Held while a file is opened: libsndfile keeps the error of a failed open in a variable of the process, which another open
/// changes. Standard input, which may not deliver for long, is opened without it.
private let opening = NSLock()

/// The only owner of a libsndfile handle, and the only file that calls libsndfile.
///
/// The unsafe expressions below rely on two invariants: `handle` came from a successful open and is closed in `deinit`
/// alone, so it is valid in every method; and a pointer into an array is handed to libsndfile only for the length of
/// the call, together with the number of elements that the array was sized for.
@safe struct SoundFile: ~Copyable {
  private let handle: OpaquePointer
  private let path: String
  /// The file below a FLAC decoder, whose position says how far the decoder has read.
  private let flac: FileHandle?
  let format: AudioFileFormat
  let layout: ChannelLayout

  init(path: String) throws(AudioFileError) {
    var info = SF_INFO()
    let opened: OpaquePointer?
    let isStandardInput = path == AudioFileReader.standardInputPath
    flac = isStandardInput ? nil : Self.flacFile(path)
    if !isStandardInput { opening.lock() }
    defer { if !isStandardInput { opening.unlock() } }
    if isStandardInput {
      unsafe opened = sf_open_fd(FileHandle.standardInput.fileDescriptor, Int32(SFM_READ), &info, 0)
    } else {
      try Self.checkIsReadable(path)
      try Self.checkIsNotEmpty(path)
      if let flac {
        unsafe opened = sf_open_fd(flac.fileDescriptor, Int32(SFM_READ), &info, 0)
      } else {
        unsafe opened = sf_open(path, Int32(SFM_READ), &info)
      }
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
      codec: Self.name(of: info.format & Int32(SF_FORMAT_SUBMASK)) ?? "unknown codec",
      promisedFrames: isStandardInput ? nil : WavePromise.framesOfShortFile(path))
    layout = unsafe Self.layout(of: opened, channels: Int(info.channels))
  }

  deinit {
    _ = unsafe sf_close(handle)
  }

  /// Replaces the contents of `buffer` by the next frames; returns how many there were, 0 at the end.
  func read(into buffer: inout [Float], maximumFrames: Int) throws(AudioFileError) -> Int {
    let wanted = maximumFrames * format.channels
    if buffer.count > wanted { buffer.removeLast(buffer.count - wanted) }
    if buffer.isEmpty && buffer.capacity < wanted { buffer = [Float](repeating: 0, count: wanted) }
    if buffer.count < wanted { buffer.append(contentsOf: repeatElement(0, count: wanted - buffer.count)) }
    let frames = unsafe buffer.withUnsafeMutableBufferPointer { samples in
      unsafe samples.baseAddress.map { unsafe Int(sf_readf_float(handle, $0, Int64(maximumFrames))) } ?? 0
    }
    if unsafe frames < maximumFrames && sf_error(handle) != SF_ERR_NO_ERROR && !isUnfinishedAndRead() {
      throw unsafe AudioFileError(
        .readFailed, path: path,
        reason: "reading stopped early: \(Self.sentence(String(cString: sf_strerror(handle))))",
        advice: "check that the file is complete and its medium is readable")
    }
    buffer.removeLast(wanted - frames * format.channels)
    return frames
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

  /// Refuses an empty file, for which libsndfile reports an unknown format.
  private static func checkIsNotEmpty(_ path: String) throws(AudioFileError) {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let attributes = try? FileManager.default.attributesOfItem(atPath: target)
    // A pipe has a length of 0 too.
    guard attributes?[.type] as? FileAttributeType == .typeRegular, (attributes?[.size] as? NSNumber)?.intValue == 0
    else { return }
    throw AudioFileError(
      .notAudio, path: path, reason: "expected an audio file, got an empty one", advice: "check what was to write it")
  }

  /// The file, opened, if it begins as FLAC files do.
  private static func flacFile(_ path: String) -> FileHandle? {
    guard let file = FileHandle(forReadingAtPath: path), (try? file.read(upToCount: 4)) == Data("fLaC".utf8),
      (try? file.seek(toOffset: 0)) != nil
    else { return nil }
    return file
  }

  private static func openError(path: String, number: Int32, text: String, isPipe: Bool) -> AudioFileError {
    let advice = isPipe ? "from a pipe give a WAV, OGG or MP3, and FLAC as a file" : "give a WAV, FLAC, OGG or MP3 file"
    let detail = sentence(text)
    switch Int(number) {
    case SF_ERR_UNRECOGNISED_FORMAT:
      // Whether there were any bytes cannot be seen any more.
      let got = isPipe ? "nothing, or bytes in no known audio format" : "bytes in no known audio format"
      return AudioFileError(.notAudio, path: path, reason: "expected an audio file, got \(got)", advice: advice)
    case SF_ERR_SYSTEM:
      return AudioFileError(
        .readFailed, path: path, reason: "the file could not be opened: \(detail)", advice: "check the file")
    case SF_ERR_UNSUPPORTED_ENCODING, unimplementedFormat:
      return AudioFileError(
        .unsupported, path: path, reason: "the container is known and its encoding is not: \(detail)",
        advice: "convert it to WAV or FLAC")
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
    var places = [Int32](repeating: 0, count: channels)
    let size = Int32(channels * MemoryLayout<Int32>.size)
    let isKnown = unsafe places.withUnsafeMutableBytes { bytes in
      unsafe sf_command(handle, Int32(SFC_GET_CHANNEL_MAP_INFO), bytes.baseAddress, size) != 0
    }
    guard isKnown else { return .default(for: channels) }
    return ChannelPlaces.layout(of: places.map(ChannelPlaces.init(libraryNumber:)))
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

extension ChannelPlaces {
  /// The place behind a number of libsndfile's channel map; none where there is no name for it here.
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

/// Encodes samples through libsndfile into bytes that a sink writes.
///
/// The unsafe expressions rely on two invariants: `handle` came from a successful open and is closed once, after which
/// `isClosed` keeps every method from it; and the sink that libsndfile knows by its address is held by this object, which
/// closes the handle before it lets go of the sink.
@safe final class SoundFileEncoder {
  private let handle: OpaquePointer
  private let sink: EncodedBytes
  private let channels: Int
  private var isClosed = false

  /// - Parameters:
  ///   - bits: 16 or 24.
  ///   - level: FLAC's compression level, 0 to 8.
  init(
    flacOf bits: Int, sampleRate: Int, channels: Int, level: Int, to sink: EncodedBytes
  ) throws(AudioFileError) {
    let codec = bits == 16 ? SF_FORMAT_PCM_16 : SF_FORMAT_PCM_24
    var info = SF_INFO(
      frames: 0, samplerate: Int32(sampleRate), channels: Int32(channels), format: Int32(SF_FORMAT_FLAC | codec),
      sections: 0, seekable: 0)
    var calls = unsafe SF_VIRTUAL_IO(
      get_filelen: { unsafe EncodedBytes.at($0)?.length ?? 0 },
      seek: { unsafe EncodedBytes.at($2)?.seek(to: $0, from: $1) ?? -1 },
      // A file that is only written is not read back.
      read: { _, _, _ in 0 },
      write: { bytes, count, sink in
        guard let bytes = unsafe bytes, let sink = unsafe EncodedBytes.at(sink) else { return 0 }
        return unsafe sink.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      },
      tell: { unsafe EncodedBytes.at($0)?.position ?? 0 })
    opening.lock()
    defer { opening.unlock() }
    let opened = unsafe sf_open_virtual(
      &calls, Int32(SFM_WRITE), &info, Unmanaged.passUnretained(sink).toOpaque())
    guard let opened = unsafe opened else {
      throw unsafe Self.refused(sink, String(cString: sf_strerror(nil)))
    }
    unsafe handle = opened
    self.sink = sink
    self.channels = channels
    var share = Double(level) / 8
    _ = unsafe sf_command(
      opened, Int32(SFC_SET_COMPRESSION_LEVEL), &share, Int32(MemoryLayout<Double>.size))
    // Without this the header is written with the first samples, and a file that is killed before has none.
    _ = unsafe sf_command(opened, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    if unsafe sf_error(opened) != SF_ERR_NO_ERROR || sink.length == 0 {
      throw unsafe Self.refused(sink, String(cString: sf_strerror(opened)))
    }
  }

  deinit {
    if !isClosed { _ = unsafe sf_close(handle) }
  }

  /// Encodes whole frames of interleaved samples whose bits are the upper ones of 32.
  func write(_ samples: [Int32]) throws(AudioFileError) {
    guard !isClosed else { return }
    let frames = samples.count / channels
    let written = unsafe samples.withUnsafeBufferPointer { samples in
      unsafe samples.baseAddress.map { unsafe Int(sf_writef_int(handle, $0, Int64(frames))) } ?? 0
    }
    if let failure = sink.failure { throw failure }
    guard written == frames else {
      throw unsafe AudioFileError(
        .writeFailed, path: sink.path,
        reason: "encoding failed: \(Self.sentence(String(cString: sf_strerror(handle))))",
        advice: "check the disk")
    }
  }

  /// Encodes what is held back and writes the final header. The second call does nothing.
  func close() throws(AudioFileError) {
    guard !isClosed else { return }
    isClosed = true
    let number = unsafe sf_close(handle)
    if let failure = sink.failure { throw failure }
    guard number == 0 else {
      throw AudioFileError(
        .writeFailed, path: sink.path, reason: "the file could not be completed (\(number))", advice: "check the disk")
    }
  }

  private static func refused(_ sink: EncodedBytes, _ text: String) -> AudioFileError {
    sink.failure
      ?? AudioFileError(
        .unsupported, path: sink.path, reason: "the encoder refuses the format: \(sentence(text))",
        advice: "write a WAV file")
  }

  private static func sentence(_ text: String) -> String {
    text.trimmingCharacters(in: CharacterSet(charactersIn: ". \n"))
  }
}

extension EncodedBytes {
  /// The sink behind the address that libsndfile was given.
  fileprivate static func at(_ address: UnsafeMutableRawPointer?) -> EncodedBytes? {
    unsafe address.map { unsafe Unmanaged<EncodedBytes>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Takes a copy of bytes at the position; returns the number taken, all or none.
  fileprivate func write(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    if latest.count != bytes.count { latest.count = bytes.count }
    unsafe latest.withUnsafeMutableBytes { unsafe $0.copyMemory(from: bytes) }
    return write(latest)
  }
}
