internal import Foundation

/// The outermost boxes of an MP4 file, whole or written fragment by fragment (ISO/IEC 14496-12, sections 4.2 and 8.8).
struct MP4Boxes {
  /// The byte behind the last fragment whose sound is whole, or behind the header if there is none.
  private(set) var end: UInt64 = 0
  /// Whether the file ends within a box behind that byte; of a file without fragments, within its sound, which its header precedes.
  private(set) var isUnfinished = false
  /// Whether sound is missing for that: what is behind the last fragment, `mfra`, has none.
  private(set) var lacksSound = false

  /// Reads the sizes of the outermost boxes; of a file that cannot be read there are none.
  init(of file: FileHandle) {
    guard let length = try? file.seekToEnd() else { return }
    var (place, isFragmented, isDamaged, isIndex): (UInt64, Bool, Bool, Bool) = (0, false, false, false)
    var (last, hasHeader, isEndless) = ("", false, false)
    while place + 8 <= length, (try? file.seek(toOffset: place)) != nil, let head = try? file.read(upToCount: 16) {
      let name = String(decoding: head.dropFirst(4).prefix(4), as: UTF8.self)
      isFragmented = isFragmented || name == "moof"
      isDamaged = isFragmented && !Self.parts.contains(name)
      isIndex = name == "mfra"
      hasHeader = hasHeader || name == "moov"
      last = name
      var size = Self.number(head.prefix(4))
      // The size 1 is followed by one of eight bytes.
      if size == 1 { size = Self.number(head.dropFirst(8)) }
      // The size 0 is that of a last box, up to the end of the file.
      if size == 0 { (size, isEndless) = (length - place, true) }
      guard size >= 8, size <= length - place else { break }
      place += size
      // The description of a fragment is nothing without its sound.
      if name != "moof" { end = place }
    }
    // What is too short for a box behind the sound is none that was cut, unless it begins as the size of one.
    let isShort = end == place && length - end < 8 && last == "mdat"
    let isWhole = end == length || isShort && !Self.beginsBox(file, at: end)
    let isCut = isFragmented ? !isDamaged : hasHeader && last == "mdat"
    // Whether sound without a size was cut is not known here.
    isUnfinished = isCut && (!isWhole || isEndless && !isFragmented)
    lacksSound = isUnfinished && !isWhole && !isIndex
  }

  /// The boxes that a file of fragments consists of behind its header; of damage come other names.
  private static let parts: Set = ["moof", "mdat", "styp", "sidx", "mfra"]

  /// Whether the up to 7 bytes behind a place begin as the size of a box, of which zeros alone are none.
  private static func beginsBox(_ file: FileHandle, at place: UInt64) -> Bool {
    guard (try? file.seek(toOffset: place)) != nil, let rest = try? file.read(upToCount: 7) else { return false }
    return rest.first == 0 && rest.contains { $0 != 0 }
  }

  private static func number(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
