import Foundation
import RustleAudio
import RustleAudioFiles
import RustleCore
import TestSupport
import Testing

@Suite(.releasesNativeObjects) final class EqualizedFileTests {
  private let folder: ScratchFolder
  private let format: AudioFormat
  private let input: AudioFileInput

  init() throws {
    folder = try ScratchFolder()
    format = try AudioFormat(sampleRate: 8_000, channels: 2)
    let path = folder.url.appending(path: "a.wav").path
    try AudioFileWriterTests.write(
      TestSound.samples(0..<5_000, channels: 2), to: path, format, AudioFileWriter.Options(encoding: .float32))
    input = AudioFileInput(path: path)
  }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  @Test func fileIsThatOfTheEqualizer() async throws {
    let settings = EqualizerSettings(left: [EqualizerBand(frequency: 1_000, gain: 3)], preamp: -6)
    let options = AudioFileWriter.Options(encoding: .float32)
    var progress: [Int64] = []
    let sound = try await Equalizer(format: format, settings: settings)
      .write(input, to: path("b.wav"), options: options) { progress.append($0) }
    let equalizer = try Equalizer(format: format, settings: settings)
    var expected: [Float] = []
    for try await buffer in try await input.buffers() { expected += try equalizer.process(buffer).samples }
    #expect(try TestSound.read(path("b.wav")) == expected)
    #expect(sound.frames == 5_000 && progress.last == 5_000 && progress == progress.sorted())
    #expect(sound.peakBefore == TestSound.samples(0..<5_000, channels: 2).map(abs).max())
    #expect(sound.peakAfter == expected.map(abs).max())
    #expect(sound.clippedSamples == 0)
  }

  @Test func samplesBeyondFullScaleAreCounted() async throws {
    let equalizer = try Equalizer(format: format, settings: EqualizerSettings(preamp: 6))
    let sound = try await equalizer.write(input, to: path("b.flac"))
    let equalized = try TestSound.read(path("b.flac"))
    #expect(sound.clippedSamples == equalized.count { $0 == -1 || $0 > 0.9999998 } && sound.clippedSamples > 1_000)
    #expect(abs(sound.peakAfter / sound.peakBefore - 1.9952623) < 1e-5)
  }

  @Test func whatIsNotANumberIsNoPeak() async throws {
    let format = try AudioFormat(sampleRate: 8_000, channels: 1)
    try AudioFileWriterTests.write(
      [0.25, .nan, -0.5, 0.125], to: path("n.wav"), format, AudioFileWriter.Options(encoding: .float32))
    let sound = try await Equalizer(format: format).write(AudioFileInput(path: path("n.wav")), to: path("b.wav"))
    #expect(sound.peakBefore == 0.5 && sound.peakAfter == 0.5)
  }

  /// What is left as it was is measured once for all of its uses.
  @Test(arguments: [AudioFileWriter.Encoding.int16, .int24, .int32], ["b.wav", "b.flac"])
  func soundThatIsLeftUnchangedIsClippedAndCounted(encoding: AudioFileWriter.Encoding, name: String) async throws {
    if name == "b.flac" && encoding == .int32 { return }
    let loud: [Float] = [0.5, 1.5, -2, -1, 1, -0.25, 3, 0.125]
    try AudioFileWriterTests.write(
      loud, to: path("loud.wav"), format, AudioFileWriter.Options(encoding: .float32))
    for opened in [true, false] {
      let file = AudioFileInput(path: path("loud.wav"), bufferFrameCount: 3)
      let options = AudioFileWriter.Options(encoding: encoding, overwrite: true)
      let equalizer = try Equalizer(format: format)
      let sound =
        opened
        ? try await equalizer.write(try await file.open(), to: path(name), options: options)
        : try await equalizer.write(file, to: path(name), options: options)
      #expect(sound.clippedSamples == 4 && sound.peakBefore == 3 && sound.peakAfter == 3)
      let largest = Float(1 - pow(2, 1 - Double(encoding.bits)))
      #expect(try TestSound.read(path(name)) == [0.5, largest, -1, -1, largest, -0.25, largest, 0.125])
    }
  }

