// inside: main actor-isolated property 'count' can not be
// A callback on a native thread cannot access the main actor's state without going through it.
import RustleCore

@MainActor final class Label {
  var count = 0

  func start(_ ticker: borrowing NativeTicker) throws(NativeError) -> EngineStream<Double> {
    try ticker.start(
      symbols: ["BTC"], buffering: .perValue(),
      reader: ElementReader { price in
        self.count += 1
        return price.price
      }, sequenceNumber: { UInt64($0) })
  }
}
