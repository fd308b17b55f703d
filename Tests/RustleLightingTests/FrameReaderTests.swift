import Foundation
import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects)
struct FrameReaderTests {
  @Test func framesOfYUV4MPEG2AreReadHoweverTheBytesAreCut() async throws {
    let frames = [Data(repeating: 7, count: 6), Data([0, 50, 100, 150, 200, 255])]
    let head = Data("YUV4MPEG2 W3 H2 F25:1 Ip Cmono XCOLORRANGE=FULL\n".utf8)
    let file = frames.reduce(head) { $0 + Data("FRAME\n".utf8) + $1 }
    for length in [1, 7, file.count] {
      let reader = try FrameReader(.y4m)
      #expect(try await reader.interval == nil)
      var read: [GrayFrame] = []
      for start in stride(from: 0, to: file.count, by: length) {
        read += try await reader.push(file[start..<min(start + length, file.count)])
      }
      try await reader.end()
      #expect(read == frames.map { GrayFrame(width: 3, height: 2, pixels: $0) })
      #expect(try await reader.interval == .milliseconds(40))
    }
  }

  @Test func bytesOfGrayAreReadAndAnEndWithinAFrameIsAnError() async throws {
    let reader = try FrameReader(.gray(width: 2, height: 2))
    #expect(try await reader.push(Data([1, 2, 3])) == [])
    let read = try await reader.push(Data([4, 5, 6]))
    #expect(read == [GrayFrame(width: 2, height: 2, pixels: Data([1, 2, 3, 4]))])
    let error = await #expect(throws: LightingError.self) { try await reader.end() }
    #expect(error?.code == .malformedInput)
    #expect(error?.message.contains("frame 1: expected a whole frame, got its first 2 bytes") == true)
    #expect(throws: LightingError.self) { try FrameReader(.gray(width: 9_000, height: 2)) }
  }

  @Test func otherBytesAreAnErrorWithAdvice() async throws {
    let reader = try FrameReader(.y4m)
    let error = await #expect(throws: LightingError.self) { try await reader.push(Data("RIFF....".utf8)) }
    #expect(error?.message.contains("expected a file that begins with YUV4MPEG2") == true)
    #expect(error?.advice.contains("ffmpeg -f yuv4mpegpipe") == true)
  }

  @Test func bytesOfAPipeComeAsTheyAreAndEnd() async throws {
    let pipe = Pipe()
    let source = CameraBytes { pipe.fileHandleForReading }
    var bytes = source.makeAsyncIterator()
    for piece in [Data([1, 2]), Data([3])] {
      try pipe.fileHandleForWriting.write(contentsOf: piece)
      #expect(try await bytes.next() == piece)
    }
    try pipe.fileHandleForWriting.close()
    #expect(try await bytes.next() == nil)
  }

  @Test func aConsumerThatIsCancelledWaitsNoLongerForAPipe() async throws {
    let pipe = Pipe()
    let waiting = Task {
      for try await _ in CameraBytes({ pipe.fileHandleForReading }) {}
    }
    waiting.cancel()
    // Without the cancellation this waits until the pipe is closed, which is later.
    try await waiting.value
    try pipe.fileHandleForWriting.close()
  }

  @Test func whatCannotBeOpenedOrReadIsAnError() async throws {
    struct Closed: Error {}
    var bytes = CameraBytes { throw Closed() }.makeAsyncIterator()
    await #expect(throws: Closed.self) { try await bytes.next() }
    let folder = try #require(FileHandle(forReadingAtPath: "/"))
    var entries = CameraBytes { folder }.makeAsyncIterator()
    let error = await #expect(throws: LightingError.self) { try await entries.next() }
    #expect(error?.message == "frames: expected bytes, got none: it is a folder")
  }
}