  @Test func aChangeBehindSilenceIsMeasured() async throws {
    for silence in [0, 1, 255, 256, 700, 1_999] {
      let samples = (0..<4_000).map { Float($0 < 2 * silence ? 0 : 0.25) }
      try AudioFileWriterTests.write(
        samples, to: path("late.wav"), format, AudioFileWriter.Options(encoding: .float32, overwrite: true))
      let equalizer = try Equalizer(format: format, settings: EqualizerSettings(preamp: 20 * log10(2)))
      let options = AudioFileWriter.Options(encoding: .float32, overwrite: true)
      let input = try await AudioFileInput(path: path("late.wav")).open()
      let sound = try await equalizer.write(input, to: path("b.wav"), options: options)
      #expect(sound.peakBefore == 0.25 && abs(sound.peakAfter - 0.5) < 1e-6)
      #expect(try TestSound.read(path("b.wav")).map(abs).max() == sound.peakAfter)
    }
  }

  @Test func soundOfAnotherFormatIsRefused() async throws {
    let equalizer = try Equalizer(format: AudioFormat(sampleRate: 8_000, channels: 1))
    let error = await #expect(throws: AudioError.self) { try await equalizer.write(input, to: path("b.wav")) }
    #expect(error?.code == .formatMismatch)
  }

  /// A tone at the centre of a band has the gain of the band: a ramp from 0 to 12 dB within 2 s, then a jump to -6 dB.
  @Test func automationFollowsItsPoints() async throws {
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let tone = (0..<144_000).map { n -> Float in
      let phase = Double.pi / 24 * Double(n % 48)
      return Float(0.1 * sin(phase))
    }
    let options = AudioFileWriter.Options(encoding: .float32)
    try AudioFileWriterTests.write(tone, to: path("tone.wav"), format, options)
    let settings = EqualizerSettings(left: [EqualizerBand(frequency: 1_000, gain: 3)])
    let automation = EqualizerAutomation(points: [
      .init(time: 0, band: 0, gain: 0), .init(time: 2, band: 0, gain: 12), .init(time: 2.5, band: 0, gain: 12),
      .init(time: 2.5, band: 0, gain: -6),
    ])
    var files: [[Float]] = []
    for bufferFrameCount in [4_096, 1_000] {
      let equalizer = try Equalizer(format: format, settings: settings)
      let input = AudioFileInput(path: path("tone.wav"), bufferFrameCount: bufferFrameCount)
      let name = path("\(bufferFrameCount).wav")
      let sound = try await equalizer.write(input, to: name, options: options, automation: automation)
      #expect(sound.frames == 144_000)
      #expect(await equalizer.settings == settings)
      files.append(try TestSound.read(name))
      // The next file begins with the settings.
      let (again, fresh) = (path("again.wav"), path("fresh.wav"))
      let plain = AudioFileWriter.Options(encoding: .float32, overwrite: true)
      _ = try await equalizer.write(AudioFileInput(path: path("tone.wav")), to: again, options: plain)
      _ = try await Equalizer(format: format, settings: settings)
        .write(AudioFileInput(path: path("tone.wav")), to: fresh, options: plain)
      #expect(try TestSound.read(again) == TestSound.read(fresh))
    }
    #expect(files[0] == files[1])
    // The level of each period of the tone, 1 ms.
    for period in 1..<3_000 {
      var energy = 0.0
      for sample in files[0][48 * period..<48 * (period + 1)] { energy += Double(sample) * Double(sample) }
      let level = 10 * log10(energy / 24) + 20
      let time = (Double(period) + 0.5) / 1_000
      let expected: Double = time < 2 ? 6 * time : time < 2.5 ? 12 : -6
      // A fifth of 6 dB/s over 44 ms, and what the filter itself takes to follow; beside the jump its own time.
      if abs(time - 2.5) > 0.06 { #expect(abs(level - expected) < 0.08, "\(time) s") }
    }
  }

  @Test func automationThatDoesNotFitLeavesTheSettings() async throws {
    let settings = EqualizerSettings(left: [EqualizerBand(frequency: 1_000, gain: 3)])
    let automation = EqualizerAutomation(points: [.init(time: 0, band: 4, gain: 0)])
    for isBypassed in [false, true] {
      let equalizer = try Equalizer(format: format, settings: settings, isBypassed: isBypassed)
      let error = await #expect(throws: AudioError.self) {
        try await equalizer.write(input, to: path("b.wav"), automation: automation)
      }
      #expect(error?.code == .validation)
      #expect(await equalizer.settings == settings)
    }
    #expect(try names() == ["a.wav"])
  }

