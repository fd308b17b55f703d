// inside: 'ticker' used after consume
// The native ticker has one owner; who gave it away cannot use it.
import RustleCore

func end(_ ticker: consuming NativeTicker) { ticker.shutDown() }

func run() throws(NativeError) {
  let ticker = try NativeTicker(updatesPerSecond: 1, seed: nil, updateLimit: nil)
  end(ticker)
  ticker.shutDown()
}
