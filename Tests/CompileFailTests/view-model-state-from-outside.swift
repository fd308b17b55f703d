// outside: setter is inaccessible
// Views read the prices; the model alone writes them.
import Rustle

@MainActor func clear(_ model: TickerViewModel) { model.prices = [:] }