  // MARK: the place of the file

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test func fileIsReplacedOnceItIsComplete() async throws {
    let older = try folder.write(Data([1, 2, 3]), as: "b.wav")
    let link = path("link.wav")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: older)
    var (names, isOlder): ([String], Bool) = ([], false)
    let sound = try await Equalizer(format: format)
      .write(input, to: link, options: AudioFileWriter.Options(overwrite: true)) { _ in
        names = (try? self.names()) ?? []
        isOlder = (try? Data(contentsOf: URL(filePath: older))) == Data([1, 2, 3])
      }
    #expect(isOlder && names.count == 4 && names.first?.hasSuffix(".part") == true)
    #expect(try TestSound.read(older).count == 2 * Int(sound.frames))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == older)
    #expect(try self.names() == ["a.wav", "b.wav", "link.wav"])
  }

  /// A killed process used to leave its hidden file for ever.
  @Test func leftoversOfKilledProcessesAreRemovedByTheNext() async throws {
    // No process has this number (the greatest of Linux is 4,194,304).
    let (gone, here) = (4_194_305, getpid())
    let unique = UUID().uuidString
    let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -120)]
    var kept: [String] = []
    for (name, isOld, isRemoved) in [
      (".b.wav.\(gone).\(unique).part", true, true), (".b.wav.\(gone).A\(unique).part", false, false),
      (".b.wav.\(here).\(unique).part", true, false), (".c.wav.\(gone).\(unique).part", true, false),
      (".b.wav.mine.\(unique).part", true, false),
    ] {
      let file = try folder.write(Data([1]), as: name)
      if isOld { try FileManager.default.setAttributes(old, ofItemAtPath: file) }
      if !isRemoved { kept.append(name) }
    }
    _ = try await Equalizer(format: format).write(input, to: path("b.wav"))
    #expect(try Set(names()) == Set(kept + ["a.wav", "b.wav"]))
  }

  /// A failure used to leave the sound before it in place of the older file.
  @Test func failureLeavesTheOlderFile() async throws {
    struct Refusal: Error {}
    let older = try folder.write(Data([1, 2, 3]), as: "b.wav")
    let options = AudioFileWriter.Options(overwrite: true)
    let other = try Equalizer(format: AudioFormat(sampleRate: 8_000, channels: 1))
    await #expect(throws: AudioError.self) { try await other.write(input, to: older, options: options) }
    let equalizer = try Equalizer(format: format)
    await #expect(throws: Refusal.self) {
      try await equalizer.write(input, to: older, options: options, onProgress: { _ in }) { throw Refusal() }
    }
    let there = await #expect(throws: AudioFileError.self) { try await equalizer.write(input, to: older) }
    #expect(there?.code == .alreadyExists && there?.path == older)
    // It comes into being while the sound is written.
    let meanwhile = await #expect(throws: AudioFileError.self) {
      try await equalizer.write(input, to: path("c.wav")) { _ in try? Data().write(to: URL(filePath: path("c.wav"))) }
    }
    #expect(meanwhile?.code == .alreadyExists)
    let float = AudioFileWriter.Options(encoding: .float32)
    let refused = await #expect(throws: AudioFileError.self) {
      try await equalizer.write(input, to: path("d.flac"), options: float)
    }
    #expect(refused?.code == .unsupported && refused?.path == path("d.flac"))
    #expect(try Data(contentsOf: URL(filePath: older)) == Data([1, 2, 3]))
    #expect(try names() == ["a.wav", "b.wav", "c.wav"])
  }

  /// A read from an idle pipe used to keep the incomplete file until it ended.
  @Test func cancellationRemovesAnIncompleteFileAtOnce() async throws {
    let (equalizer, out) = (try Equalizer(format: format), path("b.wav"))
    let (idle, end) = AsyncStream.makeStream(of: Void.self)
    let sound = try PCMBuffer(format: format, samples: TestSound.samples(0..<100, channels: 2), position: 0)
    let input = IdleInput(sound: sound, idle: Task { for await _ in idle {} })
    let (written, progress) = AsyncStream.makeStream(of: Int64.self)
    let task = Task { try await equalizer.write(input, to: out) { progress.yield($0) } }
    for await _ in written { break }
    #expect(try names().count == 2)
    task.cancel()
    #expect(try names() == ["a.wav"])
    end.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try names() == ["a.wav"])
  }
}

/// A buffer, and an end that no cancellation hastens.
private struct IdleInput: AudioInput {
  let sound: PCMBuffer
  let idle: Task<Void, Never>

  func buffers() async throws -> AsyncStream<PCMBuffer> {
    let sounds = SeenMutex([sound])
    return AsyncStream {
      if let sound = sounds.withLock({ $0.popLast() }) { return sound }
      await idle.value
      return nil
    }
  }
}
