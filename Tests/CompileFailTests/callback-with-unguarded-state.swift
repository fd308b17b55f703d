// inside: in a '@Sendable' closure
// A callback on a native thread cannot access unguarded state.
import RustleCore

final class Counter {
  var count = 0
}

func start(_ ticker: borrowing NativeTicker, _ counter: Counter) throws(NativeError) -> EngineStream<Double> {
  try ticker.start(
    symbols: ["BTC"], buffering: .perValue(),
    reader: ElementReader { price in
      counter.count += 1
      return price.price
    }, sequenceNumber: { UInt64($0) })
}
