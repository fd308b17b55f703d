// outside: call to actor-isolated instance method 'process' in a synchronous nonisolated context
// A meter that one task feeds may be read by another: both wait for their turn.
import Rustle

func measure(_ buffer: PCMBuffer, with meter: SoundLevelMeter) throws { try meter.process(buffer) }
