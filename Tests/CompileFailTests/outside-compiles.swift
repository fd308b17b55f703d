// outside: compiles
// The correct form of every other snippet: the runner cannot pass by finding nothing to compile.
import Rustle

@MainActor func show(_ model: TickerViewModel) -> Int { model.prices.count }

func listen(_ capture: AudioCapture, _ meter: SoundLevelMeter, _ equalizer: Equalizer) async throws {
  try await equalizer.set(.flat)
  var iterator = try await capture.buffers().makeAsyncIterator()
  while let buffer = try await iterator.next() { try await meter.process(equalizer.process(buffer)) }
}

func read(_ ticker: TickerController) async throws(TickerError) -> UInt64 {
  let stream = try await ticker.updates(for: ["BTC"], buffering: .batched())
  let reader = Task {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
  _ = await reader.value
  return await ticker.statistics.produced
}

func follow(_ samples: [Float], _ tracker: consuming PitchTracker, _ voice: VoiceAnalyzer) async throws -> VoiceSummary
{
  var frames: [PitchFrame] = []
  try tracker.process(samples.span, into: &frames)
  let summary = Task {
    // A task of its own has a processor of its own, and gives away what can cross.
    var voice = try VoiceProcessor(sampleRate: 48_000)
    var frames: [VoiceFrame] = []
    try voice.process(samples.span, into: &frames)
    return try voice.summary()
  }
  _ = try await voice.process(PCMBuffer(format: voice.format, samples: samples, position: 0))
  return try await summary.value
}
