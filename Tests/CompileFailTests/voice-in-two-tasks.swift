// outside: sending value of non-Sendable type
// The processor of one signal has one owner: two tasks cannot both feed it.
import Rustle

func measure(_ samples: [Float]) throws {
  var voice = try VoiceProcessor(sampleRate: 48_000)
  Task {
    var frames: [VoiceFrame] = []
    try voice.process(samples.span, into: &frames)
  }
  Task {
    var frames: [VoiceFrame] = []
    try voice.process(samples.span, into: &frames)
  }
}
