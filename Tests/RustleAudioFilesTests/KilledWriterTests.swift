import Foundation
import RustleAudio
@testable import RustleAudioFiles
import Synchronization
import TestSupport
import Testing

/// What a file holds when the process that writes it ends at any moment.
@Suite(.releasesNativeObjects) struct KilledWriterTests {
  typealias Options = AudioFileWriter.Options

  static let kinds: [(name: String, encoding: AudioFileWriter.Encoding)] = [
    ("a.wav", .int16), ("a.wav", .int24), ("a.wav", .int32), ("a.wav", .float32), ("a.flac", .int16),
    ("a.flac", .int24),
  ]

  /// Looks at a copy of the file after each append: what a reader finds lacks at most the last second, and is the sound.
  @Test(arguments: kinds, [4_096.0, 8_000, 11_025])
  func afterEachAppendTheFileOpens(kind: (name: String, encoding: AudioFileWriter.Encoding), rate: Double) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: kind.name).path
    let format = try AudioFormat(sampleRate: rate, channels: 1)
    var writer = try AudioFileWriter(path: path, format: format, options: Options(encoding: kind.encoding))
    #expect(try Self.framesOfACopy(of: path, channels: 1) == 0)
    var frames = 0
    for step in [1, 2_047, 100, 9_000, 4_001, 3, 30_000, 1] {
      try writer.append(TestSound.buffer(frames..<frames + step, format))
      frames += step
      let kept = try Self.framesOfACopy(of: path, channels: 1)
      #expect(kept <= frames)
      #expect(Double(frames - kept) < rate, "kept \(kept) of \(frames)")
    }
    try writer.finish()
    #expect(try Self.framesOfACopy(of: path, channels: 1) == frames)
  }

  /// The system may write a part of a coded frame and then end the process.
  @Test(arguments: [AudioFileWriter.Encoding.int16, .int24])
  func aFLACFileThatEndsWithinACodedFrameIsReadUpToIt(encoding: AudioFileWriter.Encoding) throws {
    let folder = try ScratchFolder()
    let (whole, cut) = (folder.url.appending(path: "a.flac"), folder.url.appending(path: "cut.flac"))
    let format = try AudioFormat(sampleRate: 16_000, channels: 2)
    var writer = try AudioFileWriter(path: whole.path, format: format, options: Options(encoding: encoding))
    try writer.append(TestSound.buffer(0..<4_097, format))
    let first = try Data(contentsOf: whole)
    try writer.append(TestSound.buffer(4_097..<8_193, format))
    let second = try Data(contentsOf: whole)
    try #require(second.count > first.count)
    for length in stride(from: first.count, to: second.count, by: 101) {
      // Of a frame that is not whole the header does not know.
      try (first + second[first.count..<length]).write(to: cut)
      let samples = try TestSound.read(cut.path)
      #expect(samples.count == 2 * 4_096, "cut at \(length)")
      #expect(TestSound.isBeginning(samples, channels: 2))
    }

    var damaged = second
    damaged.replaceSubrange(first.count - 100..<first.count - 50, with: Data(count: 50))
    try damaged.write(to: cut)
    let error = #expect(throws: AudioFileError.self) { try TestSound.read(cut.path) }
    #expect(error?.code == .readFailed)
    try writer.finish()
    try Data(contentsOf: whole).dropLast(100).write(to: cut)
    let missing = #expect(throws: AudioFileError.self) { try TestSound.read(cut.path) }
    #expect(missing?.code == .readFailed)
  }

  /// The frames that are read from the file as it is now; all of them are checked.
  static func framesOfACopy(of path: String, channels: Int) throws -> Int {
    let copy = path + ".copy." + URL(filePath: path).pathExtension
    let bytes = try Data(contentsOf: URL(filePath: path))
    try bytes.write(to: URL(filePath: copy))
    if path.hasSuffix(".wav") { try Self.expectNoPromise(beyond: bytes) }
    let samples = try TestSound.read(copy)
    #expect(TestSound.isBeginning(samples, channels: channels))
    return samples.count / channels
  }

  static func number(_ bytes: Data, at place: Int, count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
  }

  /// The sizes in the header end where the file does or before.
  static func expectNoPromise(beyond bytes: Data) throws {
    let name = String(decoding: bytes[0..<4], as: UTF8.self)
    let dataName = try #require(bytes.firstRange(of: Data("data".utf8)))
    let start = UInt64(dataName.upperBound + 4)
    #expect(bytes.count >= Int(start))
    if name == "RF64" {
      #expect(bytes[12..<16] == Data("ds64".utf8))
      #expect(number(bytes, at: 4, count: 4) == 0xFFFF_FFFF)
      #expect(number(bytes, at: dataName.upperBound, count: 4) == 0xFFFF_FFFF)
      #expect(number(bytes, at: 20, count: 8) + 8 <= UInt64(bytes.count))
      #expect(start + number(bytes, at: 28, count: 8) <= UInt64(bytes.count))
    } else {
      #expect(name == "RIFF")
      #expect(bytes[12..<16] == Data("JUNK".utf8))
      #expect(number(bytes, at: 4, count: 4) + 8 <= UInt64(bytes.count))
      #expect(start + number(bytes, at: dataName.upperBound, count: 4) <= UInt64(bytes.count))
    }
  }

  /// The same file, except for the sizes, with the real limit of 4 GiB.
  @Test(arguments: [AudioFileWriter.Encoding.int16, .int24, .float32], [1, 3])
  func aFileThatOutgrowsItsSizesBecomesRF64(encoding: AudioFileWriter.Encoding, channels: Int) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: "a.wav").path
    let format = try AudioFormat(sampleRate: 1_000, channels: channels)
    var writer = try AudioFileWriter(
      path: path, format: format, options: Options(encoding: encoding), largestRIFF: 20_000)
    var names: [String] = []
    for first in stride(from: 0, to: 15_000, by: 1_000) {
      try writer.append(TestSound.buffer(first..<first + 1_000, format))
      let kept = try Self.framesOfACopy(of: path, channels: channels)
      #expect(first + 1_000 - kept < 1_000)
      names.append(String(decoding: try Data(contentsOf: URL(filePath: path)).prefix(4), as: UTF8.self))
    }
    try writer.append(TestSound.buffer(15_000..<15_001, format))
    try writer.finish()
    #expect(names.first == "RIFF" && names.last == "RF64")
    #expect(try Self.framesOfACopy(of: path, channels: channels) == 15_001)
    #expect(try AudioFileReader(path: path).format.frames == 15_001)
    #expect(try AudioFileReader(path: path).layout == format.layout)
  }

  @Test func theHeaderTurnsAtFourGigabytes() throws {
    let header = WaveHeader(
      sampleRate: 48_000, layout: .stereo, encoding: .int16, largestRIFF: UInt64(UInt32.max) - 1)
    // 4 + 36 + 24 + 8 bytes behind the first eight, then four of each frame.
    let most = (UInt64(UInt32.max) - 1 - 72) / 4
    let small = header.bytes(frames: most, isPadded: false)
    #expect(small.prefix(4) == Data("RIFF".utf8))
    #expect(Self.number(small, at: 4, count: 4) == 72 + 4 * most)
    #expect(Self.number(small, at: small.count - 4, count: 4) == 4 * most)
    let large = header.bytes(frames: most + 1, isPadded: false)
    #expect(large.prefix(4) == Data("RF64".utf8))
    #expect(Self.number(large, at: 20, count: 8) == 72 + 4 * (most + 1))
    #expect(Self.number(large, at: 28, count: 8) == 4 * (most + 1))
    #expect(Self.number(large, at: 36, count: 8) == most + 1)
    #expect(large.count == small.count && small.count == header.count)
    for encoding in AudioFileWriter.Encoding.allCases {
      for channels in [1, 32] {
        let any = WaveHeader(sampleRate: 1, layout: .default(for: channels), encoding: encoding, largestRIFF: 0)
        #expect(any.count <= 128, "it is no longer surely within one sector")
      }
    }
  }

  /// Twenty processes that write as fast as they can, each killed from another thread at a moment of its own.
  @Test(arguments: 0..<Repetitions.of(20)) func aKilledProcessLeavesAFileThatOpens(round: Int) async throws {
    let folder = try ScratchFolder()
    let kind = Self.kinds[round % Self.kinds.count]
    let path = folder.url.appending(path: kind.name).path
    let progress = path + ".progress"
    let encoding = kind.encoding.rawValue
    // Up to nine seconds at 44.1 kHz, and then up to some milliseconds, so that it strikes anywhere within a call.
    let frames = Int.random(in: 1_024...400_000)
    let turns = Int.random(in: 0...100_000)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [
        path = path as String, progress = progress as String, encoding = encoding as String, frames = frames as Int,
        turns = turns as Int
      ] in
      let format = try AudioFormat(sampleRate: 44_100, channels: 2)
      let options = Options(encoding: try #require(AudioFileWriter.Encoding(rawValue: encoding)))
      let buffers = (0..<64).map { TestSound.buffer($0 * 1_024..<($0 + 1) * 1_024, format) }
      try Data().write(to: URL(filePath: progress))
      let reported = try FileHandle(forWritingTo: URL(filePath: progress))
      var writer = try AudioFileWriter(path: path, format: format, options: options)
      let appended = Progress()
      Thread.detachNewThread {
        while appended.frames.load(ordering: .acquiring) < frames {}
        for _ in 0..<turns { appended.turns.add(1, ordering: .relaxed) }
        kill(getpid(), SIGKILL)
      }
      for number in 1...100_000 {
        try writer.append(buffers[(number - 1) % 64])
        // A length that is written here was appended; it outlives the process as the sound does.
        try reported.seek(toOffset: 0)
        try reported.write(contentsOf: Data(String(number * 1_024).utf8))
        appended.frames.store(number * 1_024, ordering: .releasing)
      }
    }
    let reported = try #require(Int(try String(contentsOf: URL(filePath: progress), encoding: .utf8)))
    let kept = try Self.framesOfACopy(of: path, channels: 2)
    #expect(reported >= 1_024)
    #expect(kept <= reported + 1_024)
    #expect(reported - kept < 44_100, "kept \(kept) of \(reported) frames, \(kind)")
  }
}

/// The messages of the writing thread to the one that ends the process.
private final class Progress: Sendable {
  let frames = Atomic(0)
  let turns = Atomic(0)
}
