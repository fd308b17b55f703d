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
  /// What the library reads in place of the whole of a file: a link of an Ogg file, or a WAV file with another length.
  private let part: FilePart?
  /// The program that decodes an MP4 file, and the socket from which its sound is read.
  private let decoder: (program: FFmpeg, output: FileHandle)?
  /// The end of an MP4 file by its header.
  private let end: DecodedEnd?
  /// The links of an Ogg file behind the first one.
  private let chain: OggChain?
  let format: AudioFileFormat
  let layout: ChannelLayout

  init(path: String) throws(AudioFileError) {
    var info = SF_INFO()
    let isStandardInput = path == AudioFileReader.standardInputPath
    if !isStandardInput {
      try Self.checkIsReadable(path)
      try Self.checkIsNotEmpty(path)
    }
    let file = Self.regularFile(path)
    let sound =
      if let file, !isStandardInput, Self.isMP4(file) { try FFmpeg.sound(of: path) } else { nil as FFmpeg.Sound? }
    let decoder = if sound != nil { try FFmpeg.decoder(of: path) } else { nil as (FFmpeg, FileHandle)? }
    let flac = if let file, sound == nil, Self.isFLAC(file) { file } else { nil as FileHandle? }
    var link = if let file, OggPages.begin(file) { OggPages.link(of: file, from: 0) } else { nil as OggPages.Link? }
    let wave = if let file, sound == nil { WaveLength.of(file) } else { nil as WaveLength? }
    try? file?.seek(toOffset: 0)
    let isLocked = file != nil && sound == nil
    if isLocked { opening.lock() }
    var part: FilePart?
    var opened: OpaquePointer?
    if let file, let first = link {
      unsafe (opened, part) = Self.open(first, of: file, &info)
      while unsafe opened == nil, link?.hasSound == false, let next = link?.next {
        let other = OggPages.link(of: file, from: next)
        unsafe (opened, part) = Self.open(other, of: file, &info)
        link = other
      }
    } else if let file, case .missing(let repairs) = wave {
      part = FilePart(of: file, 0..<((try? file.seekToEnd()) ?? 0), repairs: repairs)
      unsafe opened = part?.open(&info)
    } else if let stream = isStandardInput ? .standardInput : decoder?.1 ?? flac {
      unsafe opened = sf_open_fd(stream.fileDescriptor, Int32(SFM_READ), &info, 0)
    } else {
      unsafe opened = sf_open(path, Int32(SFM_READ), &info)
    }
    let (number, text) = unsafe opened == nil ? (sf_error(nil), String(cString: sf_strerror(nil))) : (0, "")
    if isLocked { opening.unlock() }
    guard let opened = unsafe opened else {
      if let reason = decoder?.0.failure() { throw Self.decodingFailed(path, reason) }
      if let file, let link { try Self.checkOgg(file, path, link, Self.sentence(text)) }
      throw Self.openError(path: path, number: number, text: text, isPipe: isStandardInput)
    }
    unsafe handle = opened
    self.path = path
    self.flac = flac
    self.part = part
    self.decoder = decoder
    if let sound {
      // What comes is as the decoder's header says, and not as the file's.
      let isAsReported = Int(info.samplerate) == sound.sampleRate
      format = AudioFileFormat(
        sampleRate: Double(info.samplerate), channels: Int(info.channels), frames: isAsReported ? sound.frames : nil,
        container: "M4A", codec: sound.codec,
        lengthFault: file.map { MP4Boxes(of: $0).lacksSound } == true ? .noEnd : nil)
      layout = .default(for: Int(info.channels))
      end = format.frames.map { DecodedEnd(frames: $0) }
      chain = nil
      return
    }
    let first = Self.format(of: info)
    let chain =
      if let file, let next = link?.next {
        OggChain(of: file, path: path, from: next, sampleRate: first.sampleRate, channels: first.channels)
      } else { nil as OggChain? }
    let (promisedFrames, fault): (Int?, AudioFileFormat.LengthFault?) =
      switch wave {
      case .short(let promised): (promised, promised == nil ? .noEnd : nil)
      case .missing: (nil, .noLength)
      case nil: (file == nil && info.seekable == 0 ? WaveLength.promised(by: info) : nil, nil)
      }
    let ogg: AudioFileFormat.LengthFault? =
      if chain?.isUnread == true {
        .furtherStreams
      } else if let file, link != nil, OggPages.lacksEnd(file) {
        .noEnd
      } else {
        nil
      }
    let further: Int? = if let chain { chain.frames } else { 0 }
    format = AudioFileFormat(
      sampleRate: first.sampleRate, channels: first.channels,
      frames: first.frames.flatMap { frames in further.map { frames + $0 } },
      container: first.container, codec: first.codec, promisedFrames: promisedFrames, lengthFault: ogg ?? fault)
    layout = unsafe Self.layout(of: opened, channels: Int(info.channels))
    end = nil
    self.chain = chain
  }

  /// A link of an Ogg file; nil if it cannot be decoded.
  init?(_ link: OggPages.Link, of file: FileHandle, path: String) {
    var info = SF_INFO()
    opening.lock()
    defer { opening.unlock() }
    let (opened, part) = unsafe Self.open(link, of: file, &info)
    guard let opened = unsafe opened else { return nil }
    unsafe handle = opened
    (self.path, self.part) = (path, part)
    (flac, decoder, end, chain) = (nil, nil, nil, nil)
    format = Self.format(of: info)
    layout = unsafe Self.layout(of: opened, channels: Int(info.channels))
  }

  deinit {
    _ = unsafe sf_close(handle)
  }

  /// Replaces the contents of `buffer` by the next frames; returns how many there were, 0 at the end.
  func read(into buffer: inout [Float], maximumFrameCount: Int) throws(AudioFileError) -> Int {
    guard let end else {
      let frames = try decode(into: &buffer, maximumFrameCount: maximumFrameCount)
      guard let chain, frames < maximumFrameCount else { return frames }
      return try frames + chain.read(appendingTo: &buffer, maximumFrameCount: maximumFrameCount - frames)
    }
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
    if frames < maximumFrameCount, let reason = part?.failure { throw Self.decodingFailed(path, reason) }
    if frames < maximumFrameCount, let reason = decoder?.program.failure(), !isUnfinishedMP4() {
      throw Self.decodingFailed(path, reason)
    }
    if unsafe frames < maximumFrameCount && sf_error(handle) != SF_ERR_NO_ERROR && !isUnfinishedAndRead() {
      throw unsafe Self.decodingFailed(path, Self.sentence(String(cString: sf_strerror(handle))))
    }
    return frames
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

  /// The file, opened, if it is a regular one, of which a look takes nothing away, other than of a pipe. Standard input has to be
  /// at its beginning.
  private static func regularFile(_ path: String) -> FileHandle? {
    let isStandardInput = path == AudioFileReader.standardInputPath
    guard FileStatus(of: isStandardInput ? "/dev/stdin" : path, followsLink: true)?.kind == .regular else { return nil }
    guard isStandardInput else { return FileHandle(forReadingAtPath: path) }
    return (try? FileHandle.standardInput.offset()) == 0 ? .standardInput : nil
  }

  /// Whether the file begins as FLAC files do.
  private static func isFLAC(_ file: FileHandle) -> Bool {
    (try? file.seek(toOffset: 0)) != nil && (try? file.read(upToCount: 4)) == Data("fLaC".utf8)
  }

  /// Whether the file begins as those of ISO base media do (ISO/IEC 14496-12, section 4.3): M4A, MP4, QuickTime.
  private static func isMP4(_ file: FileHandle) -> Bool {
    guard (try? file.seek(toOffset: 0)) != nil, let bytes = try? file.read(upToCount: 8) else { return false }
    return bytes.count == 8 && bytes.suffix(4) == Data("ftyp".utf8)
  }

  /// Opens the first stream of a link that can be decoded; of pictures that begin with the sound, none can.
  @unsafe private static func open(
    _ link: OggPages.Link, of file: FileHandle, _ info: inout SF_INFO
  ) -> (handle: OpaquePointer?, part: FilePart?) {
    for start in link.starts {
      let part = FilePart(of: file, start..<link.bytes.upperBound)
      info = SF_INFO()
      if let handle = unsafe part.open(&info) { return unsafe (handle, part) }
    }
    return (nil, nil)
  }

  /// Names what is wrong with an Ogg file that the library does not open, whatever it says of it.
  private static func checkOgg(
    _ file: FileHandle, _ path: String, _ link: OggPages.Link, _ text: String
  ) throws(AudioFileError) {
    guard link.codecs.isEmpty || link.codecs.contains(where: \.isDecoded) else {
      let names = link.codecs.map { "\($0)".uppercased() }.sorted().joined(separator: ", ")
      throw openError(path: path, number: Int32(unimplementedFormat), text: "\(names) in Ogg", isPipe: false)
    }
    guard OggPages.lacksEnd(file) else { return }
    throw AudioFileError(
      .notAudio, path: path, reason: "the file is truncated before any sound: \(text)",
      advice: "Check what was to write it.")
  }

  static func decodingFailed(_ path: String, _ reason: String) -> AudioFileError {
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

  /// The properties that the library reports. A stream of unknown length is reported with one of several very large numbers
  /// (SF_COUNT_MAX for Ogg, what the header claims for a piped WAV); a length is believed only where the library could look for itself.
  private static func format(of info: SF_INFO) -> AudioFileFormat {
    let isLengthKnown = info.seekable != 0 && info.frames < Int64(Int32.max) * 1024
    return AudioFileFormat(
      sampleRate: Double(info.samplerate), channels: Int(info.channels), frames: isLengthKnown ? Int(info.frames) : nil,
      container: containerName(info.format), codec: name(of: info.format & Int32(SF_FORMAT_SUBMASK)) ?? "unknown codec")
  }

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
