// outside: call to actor-isolated instance method 'process' in a synchronous nonisolated context
// A voice that one task feeds may be read by another: both wait for their turn.
import Rustle

func measure(_ buffer: PCMBuffer, with voice: VoiceAnalyzer) throws { try voice.process(buffer) }
