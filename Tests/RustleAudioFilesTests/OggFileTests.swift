import Foundation
import RustleAudio
import TestSupport
import Testing

@testable import RustleAudioFiles

/// Ogg files of several streams: one after the other, which are a chain, or side by side.
@Suite(.releasesNativeObjects) struct OggFileTests {
  /// A file of a sweep.
  private static func coded(
    _ container: AudioFileWriter.Container, frames: Int = 200_000, sampleRate: Double = 48_000, channels: Int = 1
  ) throws -> Data {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: CodedFileTests.name(container)).path
    let format = try AudioFormat(sampleRate: sampleRate, channels: channels)
    var writer = try AudioFileWriter(path: path, format: format)
    try writer.append(CodedFileTests.sweep(0..<frames, format))
    try writer.finish()
    return try Data(contentsOf: URL(filePath: path))
  }

  /// A page with one segment, and the right checksum.
  static func page(_ flags: UInt8, _ packet: Data, serial: UInt8 = 0, position: UInt8 = 0) -> Data {
    let head: Data = Data("OggS".utf8) + [0, flags, position] + Data(count: 7) + [serial] + Data(count: 11)
    return checked(head + [1, UInt8(packet.count)] + packet)
  }

  private static func checked(_ page: Data) -> Data {
    let zero = page.prefix(22) + Data(count: 4) + page.dropFirst(26)
    let sum = OggPages.checksum([UInt8](zero))
    return zero.prefix(22) + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) } + zero.dropFirst(26)
  }

  /// The pages of a file, with another serial number.
  private static func pages(_ data: Data, serial: UInt8) -> [Data] {
    var (pages, rest): ([Data], Data) = ([], Data(data))
    while rest.count > 27 {
      let segments = Int(rest[26])
      let length = 27 + segments + rest[27..<27 + segments].reduce(0) { $0 + Int($1) }
      pages.append(checked(rest.prefix(14) + [serial, 0, 0, 0] + rest[18..<length]))
      rest = Data(rest.dropFirst(length))
    }
    return pages
  }

  private func read(_ data: Data, in folder: borrowing ScratchFolder) throws -> (AudioFileFormat, [Float]) {
    let path = try folder.write(data, as: "a.ogg")
    return (try AudioFileReader(path: path).format, try TestSound.read(path))
  }

  /// Only the first stream used to be read.
  @Test(arguments: [AudioFileWriter.Container.ogg, .opus]) func theStreamsOfAChainAreReadOneAfterTheOther(
    container: AudioFileWriter.Container
  ) throws {
    let folder = try ScratchFolder()
    let (first, other) = try (Self.coded(container), Self.coded(container, frames: 150_001))
    let empty = try Self.coded(container, frames: 0)
    let (begun, head) = (Self.pages(other, serial: 9)[0], Self.pages(other, serial: 9)[...1])
    let (one, two) = try (read(first, in: folder).1, read(other, in: folder).1)
    #expect(one.count == 200_000 && two.count == 150_001)
    let cut = first.dropLast(first.count / 2)
    let (short, half) = try (read(Data(cut), in: folder).1, read(other.dropLast(other.count / 3), in: folder).1)
    #expect(short.count < one.count && half.count < two.count)
    for (name, chain, sound, fault) in [
      ("plain", first + other, one + two, nil), ("with the same numbers", first + first, one + one, nil),
      ("three", first + other + first, one + two + one, nil), ("the first cut", cut + other, short + two, nil),
      ("the last cut", first + other.dropLast(other.count / 3), one + half, .noEnd),
      ("the last cut in its header", first + other.prefix(100), one, .noEnd),
      ("bytes between", first + Data(count: 70_000) + other, one + two, nil),
      ("a false page between", first + Data("OggS".utf8) + [0, 2] + Data(count: 900) + other, one + two, nil),
      ("bytes behind", first + other + Data(count: 5_000), one + two, nil),
      ("an empty one between", first + empty + other, one + two, nil), ("empty first", empty + other, two, nil),
      // The library ends no stream of Opus without sound.
      ("empty last", first + empty, one, container == .opus ? .noEnd : nil),
      ("one of a page between", first + begun + other, one + two, nil),
      ("a header between", first + head.reduce(Data(), +) + other, one + two, nil),
    ] as [(String, Data, [Float], AudioFileFormat.LengthFault?)] {
      let (format, samples) = try read(chain, in: folder)
      let isEqual = samples == sound
      #expect(isEqual, "\(name): \(samples.count) of \(sound.count)")
      #expect(format.frames == sound.count && format.lengthFault == fault, "\(name): \(format)")
    }
  }

  @Test func aBufferHasTheSoundOfManyStreams() async throws {
    let folder = try ScratchFolder()
    let short = try Self.coded(.ogg, frames: 1_000)
    let path = try folder.write((0..<30).reduce(Data()) { data, _ in data + short }, as: "a.ogg")
    var reader = try AudioFileReader(path: path)
    #expect(reader.format.frames == 30_000)
    var block: [Float] = []
    #expect(try reader.read(into: &block, maximumFrameCount: 25_500) == 25_500)
    #expect(try reader.read(into: &block, maximumFrameCount: 25_500) == 4_500 && block.count == 4_500)
    #expect(try reader.read(into: &block, maximumFrameCount: 25_500) == 0 && block.isEmpty)
    let part = try await AudioFileInput(path: path).open(from: .milliseconds(500), duration: .milliseconds(50))
    for try await _ in part.buffers() {}
    #expect(part.counts.frames == 2_400 && part.counts.skippedFrames == 24_000 && part.truncation == nil)
  }

  @Test func aChainOfVorbisAndOpusIsRead() throws {
    let folder = try ScratchFolder()
    let (format, samples) = try read(Self.coded(.ogg) + Self.coded(.opus), in: folder)
    #expect(samples.count == 400_000 && format.frames == 400_000 && format.codec == "Vorbis")
  }

  @Test func aChainIsReadUpToAStreamOfAnotherKind() async throws {
    let folder = try ScratchFolder()
    let first = try Self.coded(.ogg)
    for (name, other) in try [
      ("channels", Self.coded(.ogg, channels: 2)), ("rate", Self.coded(.ogg, sampleRate: 44_100)),
      ("codec", Self.page(2, Data("Speex   ".utf8)) + Self.page(4, Data(count: 9), position: 160)),
    ] {
      let input = try await AudioFileInput(path: folder.write(first + first + other + first, as: "a.ogg")).open()
      for try await _ in input.buffers() {}
      #expect(input.file?.lengthFault == .furtherStreams && input.file?.frames == 400_000, "\(name)")
      #expect(input.counts.frames == 400_000 && input.truncation == nil, "\(name)")
    }
  }

  @Test func ofStreamsSideBySideTheFirstSoundIsRead() throws {
    let folder = try ScratchFolder()
    let (first, other) = try (Self.coded(.ogg), Self.coded(.ogg, frames: 250_000, channels: 2))
    let (one, two) = (Self.pages(first, serial: 1), Self.pages(other, serial: 2))
    var both = Data()
    for index in 0..<max(one.count, two.count) {
      for pages in [one, two] where index < pages.count { both += pages[index] }
    }
    let (format, samples) = try read(both, in: folder)
    let isFirst = try samples == read(first, in: folder).1
    #expect(isFirst && format.channels == 1 && format.lengthFault == nil)
    // Pictures, of which nothing is known here, come first.
    let picture = Self.page(2, Data("\u{80}theora".utf8) + Data(count: 40), serial: 3)
    let film = picture + one[0] + Self.page(4, Data(count: 40), serial: 3) + one[1...].reduce(Data(), +)
    for copies in 1...2 {
      let (format, samples) = try read((0..<copies).reduce(Data()) { data, _ in data + film }, in: folder)
      #expect(samples.count == copies * 200_000 && format.frames == copies * 200_000 && format.lengthFault == nil)
    }
  }

  /// The streams of sound and pictures begin together; those of a chain one behind the other.
  @Test func streamsThatBeginTogetherAreNoChain() throws {
    let folder = try ScratchFolder()
    let (begin, middle, end) = (Self.page(2, Data([1])), Self.page(0, Data([2, 3])), Self.page(4, Data()))
    let damaged = begin.prefix(14) + [7] + begin.dropFirst(15)
    for (pages, isChained) in [
      ([begin, begin, middle, end, middle, end], false), ([begin, middle, end], false),
      ([begin, middle, begin, middle, end], true), ([begin, begin, middle, end, begin], true),
      ([begin, Data("noise".utf8), begin], false), ([begin, middle.dropLast(1), begin], true), ([], false),
      ([begin, middle, Data("noise".utf8), middle, end, Data("noise".utf8)], false),
      ([begin, middle, damaged, middle, end], false), ([begin, middle + Data([1]), begin], true),
      ([begin, middle.prefix(27) + [255] + Data(count: 9), begin], true),
    ] as [([Data], Bool)] {
      let path = try folder.write(Data(pages.joined()), as: "a.ogg")
      let file = try #require(FileHandle(forReadingAtPath: path))
      #expect((OggPages.link(of: file, from: 0).next != nil) == isChained, "\(pages)")
    }
  }
}
