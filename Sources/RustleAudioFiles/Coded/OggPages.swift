internal import Foundation

/// The pages of an Ogg file (RFC 3533, section 6). Each look moves the file's position.
enum OggPages {
  /// The bytes of a page before its table of segments.
  private static let headBytes = 27
  /// The longest page: 255 segments of 255 bytes.
  private static let longestPage: UInt64 = 27 + 255 + 255 * 255
  /// More streams than any file has that begin together.
  private static let maximumBeginningCount = 32
  /// More false pages than damage makes.
  private static let maximumFalsePageCount = 1_000

  /// The system does not read the file, or there are too many false pages.
  private struct Lost: Error {}

  /// A part of a chained file (RFC 3533, section 4), of whatever serial numbers; a file that is no chain is one link.
  struct Link {
    /// The bytes up to the end of its last page that was not cut; where its pages could not be followed, up to the end of the file.
    let bytes: Range<UInt64>
    /// Where its streams begin, which begin together: sound and pictures, or several sounds.
    let beginnings: [UInt64]
    /// The codecs of the streams, of those that are known here.
    let codecs: Set<Codec>
    /// Whether a page ends sound, by its position in it, or that is unknown; those of headers are 0.
    let hasSound: Bool
    /// Where the next link begins; nil of the last one.
    let next: UInt64?

    /// Where to read from, so that the stream that begins there is the first one.
    var starts: [UInt64] { [bytes.lowerBound] + beginnings.dropFirst() }
  }

  /// Whether a file begins with a page.
  static func begin(_ file: FileHandle) -> Bool {
    (try? file.seek(toOffset: 0)) != nil && (try? file.read(upToCount: 4)) == Data("OggS".utf8)
  }

  /// The link that begins at a place. Streams that begin behind pages of others begin the next one, unless the page is damaged.
  static func link(of file: FileHandle, from start: UInt64) -> Link {
    var (beginnings, codecs, isBeginning, hasSound): ([UInt64], Set<Codec>, Bool, Bool) = ([], [], true, false)
    var (last, end, next): (UInt64, UInt64, UInt64?) = (start, start, nil)
    let limit = (try? file.seekToEnd()) ?? start
    do throws(Lost) {
      try forEachPage(of: file, from: start) { page, place, length throws(Lost) in
        let begins = page[5] & 2 != 0 ? try isWhole(file, place, length) : false
        if begins && !isBeginning {
          next = place
          return false
        }
        isBeginning = isBeginning && begins
        if isBeginning, beginnings.count < maximumBeginningCount {
          beginnings.append(place)
          let packet = page.dropFirst(headBytes + Int(page[headBytes - 1]))
          codecs.formUnion(Codec.allCases.filter { packet.starts(with: $0.rawValue.utf8) })
        }
        let position = page[6..<14]
        hasSound = hasSound || position.contains { $0 > 0 } && position.contains { $0 < 255 }
        (last, end) = (place, place + length)
        return true
      }
      if end > next ?? limit { end = last }
    } catch {
      // The library reads on, and reports what it does not read.
      (end, hasSound) = (limit, true)
    }
    return Link(
      bytes: start..<(end > start ? end : max(start, limit)), beginnings: beginnings, codecs: codecs,
      hasSound: hasSound, next: next)
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

  /// Calls `body` with the beginning of each page, at least its table of segments, its place and its length, until it returns false
  /// or no page follows. What stands between pages, the rest of a cut one too, is left out; behind it, and behind the end of a stream,
  /// a page's checksum has to be right.
  private static func forEachPage(
    of file: FileHandle, from start: UInt64,
    _ body: (_ page: [UInt8], _ place: UInt64, _ length: UInt64) throws(Lost) -> Bool
  ) throws(Lost) {
    guard let end = try? file.seekToEnd() else { throw Lost() }
    var (last, place, follows, falsePages): (UInt64?, UInt64, Bool, Int) = (nil, start, true, 0)
    while place != end {
      let page = try bytes(of: file, place..<place + UInt64(headBytes + 255))
      if page.count >= headBytes, isPage(page[...]) {
        let table = page.dropFirst(headBytes).prefix(Int(page[headBytes - 1]))
        guard table.count == Int(page[headBytes - 1]) else { return }
        let length = UInt64(headBytes + table.count + table.reduce(0) { $0 + Int($1) })
        last = place
        if follows ? true : try isWhole(file, place, length) {
          guard try body(page, place, length) else { return }
          (place, follows) = (place + length, page[5] & 4 == 0)
          continue
        }
        falsePages += 1
        if falsePages == maximumFalsePageCount { throw Lost() }
      }
      guard let before = last, let next = try nextPage(of: file, after: before) else { return }
      (last, place, follows) = (next, next, false)
    }
  }

  /// The place of the first page that begins behind another place; nil: none does.
  private static func nextPage(of file: FileHandle, after place: UInt64) throws(Lost) -> UInt64? {
    var (start, count): (UInt64, UInt64) = (place + 1, 4_096)
    while true {
      let bytes = try bytes(of: file, start..<start + count)
      guard bytes.count >= 6 else { return nil }
      if let found = bytes.indices.dropLast(5).first(where: { isPage(bytes[$0..<$0 + 6]) }) {
        return start + UInt64(found)
      }
      start += UInt64(bytes.count - 5)
      count = min(2 * count, 1 << 20)
    }
  }

  /// The bytes of a file, as far as they are there.
  private static func bytes(of file: FileHandle, _ range: Range<UInt64>) throws(Lost) -> [UInt8] {
    do {
      let length = try file.seekToEnd()
      let count = Int(min(range.upperBound, length) - min(range.lowerBound, length))
      try file.seek(toOffset: range.lowerBound)
      let bytes = try file.read(upToCount: count) ?? Data()
      // Before a part that the system does not read, it returns fewer.
      guard bytes.count == count else { throw Lost() }
      return [UInt8](bytes)
    } catch {
      throw Lost()
    }
  }

  /// Whether the checksum of a page is right.
  private static func isWhole(_ file: FileHandle, _ place: UInt64, _ length: UInt64) throws(Lost) -> Bool {
    var page = try bytes(of: file, place..<place + length)
    guard page.count == Int(length) else { return false }
    let stated = page[22..<26].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    return checksum(page) == stated
  }

  /// The checksum of a page in which its own four bytes are 0.
  static func checksum(_ page: [UInt8]) -> UInt32 {
    page.reduce(0) { sum, byte in sum << 8 ^ remainders[Int(sum >> 24 ^ UInt32(byte))] }
  }

  /// The remainders of bytes by the checksum's polynomial.
  private static let remainders = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { sum, _ in sum << 1 ^ (sum >> 31) &* 0x04C1_1DB7 }
  }

  /// Whether an Ogg file ends within a page, or with one that does not end its stream. False for other files, and for one whose
  /// last page is not found.
  static func lacksEnd(_ file: FileHandle) -> Bool {
    guard begin(file), let length = try? file.seekToEnd() else { return false }
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
