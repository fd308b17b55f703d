// outside: main actor-isolated property 'prices' can not be referenced from a nonisolated context
// What a view shows changes on the main actor only.
import Rustle

nonisolated func count(_ model: TickerViewModel) -> Int { model.prices.count }
