import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct AudioFileWriterTests {
  typealias Options = AudioFileWriter.Options
  typealias Encoding = AudioFileWriter.Encoding

  /// The error of making or using a writer, which is not copyable.
  static func error(_ body: () throws -> Void) -> AudioFileError? {
    #expect(throws: AudioFileError.self, performing: body)
  }

  static func write(_ samples: [Float], to path: String, _ format: AudioFormat, _ options: Options) throws {
    var writer = try AudioFileWriter(path: path, format: format, options: options)
    try writer.append(PCMBuffer(format: format, wholeFrames: samples, position: 0))
    try writer.finish()
  }

  @Test(
    arguments: [
      ("a.wav", Encoding.int16, "WAV", "Signed 16 bit PCM"), ("a.wav", .int24, "WAV", "Signed 24 bit PCM"),
      ("a.WAVE", .int32, "WAV", "Signed 32 bit PCM"), ("a.wav", .float32, "WAV", "32 bit float"),
      ("a.flac", .int16, "FLAC", "Signed 16 bit PCM"), ("a.FLAC", .int24, "FLAC", "Signed 24 bit PCM"),
    ], [1, 2, 3, 8])
  func soundComesBackBitForBit(kind: (String, Encoding, String, String), channels: Int) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: kind.0).path
    let format = try AudioFormat(sampleRate: 44_100, channels: channels)
    var writer = try AudioFileWriter(path: path, format: format, options: Options(encoding: kind.1))
    // The steps are prime, so that pieces and blocks do not meet; the sum of the bytes is odd for one channel of 24 bits.
    var frames = 0
    for step in [1, 0, 4_099, 13, 1_007, 1] {
      try writer.append(TestSound.buffer(frames..<frames + step, format))
      frames += step
    }
    #expect(writer.framesWritten == 5_121)
    #expect(writer.clippedSamples == 0)
    try writer.finish()
    let reader = try AudioFileReader(path: path)
    #expect(
      reader.format
        == AudioFileFormat(
          sampleRate: 44_100, channels: channels, frames: frames, container: kind.2, codec: kind.3))
    #expect(reader.layout == format.layout)
    #expect(try TestSound.read(path) == TestSound.samples(0..<frames, channels: channels))
  }

  /// The finest steps of each encoding, and its ends.
  @Test(arguments: [("a.wav", Encoding.int24), ("a.flac", .int24), ("a.wav", .int32), ("a.wav", .float32)])
  func theFinestStepsComeBack(name: String, encoding: Encoding) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: name).path
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let step: Float = encoding == .int24 ? 1 / 8_388_608 : 1 / 2_147_483_648
    var samples: [Float] = [0, step, -step, 3 * step, -1, 1 - 1 / 8_388_608, 0.5, 0.5 + 1 / 8_388_608]
    if encoding == .float32 { samples += [1, 4, -.infinity, .leastNonzeroMagnitude, -0.0] }
    try Self.write(samples, to: path, format, Options(encoding: encoding))
    #expect(try TestSound.read(path).map(\.bitPattern) == samples.map(\.bitPattern))
  }

  @Test(arguments: ["a.wav", "a.flac"]) func whatDoesNotFitIsClippedAndCounted(name: String) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: name).path
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    var writer = try AudioFileWriter(path: path, format: format, options: Options(encoding: .int16))
    let half: Float = 0.5 / 32_768
    let samples: [Float] = [1, -1, 1.5, -1.5, .infinity, -.infinity, .nan, 0.25, half, 3 * half, -half]
    try writer.append(PCMBuffer(format: format, wholeFrames: samples, position: 0))
    #expect(writer.clippedSamples == 5)
    #expect(writer.undefinedSamples == 1)
    try writer.finish()
    let top: Float = 32_767 / 32_768
    #expect(try TestSound.read(path) == [top, -1, top, -1, top, -1, 0, 0.25, 0, 4 * half, 0])
  }

  /// A sample that does not fit takes another way than those that do, for its whole buffer.
  @Test(arguments: [AudioFileWriter.Encoding.int16, .int24, .int32], [1, 2, 3, 4, 1_001])
  func samplesAreRoundedAsBesideOneThatDoesNotFit(encoding: AudioFileWriter.Encoding, count: Int) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: "a.wav").path
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let step = Float(exp2(Double(1 - encoding.bits)))
    // Halves of steps among them, which are rounded to even.
    let samples = (0..<count).map { index in
      index.isMultiple(of: 2) ? Float(index - 500) * 0.5 * step : 0.996 * Float(sin(Double(index)))
    }
    try Self.write(samples, to: path, format, Options(encoding: encoding, overwrite: true))
    let plain = try TestSound.read(path)
    try Self.write(samples + [2], to: path, format, Options(encoding: encoding, overwrite: true))
    #expect(try TestSound.read(path).dropLast() == plain[...])
    let error = zip(plain, samples).map { abs(Double($0) - Double($1)) }.max()
    // Half a step, and what a Float of full scale does not distinguish.
    #expect(try #require(error) <= max(0.5 * Double(step), 0x1p-25))
  }

  /// Without noise a constant of a quarter of a step is lost; with it the mean keeps it, and the error's variance is that of
  /// rounding and of the noise, 1/12 + 2/12 of a step squared.
  @Test func ditherKeepsWhatIsBelowAStep() throws {
    let folder = try ScratchFolder()
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let samples = [Float](repeating: 0.25 / 32_768, count: 100_000)
    func steps(_ name: String, dither: Bool) throws -> [Double] {
      let path = folder.url.appending(path: name).path
      try Self.write(samples, to: path, format, Options(encoding: .int16, dither: dither))
      return try TestSound.read(path).map { Double($0) * 32_768 }
    }
    #expect(try steps("plain.wav", dither: false).allSatisfy { $0 == 0 })
    let noisy = try steps("noisy.wav", dither: true)
    let mean = noisy.reduce(0, +) / Double(noisy.count)
    let variance = noisy.reduce(0) { $0 + ($1 - 0.25) * ($1 - 0.25) } / Double(noisy.count)
    #expect(abs(mean - 0.25) < 0.01)
    #expect(abs(variance - 0.25) < 0.01)
    #expect(try steps("again.wav", dither: true) == noisy)
    #expect(try steps("coded.flac", dither: true) == noisy)
  }

  @Test(
    arguments: [
      [.left], [.left, .right, .discrete], [.left, .right, .leftSurround, .rightSurround], [.center, .lowFrequency],
      [.left, .right, .center, .lowFrequency, .leftBack, .rightBack, .leftSurround, .rightSurround],
    ] as [[ChannelLayout.Channel]])
  func aWaveFileKeepsTheLayout(channels: [ChannelLayout.Channel]) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: "a.wav").path
    let format = try AudioFormat(sampleRate: 48_000, layout: ChannelLayout(channels))
    try Self.write(TestSound.samples(0..<10, channels: channels.count), to: path, format, Options())
    #expect(try AudioFileReader(path: path).layout.channels == channels)
    #expect(try TestSound.read(path) == TestSound.samples(0..<10, channels: channels.count))
  }

  @Test func aLayoutThatWaveCannotSayIsReadAsTheUsual() throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: "a.wav").path
    let format = try AudioFormat(sampleRate: 48_000, layout: ChannelLayout([.right, .left]))
    try Self.write([1, 0], to: path, format, Options(encoding: .float32))
    #expect(try AudioFileReader(path: path).layout == .stereo)
    #expect(try TestSound.read(path) == [1, 0])
  }

  @Test func anotherFormatIsRefusedAndTheWriterGoesOn() throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: "a.wav").path
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    var writer = try AudioFileWriter(path: path, format: format)
    try writer.append(TestSound.buffer(0..<5, format))
    let other = TestSound.buffer(5..<9, try AudioFormat(sampleRate: 44_100, channels: 1))
    do {
      try writer.append(other)
      Issue.record("expected an error")
    } catch {
      #expect(error.code == .formatMismatch)
      #expect(error.reason == "expected sound of 48000 Hz, mono, got 44100 Hz, mono")
    }
    try writer.append(TestSound.buffer(5..<9, format))
    #expect(writer.framesWritten == 9)
    try writer.finish()
    #expect(try TestSound.read(path) == TestSound.samples(0..<9, channels: 1))
  }

  @Test(arguments: ["a.wav", "a.flac"]) func aWriterThatGoesAwayClosesItsFile(name: String) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: name).path
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    do {
      var writer = try AudioFileWriter(path: path, format: format)
      try writer.append(TestSound.buffer(0..<5_001, format))
    }
    #expect(try AudioFileReader(path: path).format.frames == 5_001)
    #expect(try TestSound.read(path) == TestSound.samples(0..<5_001, channels: 1))
  }

  @Test(arguments: ["a.wav", "a.flac"]) func aFileThatIsThereIsKeptUnlessItMayBeReplaced(name: String) throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data(repeating: 7, count: 100_000), as: name)
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let error = Self.error { _ = try AudioFileWriter(path: path, format: format) }
    #expect(error?.code == .alreadyExists)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(repeating: 7, count: 100_000))
    try Self.write(TestSound.samples(0..<9, channels: 1), to: path, format, Options(overwrite: true))
    #expect(try TestSound.read(path) == TestSound.samples(0..<9, channels: 1))
  }

  @Test func pathsThatCannotBeWrittenAreRefused() throws {
    let folder = try ScratchFolder()
    let file = try folder.write(Data(), as: "file")
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let options = Options(container: .wav, overwrite: true)
    for path in [
      "", "-", folder.url.path, folder.url.path + "/no/such/a.wav", file + "/a.wav", "/dev/null", "/dev/full",
    ] {
      let error = Self.error { _ = try AudioFileWriter(path: path, format: format, options: options) }
      #expect(error?.code == .notWritable, "\(path): \(error?.description ?? "no error")")
      #expect(error?.path == path)
    }
  }

  @Test func formatsThatAContainerDoesNotTakeAreRefusedBeforeTheFileIsMade() throws {
    let folder = try ScratchFolder()
    let name = folder.url.appending(path: "a").path
    func code(_ path: String, _ rate: Double, _ channels: Int, _ options: Options) throws -> AudioFileError.Code? {
      let format = try AudioFormat(sampleRate: rate, channels: channels)
      return Self.error { _ = try AudioFileWriter(path: path, format: format, options: options) }?.code
    }
    #expect(try code(name + ".wma", 48_000, 1, Options()) == .unsupported)
    #expect(try code(name, 48_000, 1, Options()) == .unsupported)
    #expect(try code(name + ".wav", 44_100.5, 1, Options()) == .unsupported)
    #expect(try code(name + ".flac", 48_000, 1, Options(encoding: .int32)) == .unsupported)
    #expect(try code(name + ".flac", 48_000, 1, Options(encoding: .float32)) == .unsupported)
    #expect(try code(name + ".flac", 48_000, 9, Options()) == .unsupported)
    #expect(try code(name + ".flac", 2_303, 1, Options()) == .unsupported)
    #expect(try code(name + ".flac", 655_351, 1, Options()) == .unsupported)
    #expect(try code(name + ".flac", 65_537, 1, Options()) == .unsupported)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test(arguments: [2_304.0, 4_096, 8_192, 65_535, 96_010, 192_000, 655_350]) func flacTakesItsRates(rate: Double)
    throws
  {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: "a.flac").path
    let format = try AudioFormat(sampleRate: rate, channels: 1)
    try Self.write(TestSound.samples(0..<10_000, channels: 1), to: path, format, Options(encoding: .int16))
    #expect(try AudioFileReader(path: path).format.sampleRate == rate)
    #expect(try TestSound.read(path) == TestSound.samples(0..<10_000, channels: 1))
  }

  @Test(arguments: ["a.wav", "a.flac"]) func nothingAppendedIsAFileOfNothing(name: String) throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: name).path
    try AudioFileWriter(path: path, format: try AudioFormat(sampleRate: 48_000, channels: 2)).finish()
    #expect(try TestSound.read(path).isEmpty)
  }
}
