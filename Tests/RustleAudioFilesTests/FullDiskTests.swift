import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

/// A disk without room, in the place of which stands the largest file that a process may write (RLIMIT_FSIZE): the system
/// refuses to write in the same way, in the middle of a block.
@Suite(.releasesNativeObjects) struct FullDiskTests {
  static let kinds: [(name: String, encoding: AudioFileWriter.Encoding)] = [
    ("a.wav", .int16), ("a.wav", .int24), ("a.wav", .float32), ("a.flac", .int16), ("a.flac", .int24),
  ]

  @Test(arguments: kinds, [20_000, 20_001, 20_003])
  func whatWasWrittenIsKeptInAFileThatOpens(
    kind: (name: String, encoding: AudioFileWriter.Encoding), limit: Int
  ) async throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: kind.name).path
    let encoding = kind.encoding.rawValue
    await #expect(processExitsWith: .success) {
      [path = path as String, encoding = encoding as String, limit = limit as Int] in
      try Self.writeUntilFull(path, encoding: encoding, limit: limit)
    }
    let samples = try TestSound.read(path)
    #expect(TestSound.isBeginning(samples, channels: 1))
    let size = try Data(contentsOf: URL(filePath: path)).count
    #expect(size <= limit)
    if path.hasSuffix(".wav") {
      // All whole frames that had room, and nothing else.
      let bytes = kind.encoding.bits / 8
      #expect(size + bytes > limit)
      #expect(try AudioFileReader(path: path).format.frames == samples.count)
      #expect(size - samples.count * bytes <= 128)
      try KilledWriterTests.expectNoPromise(beyond: Data(contentsOf: URL(filePath: path)))
    } else {
      // The block that did not fit is taken away: the file ends with a whole one.
      #expect(samples.count >= 4_096 && samples.count.isMultiple(of: 4_096))
    }
  }

  /// Writes a third of a second at a time until there is no more room.
  static func writeUntilFull(_ path: String, encoding: String, limit: Int) throws {
    let format = try AudioFormat(sampleRate: 9_000, channels: 1)
    let options = AudioFileWriter.Options(encoding: try #require(AudioFileWriter.Encoding(rawValue: encoding)))
    var writer = try AudioFileWriter(path: path, format: format, options: options)
    try ProcessLimits.largestFile(limit)
    var first = 0
    var failure: AudioFileError?
    while failure == nil && first < 100_000 {
      do {
        try writer.append(TestSound.buffer(first..<first + 3_000, format))
        first += 3_000
      } catch {
        failure = error
      }
    }
    #expect(failure?.code == .diskFull, "\(failure?.description ?? "no error")")
    #expect(writer.framesWritten >= Int64(first))
    // The same error for ever, and nothing more is written.
    do {
      try writer.append(TestSound.buffer(0..<1, format))
      Issue.record("expected an error")
    } catch {
      #expect(error == failure)
    }
    do {
      try writer.finish()
      Issue.record("expected an error")
    } catch {
      #expect(error == failure)
    }
  }

  @Test func aForbiddenFolderOrFileIsRefused() async throws {
    let folder = try ScratchFolder()
    let base = folder.url.path
    let file = try folder.write(Data([7]), as: "there.wav")
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: base)
    await #expect(processExitsWith: .success) { [base = base as String] in
      try ProcessLimits.giveUpRoot()
      let format = try AudioFormat(sampleRate: 9_000, channels: 1)
      let options = AudioFileWriter.Options(overwrite: true)
      for name in ["a.wav", "a.flac", "there.wav"] {
        let error = #expect(throws: AudioFileError.self) {
          _ = try AudioFileWriter(path: base + "/" + name, format: format, options: options)
        }
        #expect(error?.code == .notWritable)
        #expect(error?.reason == "permission denied")
      }
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: base)
    #expect(try FileManager.default.contentsOfDirectory(atPath: base) == ["there.wav"])
    #expect(try Data(contentsOf: URL(filePath: file)) == Data([7]))
  }

  @Test func aFileThatHasNoRoomForItsHeaderIsNotLeftBehind() async throws {
    let folder = try ScratchFolder()
    let base = folder.url.path
    await #expect(processExitsWith: .success) { [base = base as String] in
      let format = try AudioFormat(sampleRate: 9_000, channels: 1)
      try ProcessLimits.largestFile(10)
      for name in ["a.wav", "a.flac"] {
        let error = #expect(throws: AudioFileError.self) {
          _ = try AudioFileWriter(path: base + "/" + name, format: format)
        }
        #expect(error?.code == .diskFull)
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: base).isEmpty)
  }
}
