import Foundation
import RustleAudio
@testable import RustleAudioFiles
import TestSupport
import Testing

/// Files of lossy codecs: what is written comes back, also from the file of a process that was killed.
@Suite(.releasesNativeObjects) struct CodedFileTests {
  typealias Container = AudioFileWriter.Container

  static let lossy = Container.allCases.filter { !$0.isLossless }

  /// A sweep from 200 Hz to 2 kHz in five seconds, which shows a shift by a single frame.
  static func sweep(_ frames: Range<Int>, _ format: AudioFormat) throws -> PCMBuffer {
    let samples = frames.flatMap { frame in
      let time = Double(frame) / format.sampleRate
      let sample = Float(0.4 * sin(2 * .pi * (200 * time + 180 * time * time)))
      return [Float](repeating: sample, count: format.channels)
    }
    return try PCMBuffer(format: format, samples: samples, position: Int64(frames.lowerBound))
  }

  /// The root of the mean square of the difference to the sweep, in the frames from 4,800 on.
  static func difference(_ samples: [Float], _ format: AudioFormat) throws -> Double {
    let expected = try sweep(0..<samples.count / format.channels, format).samples
    let squares = zip(samples, expected).dropFirst(4_800).map { Double(($0 - $1) * ($0 - $1)) }
    return (squares.reduce(0, +) / Double(max(1, squares.count))).squareRoot()
  }

  static func name(_ container: Container) -> String { "a.\(container.rawValue.lowercased())" }

