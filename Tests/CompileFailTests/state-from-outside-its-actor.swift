// outside: actor-isolated property 'statistics' can not be referenced from a nonisolated context
// The actor serialises every use of the native handle: there is no way around its queue.
import Rustle

func read(_ ticker: TickerController) -> StreamStatistics { ticker.statistics }
