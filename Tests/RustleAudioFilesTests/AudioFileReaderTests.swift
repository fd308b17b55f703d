import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct AudioFileReaderTests {
  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

  @Test func floatSamplesArriveBitForBit() throws {
    let folder = try ScratchFolder()
    let samples: [Float] = [0, 0.5, -0.25, 1, -1, 0.123_456_79]
    let path = try folder.write(WaveFile.floats(samples, channels: 2, sampleRate: 48_000), as: "f.wav")
    var reader = try AudioFileReader(path: path)
    #expect(
      reader.format
        == AudioFileFormat(sampleRate: 48_000, channels: 2, frames: 3, container: "WAV", codec: "32 bit float"))
    var block: [Float] = []
    #expect(try reader.read(into: &block, maximumFrameCount: 100) == 3)
    #expect(block == samples)
    #expect(try reader.read(into: &block, maximumFrameCount: 100) == 0)
    #expect(block.isEmpty)
  }

  @Test func aWaveFileThatWasCutOffSaysWhatItPromised() throws {
    let folder = try ScratchFolder()
    let samples = [Float](repeating: 0.5, count: 1_000)
    let whole = WaveFile.floats(samples, channels: 2, sampleRate: 8_000)
    func format(_ data: Data, _ name: String) throws -> AudioFileFormat {
      try AudioFileReader(path: try folder.write(data, as: name)).format
    }
    #expect(try format(whole, "whole.wav").promisedFrames == nil)
    let cut = try format(whole.dropLast(2_000), "cut.wav")
    #expect(cut.promisedFrames == 500 && cut.frames == 250)
    // An unknown chunk of an odd size before the samples, and one behind them.
    let odd = Data("odd ".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
    let more = whole.prefix(36) + odd + whole.dropFirst(36)
    #expect(try format(more + odd, "odd.wav").promisedFrames == nil)
    #expect(try format(more.dropLast(800), "odd-cut.wav").promisedFrames == 500)
    // Sizes that a program writes into a pipe promise nothing.
    for size in [[0xFF, 0xFF, 0xFF, 0xFF], [0x00, 0xF0, 0xFF, 0x7F]] as [[UInt8]] {
      let stream = whole.prefix(40) + size + whole.dropFirst(44)
      #expect(try format(stream, "stream.wav").promisedFrames == nil)
    }
    #expect(try format(whole.prefix(44), "empty.wav").promisedFrames == 500)
  }

  /// As of a program that was killed before it wrote the length; used to be a file of 0 frames.
  @Test func aWaveFileWithoutALengthIsReadToItsEnd() throws {
    let folder = try ScratchFolder()
    // Samples whose bytes are no names of chunks, and such that are; a byte of the next frame is left out.
    let text = [Float](repeating: Float(bitPattern: 0x4141_4141), count: 9)
    for samples in [(0..<1_000).map { Float($0) / 1_024 }, text] {
      let whole = WaveFile.floats(samples, channels: 1, sampleRate: 8_000)
      for riff in [whole[4..<8], Data([36, 0, 0, 0]), Data(count: 4)] {
        let header: Data = whole.prefix(4) + riff + whole[8..<40] + Data(count: 4)
        let data = header + whole.dropFirst(44) + [7]
        var reader = try AudioFileReader(path: try folder.write(data, as: "a.wav"))
        #expect(reader.format.lengthFault == .noLength && reader.format.frames == samples.count)
        var read: [Float] = []
        #expect(try reader.read(into: &read, maximumFrameCount: 2_000) == samples.count)
        #expect(read == samples)
      }
    }
    // No samples: chunks or a tag of ID3v1 behind those of an empty file, or a part of a frame.
    let empty = WaveFile.floats([], channels: 1, sampleRate: 8_000)
    let tag = Data("TAG".utf8) + Data(count: 125)
    for more in [Data("LIST".utf8) + [4, 0, 0, 0] + Data("INFO".utf8), Data([1, 2, 3]), Data(), tag] {
      let reader = try AudioFileReader(path: try folder.write(empty + more, as: "empty.wav"))
      #expect(reader.format.lengthFault == nil && reader.format.frames == 0)
    }
  }

  @Test func integersAreScaledToPlusMinusOne() throws {
    let folder = try ScratchFolder()
    let data = WaveFile.integers([0, 16_384, -32_768, 32_767], channels: 1, sampleRate: 8_000)
    var reader = try AudioFileReader(path: try folder.write(data, as: "i.wav"))
    var block: [Float] = []
    #expect(try reader.read(into: &block, maximumFrameCount: 4) == 4)
    #expect(block == [0, 0.5, -1, 32_767.0 / 32_768.0])
    #expect(reader.format.seconds == 4.0 / 8_000)
  }

  @Test(arguments: [1, 2, 3, 7, 10, 11]) func blocksJoinToTheWholeFile(bufferFrameCount: Int) throws {
    let folder = try ScratchFolder()
    let samples = (0..<20).map { Float($0) / 32 }
    let path = try folder.write(WaveFile.floats(samples, channels: 2, sampleRate: 44_100), as: "b.wav")
    var reader = try AudioFileReader(path: path)
    var block: [Float] = Array(repeating: 9, count: 5)
    var joined: [Float] = []
    while try reader.read(into: &block, maximumFrameCount: bufferFrameCount) > 0 { joined += block }
    #expect(joined == samples)
  }

  @Test func monoIsTheMeanOfTheChannelsOrOneOfThem() throws {
    let folder = try ScratchFolder()
    let data = WaveFile.floats([1, 0.5, -1, 0], channels: 2, sampleRate: 44_100)
    let path = try folder.write(data, as: "m.wav")
    func mono(_ selection: ChannelSelection) throws -> [Float] {
      var reader = try AudioFileReader(path: path)
      var block: [Float] = []
      _ = try reader.readMono(into: &block, maximumFrameCount: 8, selecting: selection)
      return block
    }
    #expect(try mono(.all) == [0.75, -0.5])
    #expect(try mono(.channel(0)) == [1, -1])
    #expect(try mono(.channel(1)) == [0.5, 0])
  }

  /// The fixtures hold 441 Hz at a half of full scale on the left and 882 Hz at a quarter on the right; a lossy codec
  /// keeps the level within a few per cent.
  @Test(arguments: [
    ("stereo.flac", "FLAC", "Signed 16 bit PCM"), ("stereo.ogg", "OGG", "Vorbis"),
    ("stereo.mp3", "MP3", "MPEG Layer III"),
  ])
  func compressedFormatsAreRead(name: String, container: String, codec: String) throws {
    var reader = try AudioFileReader(path: Self.fixtures.appending(path: name).path)
    #expect(reader.format.sampleRate == 44_100)
    #expect(reader.format.channels == 2)
    #expect(reader.format.container == container)
    #expect(reader.format.codec == codec)
    var block: [Float] = []
    var left: [Float] = []
    var right: [Float] = []
    while try reader.read(into: &block, maximumFrameCount: 1_000) > 0 {
      for frame in stride(from: 0, to: block.count, by: 2) {
        left.append(block[frame])
        right.append(block[frame + 1])
      }
    }
    // MP3 pads the beginning and the end, by less than one coded frame; the middle is steady in all three. LAME scales
    // its input by 0.95, the other two keep the level.
    let frames = try #require(reader.format.frames)
    #expect(abs(frames - left.count) < (container == "MP3" ? 1_152 : 1))
    #expect(abs(Self.level(left[5_000..<17_000], of: 441, at: 44_100) - 0.5) < 0.03)
    #expect(abs(Self.level(right[5_000..<17_000], of: 882, at: 44_100) - 0.25) < 0.03)
    #expect(Self.level(left[5_000..<17_000], of: 882, at: 44_100) < 0.01)
  }

  /// The amplitude of one frequency by direct correlation; the spans used hold a whole number of its periods.
  static func level(_ samples: ArraySlice<Float>, of hertz: Double, at sampleRate: Double) -> Double {
    var real = 0.0
    var imaginary = 0.0
    for (n, sample) in samples.enumerated() {
      let phase = 2 * Double.pi * hertz * Double(n) / sampleRate
      real += Double(sample) * cos(phase)
      imaginary += Double(sample) * sin(phase)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
  }

  @Test func thePromisedFormatsAreInTheInstalledLibrary() {
    for format in AudioLibrary.Format.allCases { #expect(AudioLibrary.supports(format), "\(format.rawValue)") }
    #expect(AudioLibrary.version.hasPrefix("libsndfile"))
  }
}
