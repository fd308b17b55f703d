import Rustle

// The first price of a seeded walk: it changes when the native archive's walk does. scripts/packaging-test reads it.
let ticker = try TickerController(configuration: TickerConfiguration(seed: 1, updateLimit: 1))
for await update in try await ticker.prices(for: ["BTC"]) { print(update.price) }
