internal import CSndfile
internal import Foundation

/// The length in the header of a WAV or AIFF file whose sound is longer or shorter.
enum WaveLength {
  /// More than the file holds, which is cut off; libsndfile corrects the header silently. The frames are nil of compressed sound
  /// whose header has only its bytes.
  case short(promised: Int?)
  /// None, although samples follow, since the writer ended before it wrote the length: the bytes to read in place of those of the
  /// file, which make the sizes of the file and of its samples unknown.
  case missing(repairs: [FilePart.Repair])

  /// Sizes from here on mean that the length was not known when the header was written: FFmpeg writes 0xFFFFFFFF into a pipe,
  /// SoX 0x7FFFF000 and more.
  private static let unknownSize: UInt64 = 0x7FFF_F000
  /// The same of AIFF, whose length SoX counts from here.
  private static let unknownAIFFSize: UInt64 = 0x7F00_0000
  /// The formats of WAV whose blocks are frames: integers, floats, A-law, mu-law, and those that a longer header names.
  private static let framed: Set<UInt64> = [1, 3, 6, 7, 0xFFFE]
  /// More chunks than any file has before its samples.
  private static let maximumChunkCount = 1_000

  /// The length of a file; nil where it is right, where it is unknown, and for other than WAV and AIFF files. Moves its position.
  static func of(_ file: FileHandle) -> Self? {
    guard let end = try? file.seekToEnd(), let start = bytes(of: file, at: 0, count: 12) else { return nil }
    if name(start, 0) == "FORM", ["AIFF", "AIFC"].contains(name(start, 8)) { return ofAIFF(file, end: end) }
    let kind = name(start, 0)
    guard ["RIFF", "RF64", "RIFX"].contains(kind), name(start, 8) == "WAVE" else { return nil }
    let isLarge = kind == "RF64"
    func number(_ data: Data, _ offset: Int, bytes: Int) -> UInt64 {
      Self.number(data, offset, bytes: bytes, highestFirst: kind == "RIFX")
    }
    var offset: UInt64 = 12
    var frameBytes: UInt64?
    var largeSize: UInt64?
    var isFramed = true
    var compressed: UInt64 = 0
    for _ in 0..<maximumChunkCount {
      guard let head = bytes(of: file, at: offset, count: 8) else { return nil }
      let size = number(head, 4, bytes: 4)
      switch name(head, 0) {
      case "fmt ":
        let format = bytes(of: file, at: offset + 8, count: 14)
        frameBytes = format.map { number($0, 12, bytes: 2) }
        isFramed = format.map { framed.contains(number($0, 0, bytes: 2)) } ?? true
      // The frames of compressed sound.
      case "fact": compressed = bytes(of: file, at: offset + 8, count: 4).map { number($0, 0, bytes: 4) } ?? 0
      // The size of the samples is the second of its numbers (EBU Tech 3306, section 3).
      case "ds64": largeSize = bytes(of: file, at: offset + 8, count: 16).map { number($0, 8, bytes: 8) }
      case "data":
        guard let frameBytes, frameBytes > 0 else { return nil }
        guard let promised = isLarge ? largeSize : size < unknownSize ? size : nil else { return nil }
        let left = end - (offset + 8)
        if promised > left {
          if isFramed { return .short(promised: Int(clamping: promised / frameBytes)) }
          return .short(promised: (1..<unknownSize).contains(compressed) ? Int(compressed) : nil)
        }
        guard kind != "RIFX", promised == 0, size == 0 || isLarge && size >= unknownSize, left >= frameBytes,
          !hasOnlyChunks(file, from: offset + 8, to: end)
        else { return nil }
        let unknown: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
        // The length of an RF64 file is that of its chunk ds64, which in a RIFF file means nothing.
        return .missing(repairs: [
          .init(place: 0, bytes: Array("RIFF".utf8) + unknown), .init(place: offset + 4, bytes: unknown),
        ])
      default: break
      }
      // Chunks begin at even offsets.
      offset += 8 + size + size % 2
    }
    return nil
  }

  /// The length of an AIFF file that ends within its samples (Audio Interchange File Format, sections Common and Sound Data).
  private static func ofAIFF(_ file: FileHandle, end: UInt64) -> Self? {
    var offset: UInt64 = 12
    var frames: UInt64 = 0
    for _ in 0..<maximumChunkCount {
      guard let head = bytes(of: file, at: offset, count: 8) else { return nil }
      let size = number(head, 4, bytes: 4, highestFirst: true)
      switch name(head, 0) {
      case "COMM":
        let common = bytes(of: file, at: offset + 8, count: Int(min(size, 22)))
        frames = common.map { number($0, 2, bytes: 4, highestFirst: true) } ?? 0
        // Its packets are counted, of 64 frames.
        if let common, name(common, 18) == "ima4" { frames *= 64 }
      case "SSND":
        let isShort = size < unknownAIFFSize && size > end - (offset + 8) && frames > 0
        return isShort ? .short(promised: Int(frames)) : nil
      default: break
      }
      offset += 8 + size + size % 2
    }
    return nil
  }

  /// The frames by the header of a WAV or AIFF file that comes from a pipe; nil without a length there.
  static func promised(by info: SF_INFO) -> Int? {
    let unknown: UInt64? =
      switch Int(info.format) & SF_FORMAT_TYPEMASK {
      case SF_FORMAT_WAV, SF_FORMAT_WAVEX: unknownSize
      case SF_FORMAT_AIFF: unknownAIFFSize
      default: nil
      }
    let bytes: UInt64? =
      switch Int(info.format) & SF_FORMAT_SUBMASK {
      case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ULAW, SF_FORMAT_ALAW: 1
      case SF_FORMAT_PCM_16: 2
      case SF_FORMAT_PCM_24: 3
      case SF_FORMAT_PCM_32, SF_FORMAT_FLOAT: 4
      case SF_FORMAT_DOUBLE: 8
      default: nil
      }
    guard let unknown, let bytes, info.frames > 0 else { return nil }
    return UInt64(info.frames) < unknown / (bytes * UInt64(info.channels)) ? Int(info.frames) : nil
  }

  /// Whether the bytes up to the end are chunks with names, or the tag ID3v1, rather than samples.
  private static func hasOnlyChunks(_ file: FileHandle, from start: UInt64, to end: UInt64) -> Bool {
    if end - start == 128, let tag = bytes(of: file, at: start, count: 3), tag == Data("TAG".utf8) { return true }
    var offset = start
    for _ in 0..<maximumChunkCount where offset < end {
      guard let head = bytes(of: file, at: offset, count: 8), head.prefix(4).allSatisfy({ (0x20...0x7E).contains($0) })
      else {
        return false
      }
      let size = number(head, 4, bytes: 4)
      offset += 8 + size
      // Some writers leave the last chunk without its byte that makes it even.
      if offset < end { offset += size % 2 }
    }
    return offset == end
  }

  private static func bytes(of file: FileHandle, at offset: UInt64, count: Int) -> Data? {
    guard (try? file.seek(toOffset: offset)) != nil, let data = try? file.read(upToCount: count), data.count == count
    else { return nil }
    return data
  }

  private static func name(_ data: Data, _ offset: Int) -> String {
    String(decoding: data.dropFirst(offset).prefix(4), as: UTF8.self)
  }

  private static func number(_ data: Data, _ offset: Int, bytes: Int, highestFirst: Bool = false) -> UInt64 {
    let digits = [UInt8](data.dropFirst(offset).prefix(bytes))
    return (highestFirst ? digits : digits.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
