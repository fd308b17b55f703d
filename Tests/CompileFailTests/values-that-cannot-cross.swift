// outside: type 'Price' does not conform to the 'Sendable' protocol
// A stream's values come from another thread: they must be Sendable.
import Rustle

final class Price {
  var amount = 0.0
}

func read(_ stream: EngineStream<Price>) {}
