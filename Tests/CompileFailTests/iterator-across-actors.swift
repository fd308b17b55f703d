// outside: non-Sendable 'EngineStream<PriceUpdate>.Iterator'-typed result can not be returned from actor-isolated
// An iterator that an actor owns does not leave it.
import Rustle

actor Owner {
  private let iterator: EngineStream<PriceUpdate>.Iterator

  init(_ stream: EngineStream<PriceUpdate>) { iterator = stream.makeAsyncIterator() }

  func give() -> EngineStream<PriceUpdate>.Iterator { iterator }
}

func take(_ owner: Owner) async -> PriceUpdate? {
  var iterator = await owner.give()
  return await iterator.next()?.value
}
