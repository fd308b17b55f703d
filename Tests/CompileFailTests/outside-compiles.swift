// outside: compiles
// Everything that the other snippets get wrong, right: the runner cannot pass by finding nothing to compile.
import Rustle

@MainActor func show(_ model: TickerViewModel) -> Int { model.prices.count }

func read(_ ticker: TickerController) async throws(TickerError) -> UInt64 {
  let stream = try await ticker.updates(for: ["BTC"], lane: .frames())
  let reader = Task {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
  _ = await reader.value
  return await ticker.statistics.produced
}