  /// Cut Ogg and M4A files used to be read without a word.
  @Test(arguments: lossy) func aFileThatWasCutIsReportedOf(container: Container) async throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: Self.name(container)).path
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    var writer = try AudioFileWriter(path: path, format: format)
    try writer.append(Self.sweep(0..<240_000, format))
    try writer.finish()
    func read(_ data: Data, duration: Duration? = nil) async throws -> OpenedInput {
      try data.write(to: URL(filePath: path))
      let input = try await AudioFileInput(path: path).open(duration: duration)
      for try await _ in input.buffers() {}
      return input
    }
    let whole = try Data(contentsOf: URL(filePath: path))
    #expect(try await read(whole).truncation == nil)
    // What other programs add at the end is none of the stream.
    if container == .ogg || container == .opus {
      #expect(try await read(whole + Data("OggS is here".utf8) + Data(count: 5_000)).truncation == nil)
    }
    for length in [whole.count * 3 / 4 + 1, whole.count * 7 / 8] {
      let cut = try await read(whole.prefix(length))
      let truncation = try #require(cut.truncation)
      #expect(truncation.found == cut.counts.frames && (20_000..<236_000).contains(truncation.found))
      if container != .mp3 && container != .m4a { #expect(truncation.promised == nil) }
      #expect(try await read(whole.prefix(length), duration: .milliseconds(100)).truncation == nil)
    }
  }

  /// The end of the stream alone is missing, of which the sound has a part.
  @Test func anOggFileThatLacksItsLastPageIsCut() throws {
    let folder = try ScratchFolder()
    let page = Data("OggS".utf8) + [0]
    let rest = Data(count: 20) + [2, 10, 5]
    let sound = Data(count: 15)
    for (flags, data, isMissing) in [
      (4, sound, false), (6, sound, false), (0, sound, true), (4, sound.dropLast(), true), (4, Data(), true),
    ] as [(UInt8, Data, Bool)] {
      let file = try folder.write(page + [0] + rest + sound + page + [flags] + rest + data, as: "a.ogg")
      #expect(
        try OggPages.lacksEnd(#require(FileHandle(forReadingAtPath: file))) == isMissing, "\(flags), \(data.count)")
    }
    for start in ["OggS", "Ogg"] {
      let file = try folder.write(Data(start.utf8), as: "a.ogg")
      #expect(try OggPages.lacksEnd(#require(FileHandle(forReadingAtPath: file))) == (start == "OggS"))
    }
  }

  @Test(arguments: lossy, [1, 2]) func soundComesBackInItsPlaceAndLength(container: Container, channels: Int) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: Self.name(container)).path
    let format = try AudioFormat(sampleRate: 48_000, channels: channels)
    var writer = try AudioFileWriter(path: path, format: format)
    #expect(writer.container == container)
    for first in stride(from: 0, to: 144_000, by: 12_000) {
      try writer.append(Self.sweep(first..<first + 12_000, format))
    }
    #expect(writer.framesWritten == 144_000 && writer.clippedSamples == 0 && writer.undefinedSamples == 0)
    try writer.finish()
    let file = try AudioFileReader(path: path).format
    #expect(file.channels == channels && file.sampleRate == 48_000)
    #expect(file.container == (container == .opus ? "OGG" : container.rawValue))
    let samples = try TestSound.read(path)
    #expect(samples.count == 144_000 * channels)
    if let frames = file.frames { #expect(frames == 144_000) }
    #expect(try Self.difference(samples, format) < 0.02)
  }

  @Test(arguments: lossy) func moreQualityTakesMoreBytes(container: Container) throws {
    let folder = try ScratchFolder()
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    // Noise, which no codec makes small.
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<96_000).map { _ in Float.random(in: -0.5...0.5, using: &generator) }
    let sizes = try [-1.0, 0, 0.5, 1, 2].map { (quality: Double) throws -> Int in
      let path = folder.url.appending(path: "\(quality)-\(Self.name(container))").path
      var writer = try AudioFileWriter(path: path, format: format, options: .init(quality: quality))
      try writer.append(PCMBuffer(format: format, samples: noise, position: 0))
      try writer.finish()
      return try Data(contentsOf: URL(filePath: path)).count
    }
    #expect(sizes[1] < sizes[2] && sizes[2] < sizes[3], "\(sizes)")
    #expect(abs(sizes[0] - sizes[1]) < 2_000 && abs(sizes[4] - sizes[3]) < 2_000, "\(sizes)")
  }

  @Test(arguments: lossy) func aFormatThatACodecLacksIsRefusedAndLeavesNoFile(container: Container) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: Self.name(container)).path
    for (rate, channels) in [(48_000.0, 3), (999, 1), (48_000.5, 1), (384_000, 2)] {
      let error = #expect(throws: AudioFileError.self) {
        _ = try AudioFileWriter(path: path, format: AudioFormat(sampleRate: rate, channels: channels))
      }
      #expect(error?.code == .unsupported && error?.reason.contains("expected") == true, "\(rate) Hz, \(channels)")
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test(arguments: lossy) func samplesThatAreNoNumbersBecomeSilence(container: Container) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: Self.name(container)).path
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    var writer = try AudioFileWriter(path: path, format: format)
    try writer.append(
      PCMBuffer(
        format: format, samples: [.nan, .infinity, -.infinity] + [Float](repeating: 0, count: 9_597), position: 0))
    #expect(writer.undefinedSamples == 1)
    try writer.finish()
    let samples = try TestSound.read(path)
    #expect(samples.count == 9_600)
    #expect(samples.allSatisfy { $0.isFinite && abs($0) < 2 })
    #expect(samples.dropFirst(4_800).allSatisfy { abs($0) < 0.01 })
  }

  /// What a reader finds in a copy of the file while it is written.
  @Test(arguments: lossy) func anUnfinishedFileOpens(container: Container) async throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: Self.name(container)).path
    let copy = folder.url.appending(path: "copy-" + Self.name(container))
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    var writer = try AudioFileWriter(path: path, format: format)
    try writer.append(Self.sweep(0..<192_000, format))
    var kept = 0
    // The encoder of M4A, a process of its own, takes its time.
    for _ in 0..<200 {
      try Data(contentsOf: URL(filePath: path)).write(to: copy)
      kept = (try? TestSound.read(copy.path).count / 2) ?? 0
      if container != .m4a || kept >= 144_000 { break }
      try ProcessLimits.awaitOthers()
    }
    #expect(kept >= 144_000 && kept <= 192_000 + 2_048, "\(kept) of 192000 frames")
    // The header that the end of an MP3 completes, a frame of its own, says how long the codec's delay is.
    let delay = container == .mp3 ? 1_152 + 1_105 : 0
    #expect(try Self.difference(Array(TestSound.read(copy.path).dropFirst(2 * delay)), format) < 0.02)
    try writer.finish()
    #expect(try TestSound.read(path).count == 2 * 192_000)
  }

  /// The program that encodes completes the file when the process that wrote is killed.
  @Test func anM4AOfAKilledProcessHasAllOfItsSound() async throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: "a.m4a").path
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String] in
      let format = try AudioFormat(sampleRate: 48_000, channels: 2)
      var writer = try AudioFileWriter(path: path, format: format)
      try writer.append(CodedFileTests.sweep(0..<100_001, format))
      _ = kill(getpid(), SIGKILL)
      try writer.finish()
    }
    var frames = 0
    for _ in 0..<200 where frames < 100_001 {
      frames = (try? TestSound.read(path).count / 2) ?? 0
      if frames < 100_001 { try ProcessLimits.awaitOthers() }
    }
    #expect(frames == 100_001)
  }

  @Test func aDamagedM4AIsAnErrorAndNotItsEnd() throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: "a.m4a").path
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    var writer = try AudioFileWriter(path: path, format: format)
    try writer.append(Self.sweep(0..<192_000, format))
    try writer.finish()
    let whole = try Data(contentsOf: URL(filePath: path))
    var damaged = whole
    damaged.replaceSubrange(whole.count / 2..<whole.count / 2 + 4_000, with: Data(repeating: 0xFF, count: 4_000))
    for (bytes, code) in [
      (damaged, AudioFileError.Code.readFailed), (whole.prefix(40), .notAudio),
      (whole.prefix(8) + Data(repeating: 0xA5, count: 5_000), .notAudio),
    ] {
      let cut = try folder.write(Data(bytes), as: "cut.m4a")
      let error = #expect(throws: AudioFileError.self) { _ = try TestSound.read(cut).count }
      #expect(error?.code == code, "\(error?.description ?? "no error")")
    }
    // Wherever the processes that wrote it ended, the fragments before are there.
    for share in stride(from: 0.3, through: 0.95, by: 0.13) {
      let cut = try folder.write(Data(whole.prefix(Int(Double(whole.count) * share))), as: "cut.m4a")
      let frames = try TestSound.read(cut).count / 2
      #expect(frames > Int(192_000 * share) - 48_000, "\(frames) frames of \(share)")
    }
  }

  /// A playlist or a description of other files is no sound file, whatever its name.
  /// The file's header halves its 3 s; it used to be cut there.
  @Test func anM4AIsReadBeyondADurationThatIsTooShort() throws {
    let path = AudioFileReaderTests.fixtures.appending(path: "short-duration.m4a").path
    var reader = try AudioFileReader(path: path)
    #expect(reader.format.frames == 12_512)
    var (sound, block): ([Float], [Float]) = ([], [])
    while try reader.read(into: &block, maximumFrameCount: 1_000) > 0 { sound += block }
    // With the padding of the last coded frame, whose length nothing reports.
    #expect(sound.count == 24_576)
    #expect(try reader.read(into: &block, maximumFrameCount: 1_000) == 0 && block.isEmpty)
    for second in 0..<3 {
      var energy = 0.0
      for sample in sound[8_000 * second + 500..<8_000 * second + 7_500] { energy += Double(sample) * Double(sample) }
      #expect(abs(10 * log10(energy / 7_000) + 9) < 0.5, "\(second)")
    }
  }

  @Test func anM4AReachesNoOtherFile() throws {
    let folder = try ScratchFolder()
    let secret = try folder.write(WaveFile.sine(440, amplitude: 0.5, seconds: 0.1, sampleRate: 8_000), as: "secret.wav")
    for text in ["ffconcat version 1.0\nfile '\(secret)'\n", "#EXTM3U\n#EXTINF:1,\n\(secret)\n"] {
      // With the mark of an MP4 file in its place, so that FFmpeg sees it.
      let bytes = Data([0, 0, 0, 8]) + Data("ftyp\n".utf8) + Data(text.utf8)
      let error = #expect(throws: AudioFileError.self) {
        _ = try TestSound.read(folder.write(bytes, as: "a.m4a")).count
      }
      #expect(error?.code == .notAudio)
    }
  }

  /// The encoder has ended, with a limit in place of a full disk: an error, and no signal that ends this process.
  @Test(arguments: lossy) func aFullDiskIsAnError(container: Container) async throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: Self.name(container)).path
    await #expect(processExitsWith: .success) {
      [path = path as String] in
      try Self.writeUntilFull(path)
    }
    #expect(try TestSound.read(path).count > 0)
  }

  static func writeUntilFull(_ path: String) throws {
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    try ProcessLimits.largestFile(20_000)
    var writer = try AudioFileWriter(path: path, format: format)
    var failure: AudioFileError?
    var first = 0
    while failure == nil && first < 9_600_000 {
      do {
        try writer.append(sweep(first..<first + 48_000, format))
        first += 48_000
      } catch let error as AudioFileError {
        failure = error
      }
    }
    #expect(failure?.code == .diskFull, "\(failure?.description ?? "no error")")
  }
}
