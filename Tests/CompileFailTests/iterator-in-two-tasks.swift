// outside: sending value of non-Sendable type '() async -> ()' risks causing data races
// A session has one consumer: its iterator belongs to one task.
import Rustle

func share(_ stream: EngineStream<PriceUpdate>) {
  let iterator = stream.makeAsyncIterator()
  for _ in 0..<2 {
    Task {
      var mine = iterator
      _ = await mine.next()
    }
  }
}
