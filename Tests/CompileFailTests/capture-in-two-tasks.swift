// outside: sending value of non-Sendable type '() async -> ()' risks causing data races
// A capture's buffers have one consumer: their iterator belongs to one task.
import Rustle

func share(_ buffers: CaptureBuffers) {
  let iterator = buffers.makeAsyncIterator()
  for _ in 0..<2 {
    Task {
      var mine = iterator
      _ = try? await mine.next()
    }
  }
}
