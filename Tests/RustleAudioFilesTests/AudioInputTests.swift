import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct AudioInputTests {
  static func all(_ input: some AudioInput) async throws -> [PCMBuffer] {
    var buffers: [PCMBuffer] = []
    for try await buffer in try await input.buffers() { buffers.append(buffer) }
    return buffers
  }

  @Test(arguments: [1, 3, 10, 11]) func aFileComesInBlocksWithTheirPlaces(bufferFrameCount: Int) async throws {
    let folder = try ScratchFolder()
    let samples = (0..<20).map { Float($0) / 32 }
    let path = try folder.write(WaveFile.floats(samples, channels: 2, sampleRate: 44_100), as: "b.wav")
    let input = AudioFileInput(path: path, bufferFrameCount: bufferFrameCount)
    let buffers = try await Self.all(input)
    #expect(buffers.flatMap(\.samples) == samples)
    #expect(buffers.map(\.position) == stride(from: 0, to: 10, by: bufferFrameCount).map { Int64($0) })
    let format = try AudioFormat(sampleRate: 44_100, channels: 2)
    #expect(buffers.allSatisfy { $0.format == format && $0.droppedFrames == 0 && $0.overruns == 0 })
    // Each reading begins anew.
    #expect(try await Self.all(input) == buffers)
  }

  @Test func aMissingFileIsAnErrorOfOpening() async throws {
    let error = await #expect(throws: AudioFileError.self) {
      _ = try await AudioFileInput(path: "no/such/file.wav").buffers()
    }
    #expect(error?.code == .notFound)
    let other = await #expect(throws: AudioFileError.self) {
      let format = try AudioFormat(sampleRate: 8_000, channels: 1)
      _ = try await RawPCMInput(path: "no/such/file.raw", format: format, encoding: .s8).buffers()
    }
    #expect(other?.code == .notFound)
  }

  @Test func theEndStaysTheEnd() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(WaveFile.floats([1, 2], channels: 1, sampleRate: 8_000), as: "b.wav")
    var iterator = try await AudioFileInput(path: path, bufferFrameCount: 2).buffers().makeAsyncIterator()
    #expect(try await iterator.next()?.samples == [1, 2])
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func cancellationEndsTheBuffers() async throws {
    let folder = try ScratchFolder()
    let data = WaveFile.floats([Float](repeating: 0.5, count: 1_000), channels: 1, sampleRate: 8_000)
    let path = try folder.write(data, as: "b.wav")
    let format = try AudioFormat(sampleRate: 8_000, channels: 1)
    func endsWhenCancelled(_ input: some AudioInput) async throws -> Bool {
      let (firstRead, continuation) = AsyncStream<Void>.makeStream()
      let task = Task {
        var iterator = try await input.buffers().makeAsyncIterator()
        let first = try await iterator.next()
        continuation.finish()
        while !Task.isCancelled { await Task.yield() }
        let second = try await iterator.next()
        return first?.frameCount == 10 && second == nil
      }
      for await _ in firstRead {}
      task.cancel()
      return try await task.value
    }
    #expect(try await endsWhenCancelled(AudioFileInput(path: path, bufferFrameCount: 10)))
    #expect(
      try await endsWhenCancelled(RawPCMInput(path: path, format: format, encoding: .f32le, bufferFrameCount: 10)))
  }

  @Test(arguments: [1, 4, 7, 8]) func rawSamplesComeInBlocksWithTheirPlaces(bufferFrameCount: Int) async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data((0..<28).map { UInt8($0) }), as: "x.raw")
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    let buffers = try await Self.all(
      RawPCMInput(path: path, format: format, encoding: .s16be, bufferFrameCount: bufferFrameCount))
    let integers = (0..<14).map { 2 * $0 * 256 + 2 * $0 + 1 }
    #expect(buffers.flatMap(\.samples) == integers.map { Float($0) / 32_768 })
    #expect(buffers.map(\.position) == stride(from: 0, to: 7, by: bufferFrameCount).map { Int64($0) })
    #expect(buffers.allSatisfy { $0.format == format })
  }

  @Test(arguments: [1, 2, 3]) func anUnfinishedFrameIsAnErrorBehindTheWholeOnes(left: Int) async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data(count: 8 + left), as: "x.raw")
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    var iterator = try await RawPCMInput(path: path, format: format, encoding: .s16le, bufferFrameCount: 2).buffers()
      .makeAsyncIterator()
    #expect(try await iterator.next()?.frameCount == 2)
    do {
      _ = try await iterator.next()
      Issue.record("expected an error")
    } catch {
      #expect(error.code == .unfinishedFrame)
      #expect(error.reason == "expected whole frames of 4 bytes, got \(left) bytes more")
    }
    #expect(try await iterator.next() == nil)
  }

  @Test func nothingIsNoSoundAndNoError() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data(), as: "x.raw")
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    #expect(try await Self.all(RawPCMInput(path: path, format: format, encoding: .f64le)).isEmpty)
  }

  @Test func rawSamplesComeFromStandardInput() async throws {
    await #expect(processExitsWith: .success) {
      let pipe = Pipe()
      #expect(dup2(pipe.fileHandleForReading.fileDescriptor, 0) == 0)
      try pipe.fileHandleForWriting.write(contentsOf: Data([0x00, 0x40, 0x00, 0xC0, 0x00, 0x20]))
      try pipe.fileHandleForWriting.close()
      let format = try AudioFormat(sampleRate: 8_000, channels: 1)
      let buffers = try await Self.all(RawPCMInput(format: format, encoding: .s16le, bufferFrameCount: 2))
      #expect(buffers.map(\.samples) == [[0.5, -0.5], [0.25]])
    }
  }

  @Test func aChannelMapIsTheLayout() async throws {
    let folder = try ScratchFolder()
    // Front left and right, side left and right (0x603): surround, whether a file says side or behind.
    for (mask, expected) in [
      (0x603, [.left, .right, .leftSurround, .rightSurround]), (0x33, [.left, .right, .leftSurround, .rightSurround]),
      (0x107, [.left, .right, .center, .discrete]), (0x0F, [.left, .right, .center, .lowFrequency]),
      (0, ChannelLayout.default(for: 4).channels),
    ] as [(Int, [ChannelLayout.Channel])] {
      let path = try folder.write(Self.extensible(mask: mask), as: "\(mask).wav")
      let buffers = try await Self.all(AudioFileInput(path: path))
      #expect(buffers.map(\.format.layout.channels) == [expected], "mask \(mask)")
    }
  }

  /// Two frames of four channels of 16 bits with a mask of places.
  static func extensible(mask: Int) -> Data {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var bytes = Array("RIFF".utf8) + number(76, 4) + Array("WAVEfmt ".utf8) + number(40, 4) + number(0xFFFE, 2)
    bytes += number(4, 2) + number(8_000, 4) + number(64_000, 4) + number(8, 2) + number(16, 2) + number(22, 2)
    bytes += number(16, 2) + number(mask, 4) + number(1, 2)
    bytes += [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71]
    return Data(bytes + Array("data".utf8) + number(16, 4) + [UInt8](repeating: 1, count: 16))
  }
}
