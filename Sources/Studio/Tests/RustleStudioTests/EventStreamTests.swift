import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import StudioCore
import Testing

@testable import RustleStudio

/// A reader of events that stalls at each write until it is let go on.
private final class StallingReader: Sendable {
  struct Writer: ResponseBodyWriter {
    let reader: StallingReader

    func write(_ buffer: ByteBuffer) async throws {
      reader.writes.1.yield(buffer.readableBytes)
      for await _ in reader.steps.0 { return }
      throw CancellationError()
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }

  /// The lengths of what it is sent.
  let writes = AsyncStream<Int>.makeStream()
  private let steps = AsyncStream<Void>.makeStream()

  func goOn() { steps.1.yield() }
}

@MainActor
struct EventStreamTests {
  /// The metrics said nothing of those who read events.
  @Test(.timeLimit(.minutes(5))) func aReaderOfEventsIsCountedAsAnyClient() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString)")
    let studio = try Studio(recordings: folder, show: StudioShow(), prices: [], camera: nil)
    let (hub, reader) = (studio.hub, StallingReader())
    let stream = try EventStream(studio: studio, topics: "candles")
    let reading = Task {
      var writer: any ResponseBodyWriter = StallingReader.Writer(reader: reader)
      try await stream.run(&writer)
    }
    var lengths = reader.writes.0.makeAsyncIterator()
    // Nobody else publishes candles.
    _ = await lengths.next()
    reader.goOn()
    hub.publish(.candles, [0, 0])
    let first = try #require(await lengths.next())
    for _ in 0..<5 { hub.publish(.candles, [0, 0]) }
    reader.goOn()
    let second = try #require(await lengths.next())
    #expect(hub.counts.bytes == first && hub.counts.lost == 0)
    reader.goOn()
    hub.publish(.candles, [0, 0])
    _ = await lengths.next()
    #expect(hub.counts.bytes == first + second && hub.counts.lost == 4)
    reading.cancel()
    _ = await reading.result
    await studio.stop()
  }
}
