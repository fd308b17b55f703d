import TestSupport
import Testing

@testable import RustleCore

@Suite(.releasesNativeObjects) struct RecordRoomTests {
  @Test func callsTakeTheWholeAndHandOutWhatIsWritten() throws {
    var room = RecordRoom(of: 0, count: 3)
    var (calls, found) = (0, [Int]())
    let samples = [Float](repeating: 0.5, count: 10)
    try room.fill(from: samples.span, found: { found.append($0) }) { (samples, room) throws(NativeError) in
      calls += 1
      #expect(room.count == 3)
      for index in 0..<(calls % 3) { room[index] = 10 * calls + index }
      return (taken: min(4, samples.count), written: calls % 3)
    }
    #expect(calls == 3)
    #expect(found == [10, 20, 21])
  }

  @Test func refusalEndsTheCalls() {
    var room = RecordRoom(of: 0)
    let samples = [Float](repeating: 0.5, count: 10)
    #expect(throws: NativeError.self) {
      try room.fill(from: samples.span, found: { _ in }) { (_, _) throws(NativeError) in
        throw NativeError(status: .panicked, message: "expected a result")
      }
    }
  }

  @Test func processOfPitchAndVoiceAllocatesForEachCall() throws {
    var pitch = try NativePitch(
      NativePitchConfiguration(
        sampleRate: 48_000, lowest: 60, highest: 1_000, method: .harmonic, frameLength: 0, hop: 64,
        expectsOneNote: false))
    var voice = try NativeVoice(
      NativeVoiceConfiguration(
        sampleRate: 48_000, lowest: 60, highest: 600, hop: 64, formants: nil, harmonicity: false, centroid: false))
    let addresses = [pitch.room.address, voice.room.address]
    var (frames, voiceFrames) = (0, 0)
    for piece in [1, 63, 4_096, 64, 20_000] {
      let samples = [Float](repeating: 0.25, count: piece)
      try pitch.process(samples.span) { _ in frames += 1 }
      try voice.process(samples.span) { _ in voiceFrames += 1 }
      #expect([pitch.room.address, voice.room.address] == addresses)
    }
    #expect(min(frames, voiceFrames) > 64, "more than the room holds")
  }
}
