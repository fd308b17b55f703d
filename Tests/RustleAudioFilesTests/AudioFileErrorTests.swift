import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct AudioFileErrorTests {
  /// `AudioFileReader` is not copyable, so `#expect(throws:)` cannot return it.
  static func error(opening path: String) -> AudioFileError? {
    do throws(AudioFileError) {
      _ = try AudioFileReader(path: path)
      return nil
    } catch {
      return error
    }
  }

  @Test func aMissingFileIsNotFound() throws {
    let error = try #require(Self.error(opening: "no/such/file.wav"))
    #expect(error.code == .notFound)
    #expect(error.path == "no/such/file.wav")
    #expect(error.localizedDescription == "no/such/file.wav: no such file")
    #expect(error.advice.contains("Check the path"))
  }

  @Test func aFolderIsNotReadable() throws {
    let folder = try ScratchFolder()
    let error = try #require(Self.error(opening: folder.url.path))
    #expect(error.code == .notReadable)
    #expect(error.reason == "expected an audio file, got a folder")
  }

  @Test(arguments: [0, 1, 11, 64, 5_000]) func otherBytesAreNotAudio(count: Int) throws {
    let folder = try ScratchFolder()
    let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 65) })
    let error = try #require(Self.error(opening: try folder.write(data, as: "x.wav")))
    #expect(error.code == .notAudio, "\(error)")
    let got = count == 0 ? "an empty one" : "bytes in no known audio format"
    #expect(error.reason == "expected an audio file, got \(got)")
  }

  @Test(arguments: [12, 20, 35]) func aHeaderCutOffIsNotAudio(count: Int) throws {
    let folder = try ScratchFolder()
    let data = WaveFile.integers([1, 2, 3], channels: 1, sampleRate: 8_000).prefix(count)
    let error = try #require(Self.error(opening: try folder.write(data, as: "x.wav")))
    #expect(error.code == .notAudio, "\(error)")
  }

  @Test func anUnknownEncodingInAKnownContainerIsUnsupported() throws {
    let folder = try ScratchFolder()
    var data = WaveFile.integers([1, 2, 3, 4], channels: 1, sampleRate: 8_000)
    // Bits per sample at byte 34: there is no integer WAV of 40 bits.
    data[34] = 40
    let error = try #require(Self.error(opening: try folder.write(data, as: "x.wav")))
    #expect(error.code == .unsupported, "\(error)")
  }

  @Test func anMP3HeaderWithNothingBehindItIsNotAudio() throws {
    let folder = try ScratchFolder()
    let data = Data([0xFF, 0xFB, 0x90, 0x00]) + Data(count: 100)
    let error = try #require(Self.error(opening: try folder.write(data, as: "x.mp3")))
    #expect(error.code == .notAudio, "\(error)")
  }

  /// libsndfile keeps the error of an open in a variable of the process.
  @Test func errorsOfConcurrentOpensAreTheirOwn() async throws {
    let folder = try ScratchFolder()
    var unknown = WaveFile.integers([1, 2, 3, 4], channels: 1, sampleRate: 8_000)
    unknown[34] = 40
    let paths = [
      try folder.write(unknown, as: "x.wav"),
      try folder.write(Data([0xFF, 0xFB, 0x90, 0x00]) + Data(count: 100), as: "x.mp3"),
    ]
    let codes = await withTaskGroup { tasks in
      for number in 0..<400 { tasks.addTask { (number % 2, Self.error(opening: paths[number % 2])?.code) } }
      return await tasks.reduce(into: [Set<AudioFileError.Code?>](repeating: [], count: 2)) { $0[$1.0].insert($1.1) }
    }
    #expect(codes == [[.unsupported], [.notAudio]])
  }

  @Test func aChannelThatIsNotThereIsNamed() throws {
    let folder = try ScratchFolder()
    let data = WaveFile.floats([0, 0], channels: 2, sampleRate: 8_000)
    var reader = try AudioFileReader(path: try folder.write(data, as: "x.wav"))
    var block: [Float] = []
    do throws(AudioFileError) {
      _ = try reader.readMono(into: &block, maximumFrameCount: 1, selecting: .channel(2))
      Issue.record("expected an error")
    } catch {
      #expect(error.code == .noSuchChannel)
      #expect(error.reason == "expected a channel below 2, counted from 0, got 2")
    }
  }

  @Test func itBridgesToNSError() throws {
    let error = try #require(Self.error(opening: "no/such/file.wav"))
    let bridged = error as NSError
    #expect(bridged.domain == "rustle.audio-file")
    #expect(bridged.code == 1)
    #expect(bridged.userInfo["code"] as? String == "AUDIO_FILE_NOT_FOUND")
    #expect(bridged.userInfo[NSFilePathErrorKey] as? String == "no/such/file.wav")
  }

  @Test func theOriginIsThePartThatHasToChange() {
    func codes(_ origin: ErrorOrigin) -> [AudioFileError.Code] {
      AudioFileError.Code.allCases.filter { $0.origin == origin }
    }
    #expect(codes(.arguments) == [.noSuchChannel, .alreadyExists])
    #expect(codes(.input) == [.notFound, .notReadable])
    #expect(codes(.data) == [.notAudio, .unsupported, .readFailed, .unfinishedFrame, .notFinite])
    #expect(codes(.machine) == [.diskFull, .writeFailed, .notWritable, .noProgram])
    #expect(codes(.program) == [.formatMismatch])
    #expect(FFTError.Code.validation.origin == .arguments && FFTError.Code.fft.origin == .program)
    #expect(AudioError.Code.allCases.filter { $0.origin == .program } == [.wrongState, .shutDown, .native])
    #expect(AudioError.Code.validation.origin == .arguments && AudioError.Code.formatMismatch.origin == .data)
    #expect(AudioError.Code.allCases.count { $0.origin == .machine } == 5)
  }
}
