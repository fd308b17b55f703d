// inside: 'ticker' used after consume
// The native ticker has one owner; a consumed ticker cannot be used.
import RustleCore

func end(_ ticker: consuming NativeTicker) { ticker.shutDown() }

func run() throws(NativeError) {
  let ticker = try NativeTicker(
    NativeTickerConfiguration(updatesPerSecond: 1, seed: 0, updateLimit: 0, hasSeed: false))
  end(ticker)
  ticker.shutDown()
}
