// inside: cannot be consumed when captured by an escaping closure
// A closure that can run twice cannot consume the one ticker.
import RustleCore

func end(_ ticker: consuming NativeTicker) { ticker.shutDown() }

func later(_ ticker: consuming NativeTicker) -> () -> Void {
  { end(ticker) }
}
