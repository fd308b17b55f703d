internal import Foundation

/// The links of a chained Ogg file behind its first one, as long as they have its rate and its channels.
final class OggChain {
  private let file: FileHandle
  private let path: String
  /// Where the next link begins, and where those end that are read.
  private var (place, end): (UInt64, UInt64)
  private var link: SoundFile?
  private var block: [Float] = []
  /// The frames of the links that are read; nil if one does not say.
  let frames: Int?
  /// Whether other links follow, which are not read: of another rate, other channels, or that cannot be decoded.
  let isUnread: Bool
  private let kind: (sampleRate: Double, channels: Int)

  /// Opens each link, which closes again.
  init(of file: FileHandle, path: String, from start: UInt64, sampleRate: Double, channels: Int) {
    var (next, end, frames, isUnread): (UInt64?, UInt64, Int?, Bool) = (start, start, 0, false)
    while let place = next {
      let link = OggPages.link(of: file, from: place)
      guard let sound = SoundFile(link, of: file, path: path) else {
        isUnread = link.hasSound
        if isUnread { break }
        next = link.next
        continue
      }
      isUnread = sound.format.sampleRate != sampleRate || sound.format.channels != channels
      if isUnread { break }
      frames = frames.flatMap { frames in sound.format.frames.map { frames + $0 } }
      (next, end) = (link.next, link.bytes.upperBound)
    }
    (self.file, self.path, place, self.end) = (file, path, start, end)
    (self.frames, self.isUnread, kind) = (frames, isUnread, (sampleRate, channels))
  }

  /// Appends the next frames to `buffer`; returns how many there were: fewer than `maximumFrameCount` only at the end.
  func read(appendingTo buffer: inout [Float], maximumFrameCount: Int) throws(AudioFileError) -> Int {
    var frames = 0
    while frames < maximumFrameCount {
      if link == nil, try !openNext() { break }
      let count = try link?.read(into: &block, maximumFrameCount: maximumFrameCount - frames) ?? 0
      if count == 0 { link = nil }
      buffer += block
      frames += count
    }
    return frames
  }

  /// Opens the next link; returns false behind the last one.
  private func openNext() throws(AudioFileError) -> Bool {
    while place < end {
      let next = OggPages.link(of: file, from: place)
      place = next.next ?? end
      link = SoundFile(next, of: file, path: path)
      if let format = link?.format, (format.sampleRate, format.channels) == kind { return true }
      if link != nil || next.hasSound { throw SoundFile.decodingFailed(path, "a stream of the chain has changed") }
    }
    return false
  }
}
