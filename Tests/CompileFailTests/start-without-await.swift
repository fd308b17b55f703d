// outside: call to actor-isolated instance method 'prices(for:)' in a synchronous nonisolated context
// A start goes through the actor, like everything that starts or ends something.
import Rustle

func start(_ ticker: TickerController) throws -> AsyncStream<PriceUpdate> { try ticker.prices(for: ["BTC"]) }
