import Foundation
import RustleAudio
import TestSupport
import Testing

@testable import RustleAudioFiles

/// Files that end early, and such that only look like it.
@Suite(.releasesNativeObjects) struct CutFileTests {
  /// A file of the codec, of a sweep of three seconds.
  static func coded(_ container: AudioFileWriter.Container, in folder: borrowing ScratchFolder) throws -> Data {
    let path = folder.url.appending(path: CodedFileTests.name(container)).path
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    var writer = try AudioFileWriter(path: path, format: format)
    try writer.append(CodedFileTests.sweep(0..<144_000, format))
    try writer.finish()
    return try Data(contentsOf: URL(filePath: path))
  }

  /// The outermost boxes of an MP4 file.
  static func boxes(_ data: Data) -> [(name: String, bytes: Range<Int>)] {
    var boxes: [(name: String, bytes: Range<Int>)] = []
    var place = 0
    while place + 8 <= data.count {
      let size = data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      boxes.append((String(decoding: data[place + 4..<place + 8], as: UTF8.self), place..<place + size))
      place += max(8, size)
    }
    return boxes
  }

  private func read(_ data: Data, _ name: String, in folder: borrowing ScratchFolder) async throws -> OpenedInput {
    let input = try await AudioFileInput(path: folder.write(data, as: name)).open()
    for try await _ in input.buffers() {}
    return input
  }

  /// A last box whose size is 0, and a byte behind it, used to be taken for a cut.
  @Test func anM4AOfFragmentsWithoutItsIndexIsWhole() async throws {
    let folder = try ScratchFolder()
    let data = try Self.coded(.m4a, in: folder)
    let frames = try await read(data, "whole.m4a", in: folder).counts.frames
    let last = try #require(Self.boxes(data).last { $0.name == "mdat" }).bytes
    let whole = data[..<last.upperBound]
    let endless = whole[..<last.lowerBound] + Data(count: 4) + whole[(last.lowerBound + 4)...]
    for (bytes, isWhole) in [
      (whole, true), (endless, true), (whole + Data("\n".utf8), true), (whole.dropLast(9), false),
      (whole + Data([0, 0, 1, 0]) + Data("moof".utf8), false), (whole + Data([0, 0, 1]), false),
    ] as [(Data, Bool)] {
      let input = try await read(Data(bytes), "b.m4a", in: folder)
      #expect((input.truncation == nil) == isWhole, "\(bytes.count)")
      if isWhole { #expect(input.counts.frames == frames) }
    }
  }

  /// Used to be an error at its end.
  @Test func anM4AWithoutFragmentsIsReadToWhereItWasCut() async throws {
    let folder = try ScratchFolder()
    _ = try Self.coded(.m4a, in: folder)
    let path = folder.url.appending(path: "fast.m4a").path
    let arguments = ["-i", folder.url.appending(path: "a.m4a").path, "-c", "copy", "-movflags", "+faststart", path]
    let program = try FFmpeg("ffmpeg", arguments, path: path, seconds: 60, output: .nullDevice)
    #expect(program.failure() == nil)
    let whole = try Data(contentsOf: URL(filePath: path))
    #expect(Self.boxes(whole).last?.name == "mdat")
    #expect(try await read(whole, "b.m4a", in: folder).truncation == nil)
    let half = try await read(whole.prefix(whole.count / 2), "b.m4a", in: folder)
    let truncation = try #require(half.truncation)
    #expect(try abs(#require(truncation.promised) - 144_000) < 2_048)
    #expect((36_000..<108_000).contains(truncation.found))
    #expect(try await read(whole.dropLast(20), "b.m4a", in: folder).truncation != nil)
    // Sound without a size, up to the end of the file.
    let sound = try #require(Self.boxes(whole).last).bytes.lowerBound
    let endless = whole[..<sound] + Data(count: 4) + whole[(sound + 4)...]
    #expect(try await read(endless, "b.m4a", in: folder).truncation == nil)
    #expect(try await read(endless.prefix(whole.count / 2), "b.m4a", in: folder).truncation?.found == truncation.found)
  }

  /// What libsndfile cannot decode used to be truncated.
  @Test(arguments: [("\u{7F}FLAC", "FLAC"), ("Speex   ", "SPEEX")])
  func oggOfAnotherCodecIsUnsupported(packet: String, name: String) throws {
    let folder = try ScratchFolder()
    let cut =
      OggFileTests.page(2, Data(packet.utf8) + Data(count: 72)) + OggFileTests.page(0, Data(count: 50)).dropLast(20)
    let path = try folder.write(cut, as: "a.ogg")
    let error = #expect(throws: AudioFileError.self) { _ = try AudioFileReader(path: path).format }
    #expect(
      error?.code == .unsupported && error?.reason.hasSuffix("\(name) in Ogg") == true, "\(String(describing: error))")
  }

