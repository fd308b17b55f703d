// outside: non-Sendable type 'EngineStreamBatches<PriceUpdate>.Iterator'
// A Sendable type cannot hold the iterator of the batches.
import Rustle

struct Reader: Sendable {
  let iterator: EngineStreamBatches<PriceUpdate>.Iterator
}
