// outside: 'tracker' used after consume
// The tracker of one signal has one owner; a consumed tracker cannot be used.
import Rustle

func end(_ tracker: consuming PitchTracker) {}

func follow(_ samples: [Float]) throws {
  var tracker = try PitchTracker(PitchConfiguration(sampleRate: 48_000, range: 60...1_000))
  var frames: [PitchFrame] = []
  end(tracker)
  try tracker.process(samples.span, into: &frames)
}