  /// A large file of a program that was killed before it wrote the length; used to be of 0 frames.
  @Test func anRF64WithoutALengthIsReadToItsEnd() throws {
    let folder = try ScratchFolder()
    let samples = (0..<1_000).map { Float($0) / 1_024 }
    let wave = WaveFile.floats(samples, channels: 1, sampleRate: 8_000)
    let unknown = Data([0xFF, 0xFF, 0xFF, 0xFF])
    let ds64 = Data("ds64".utf8) + [28, 0, 0, 0] + Data(count: 28)
    let head: Data = Data("RF64".utf8) + unknown + wave[8..<12] + ds64 + wave[12..<40]
    for size in [unknown, Data(count: 4)] {
      let path = try folder.write(head + size + wave.dropFirst(44), as: "a.wav")
      #expect(try AudioFileReader(path: path).format.lengthFault == .noLength)
      #expect(try TestSound.read(path) == samples)
    }
    let empty = try AudioFileReader(path: folder.write(head + unknown, as: "empty.wav"))
    #expect(empty.format.lengthFault == nil && empty.format.frames == 0)
  }

  @Test func anAIFFThatWasCutSaysWhatItPromised() throws {
    let folder = try ScratchFolder()
    func number(_ value: Int) -> Data { Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }) }
    // 8,000 Hz as a number of 80 bits.
    let rate = Data([0x40, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0])
    let common = Data("COMM".utf8) + number(18) + [0, 2] + number(500) + [0, 16] + rate
    let odd = Data("ANNO".utf8) + number(3) + Data(count: 4)
    let sound = Data("SSND".utf8) + number(2_008) + Data(count: 2_008)
    let body = Data("AIFF".utf8) + common + odd + sound
    let whole = Data("FORM".utf8) + number(body.count) + body
    let format = try AudioFileReader(path: folder.write(whole, as: "a.aiff")).format
    #expect(format.promisedFrames == nil && format.frames == 500 && format.container == "AIFF")
    let cut = try AudioFileReader(path: folder.write(whole.dropLast(1_000), as: "cut.aiff")).format
    #expect(cut.promisedFrames == 500 && cut.frames == 250)
    // What SoX writes where it does not know the length, as into a pipe: such a file used to be truncated.
    let unknown = 0x7F00_0000
    let piped =
      Data("FORM".utf8) + number(unknown + 46) + Data("AIFF".utf8) + common.prefix(10) + number(unknown / 4)
      + common.dropFirst(14) + odd + Data("SSND".utf8) + number(unknown + 8) + sound.dropFirst(8)
    let endless = try AudioFileReader(path: folder.write(piped, as: "piped.aiff")).format
    #expect(endless.promisedFrames == nil && endless.frames == 500)
  }

  /// The bytes and packets of compressed sound used to be taken for frames, of which there are more.
  @Test(arguments: ["wav", "aiff"]) func compressedSoundThatWasCutIsReported(name: String) async throws {
    let folder = try ScratchFolder()
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    var writer = try AudioFileWriter(path: folder.url.appending(path: "a.wav").path, format: format)
    try writer.append(CodedFileTests.sweep(0..<48_000, format))
    try writer.finish()
    let path = folder.url.appending(path: "a.\(name == "aiff" ? "aifc" : "ima.wav")").path
    let codec = name == "aiff" ? "adpcm_ima_qt" : "adpcm_ima_wav"
    let arguments = [
      "-i", folder.url.appending(path: "a.wav").path, "-c:a", codec, "-f", name == "aiff" ? "aiff" : "wav", path,
    ]
    #expect(try FFmpeg("ffmpeg", arguments, path: path, seconds: 60, output: .nullDevice).failure() == nil)
    let whole = try Data(contentsOf: URL(filePath: path))
    #expect(try await read(whole, "whole.\(name)", in: folder).truncation == nil)
    let half = try await read(whole.prefix(whole.count / 2), "half.\(name)", in: folder)
    #expect(try (12_000..<36_000).contains(#require(half.truncation).found))
  }

  @Test func aRIFXFileThatWasCutSaysWhatItPromised() throws {
    let folder = try ScratchFolder()
    func number(_ value: UInt32, _ count: Int = 4) -> Data {
      Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32(count - 1 - $0))) })
    }
    let format = number(1, 2) + number(1, 2) + number(8_000) + number(16_000) + number(2, 2) + number(16, 2)
    let head = Data("RIFX".utf8) + number(1_036) + Data("WAVEfmt ".utf8) + number(16) + format
    let whole = head + Data("data".utf8) + number(1_000) + Data(count: 1_000)
    #expect(try AudioFileReader(path: folder.write(whole, as: "a.wav")).format.promisedFrames == nil)
    let cut = try AudioFileReader(path: folder.write(whole.dropLast(500), as: "cut.wav")).format
    #expect(cut.promisedFrames == 500 && cut.frames == 250)
  }
}
