internal import Foundation

/// The end of an Ogg file (RFC 3533, section 6).
enum OggEnd {
  /// The bytes of a page before its table of segments.
  private static let headBytes = 27
  /// The longest page: 255 segments of 255 bytes.
  private static let longestPage: UInt64 = 27 + 255 + 255 * 255

  /// What is wrong with the length of an Ogg file; nil: nothing that is known.
  static func fault(of path: String) -> AudioFileFormat.LengthFault? {
    hasFurtherStreams(in: path) ? .furtherStreams : isMissing(in: path) ? .noEnd : nil
  }

  /// Whether streams begin behind the first pages of sound or pictures: a chained file (RFC 3533, section 4), of whatever serial
  /// numbers.
  static func hasFurtherStreams(in path: String) -> Bool {
    var isBeginning = true
    var isChained = false
    forEachPage(of: path) { page in
      let begins = page[5] & 2 != 0
      isChained = begins && !isBeginning
      isBeginning = isBeginning && begins
      return !isChained
    }
    return isChained
  }

  /// The codecs of the streams at the beginning, of those that are known here.
  static func codecs(of path: String) -> Set<Codec> {
    var codecs: Set<Codec> = []
    forEachPage(of: path) { page in
      let packet = page.dropFirst(headBytes + Int(page[headBytes - 1]))
      codecs.formUnion(Codec.allCases.filter { packet.starts(with: $0.rawValue.utf8) })
      return page[5] & 2 != 0
    }
    return codecs
  }

  /// A codec by the beginning of its first packet.
  enum Codec: String, CaseIterable {
    case vorbis = "\u{1}vorbis"
    case opus = "OpusHead"
    case flac = "\u{7F}FLAC"
    case speex = "Speex   "

    /// Whether the installed libsndfile is known to decode it; it opens files of the others and fails.
    var isDecoded: Bool { self == .vorbis || self == .opus }
  }

  /// Calls `body` with the beginning of each page, at least its table of segments, until it returns false, or no page follows. What
  /// stands between pages, the rest of a cut one too, is left out.
  private static func forEachPage(of path: String, _ body: ([UInt8]) -> Bool) {
    guard let file = FileHandle(forReadingAtPath: path) else { return }
    defer { try? file.close() }
    guard let length = try? file.seekToEnd() else { return }
    var (last, place): (UInt64?, UInt64) = (nil, 0)
    while place != length {
      guard (try? file.seek(toOffset: place)) != nil, let read = try? file.read(upToCount: headBytes + 255) else {
        return
      }
      let page = [UInt8](read)
      if page.count >= headBytes, isPage(page[...]) {
        let table = page.dropFirst(headBytes).prefix(Int(page[headBytes - 1]))
        guard table.count == Int(page[headBytes - 1]), body(page) else { return }
        last = place
        place += UInt64(headBytes + table.count + table.reduce(0) { $0 + Int($1) })
      } else {
        guard let before = last, let next = nextPage(of: file, after: before) else { return }
        (last, place) = (next, next)
      }
    }
  }

  /// The place of the first page that begins behind another place; nil: none does.
  private static func nextPage(of file: FileHandle, after place: UInt64) -> UInt64? {
    var start = place + 1
    while (try? file.seek(toOffset: start)) != nil, let read = try? file.read(upToCount: 1 << 20), read.count >= 6 {
      let bytes = [UInt8](read)
      if let found = bytes.indices.dropLast(5).first(where: { isPage(bytes[$0..<$0 + 6]) }) {
        return start + UInt64(found)
      }
      start += UInt64(bytes.count - 5)
    }
    return nil
  }

  /// Whether an Ogg file ends within a page, or with one that does not end its stream. False for other files, and for one whose
  /// last page is not found.
  static func isMissing(in path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    guard (try? file.read(upToCount: 4)) == Data("OggS".utf8), let length = try? file.seekToEnd() else { return false }
    // What other programs add behind the last page is short.
    let start = length - min(length, 2 * longestPage)
    guard (try? file.seek(toOffset: start)) != nil, let read = try? file.readToEnd() else { return false }
    let tail = [UInt8](read)
    guard let page = tail.indices.last(where: { isPage(tail[$0...]) }) else { return false }
    let segments = page + headBytes
    guard segments <= tail.count, segments + Int(tail[segments - 1]) <= tail.count else { return true }
    let table = tail[segments..<segments + Int(tail[segments - 1])]
    let end = table.endIndex + table.reduce(0) { $0 + Int($1) }
    // The third bit marks the last page of a stream.
    return end > tail.count || tail[page + 5] & 4 == 0
  }

  /// Whether the bytes begin as a page: the capture pattern, the version 0, and flags of three bits, as far as they are there.
  private static func isPage(_ bytes: ArraySlice<UInt8>) -> Bool {
    let head = bytes.prefix(6)
    guard head.count >= 4, head.prefix(4).elementsEqual("OggS".utf8) else { return false }
    return head.dropFirst(4).prefix(1).allSatisfy { $0 == 0 } && head.dropFirst(5).allSatisfy { $0 < 8 }
  }
}
