// outside: lifetime-dependent
// Samples are lent for the call: a task that outlives it cannot read them.
import Rustle

func measure(_ samples: Span<Float>) {
  Task { _ = try extractFormants(in: samples, sampleRate: 48_000) }
}
