// inside: compiles
// The package's own API, used as it is meant to be.
import RustleCore

func run(_ ticker: consuming NativeTicker) throws(NativeError) -> EngineStream<Double> {
  let stream = try ticker.start(
    symbols: ["BTC"], buffering: .perValue(), reader: ElementReader(\.price), sequenceNumber: { UInt64($0) })
  end(ticker)
  return stream
}

func end(_ ticker: consuming NativeTicker) { ticker.shutDown() }
