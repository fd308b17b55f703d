// outside: non-Sendable type 'EngineStreamBatches<PriceUpdate>.Iterator'
// A type that says it can cross isolation cannot hold the iterator of the batches.
import Rustle

struct Reader: Sendable {
  let iterator: EngineStreamBatches<PriceUpdate>.Iterator
}
