import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

@Suite("Recorder", .releasesNativeObjects)
struct RecorderTests {
  private static let format = try? AudioFormat(sampleRate: 8_000, channels: 2)

  private func format() throws -> AudioFormat { try #require(Self.format) }

  /// A buffer of frames whose samples are their numbers.
  private func buffer(_ position: Int, frames: Int, lost: Int64 = 0) throws -> PCMBuffer {
    let samples = (2 * position..<2 * (position + frames)).map { Float($0 % 1_000) / 1_024 }
    return PCMBuffer(format: try format(), wholeFrames: samples, position: Int64(position), droppedFrames: lost)
  }

  private func samples(of path: String) throws -> [Float] {
    var reader = try AudioFileReader(path: path)
    var all: [Float] = []
    var block: [Float] = []
    while try reader.read(into: &block, maximumFrameCount: 4_096) > 0 { all += block }
    return all
  }

  private var options: AudioFileWriter.Options { AudioFileWriter.Options(encoding: .float32) }

  @Test("an input is recorded to its end, and the file is what came")
  func wholeInput() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("take.wav")
    let input = ScriptedInput([try buffer(0, frames: 1_000), try buffer(1_000, frames: 500)])
    let recorder = Recorder()
    try await recorder.start(input, format: try format(), to: path, options: options)
    let recording = try await recorder.finished()
    #expect(recording.frames == 1_500)
    #expect(recording.droppedFrames == 0)
    #expect(try samples(of: path) == buffer(0, frames: 1_500).samples)
    #expect(await recorder.state == .idle)
  }

  @Test("silence stands in the place of lost sound")
  func lostSound() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("take.wav")
    let input = ScriptedInput([try buffer(0, frames: 100), try buffer(150, frames: 100, lost: 50)])
    let recorder = Recorder()
    try await recorder.start(input, format: try format(), to: path, options: options)
    let recording = try await recorder.finished()
    #expect(recording.frames == 250)
    #expect(recording.droppedFrames == 50)
    let expected =
      try buffer(0, frames: 100).samples + Array(repeating: 0, count: 100) + buffer(150, frames: 100).samples
    #expect(try samples(of: path) == expected)
  }

  @Test("what comes during a pause is not in the file")
  func pause() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("take.wav")
    let input = SteppedInput()
    let recorder = Recorder()
    let progress = await recorder.progress()
    try await recorder.start(input, format: try format(), to: path, options: options)
    var shown = progress.makeAsyncIterator()
    input.send(try buffer(0, frames: 100))
    #expect(await shown.next()?.frames == 100)
    try await recorder.pause()
    #expect(await recorder.state == .paused)
    input.send(try buffer(100, frames: 100))
    let paused = try #require(await shown.next())
    #expect(paused.frames == 100)
    #expect(paused.isPaused)
    #expect(paused.levels[0].peak > -20)
    try await recorder.resume()
    input.send(try buffer(200, frames: 100))
    #expect(await shown.next()?.frames == 200)
    let recording = try await recorder.stop()
    #expect(recording.frames == 200)
    let expected = try buffer(0, frames: 100).samples + buffer(200, frames: 100).samples
    #expect(try samples(of: path) == expected)
  }

  @Test("a device that is lost ends the recording, and the file is kept")
  func lostDevice() async throws {
    struct Lost: Error {}
    let folder = try ScratchFolder()
    let path = folder.path("take.flac")
    let input = ScriptedInput([try buffer(0, frames: 800)], end: Lost())
    let recorder = Recorder()
    try await recorder.start(
      input, format: try format(), to: path, options: AudioFileWriter.Options(encoding: .int16))
    let error = await #expect(throws: RecordingError.self) { try await recorder.finished() }
    #expect(error?.cause is Lost)
    #expect(error?.recording.frames == 800)
    #expect(try samples(of: path).count == 1_600)
  }

  @Test("sound of another format ends the recording with an error that names both")
  func otherFormat() async throws {
    let folder = try ScratchFolder()
    let other = try AudioFormat(sampleRate: 44_100, channels: 2)
    let input = ScriptedInput([PCMBuffer(format: other, wholeFrames: [0, 0], position: 0)])
    let recorder = Recorder()
    try await recorder.start(input, format: try format(), to: folder.path("take.wav"))
    let error = await #expect(throws: RecordingError.self) { try await recorder.finished() }
    #expect((error?.cause as? AudioFileError)?.code == .formatMismatch)
    #expect(error?.errorDescription?.contains("expected sound of 8000 Hz, stereo, got 44100 Hz, stereo") == true)
  }

  @Test("an input or a file that cannot be opened refuses the start, and the next start succeeds")
  func refusedStart() async throws {
    let folder = try ScratchFolder()
    let recorder = Recorder()
    let missing = AudioFileInput(path: folder.path("none.wav"))
    let notFound = await #expect(throws: AudioFileError.self) {
      try await recorder.start(missing, format: try format(), to: folder.path("take.wav"))
    }
    #expect(notFound?.code == .notFound)
    #expect(!FileManager.default.fileExists(atPath: folder.path("take.wav")))
    let input = ScriptedInput([try buffer(0, frames: 10)])
    let notWritable = await #expect(throws: AudioFileError.self) {
      try await recorder.start(input, format: try format(), to: folder.path("none/take.wav"))
    }
    #expect(notWritable?.code == .notWritable)
    try await recorder.start(input, format: try format(), to: folder.path("take.wav"))
    #expect(try await recorder.finished().frames == 10)
  }

  @Test("calls that do not fit the state are refused")
  func wrongState() async throws {
    let folder = try ScratchFolder()
    let recorder = Recorder()
    for call in [{ try await recorder.pause() }, { try await recorder.resume() }, { _ = try await recorder.stop() }] {
      let error = await #expect(throws: AudioError.self) { try await call() }
      #expect(error?.code == .wrongState)
    }
    let input = SteppedInput()
    try await recorder.start(input, format: try format(), to: folder.path("a.wav"))
    let error = await #expect(throws: AudioError.self) {
      try await recorder.start(input, format: try format(), to: folder.path("b.wav"))
    }
    #expect(error?.code == .wrongState)
    #expect(try await recorder.stop().frames == 0)
  }

  @Test("a capture is recorded until it is stopped, and two stops give the same")
  func capture() async throws {
    let folder = try ScratchFolder()
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let capture = try AudioCapture(DeviceConfiguration(device: AudioDevice.demo.name, format: format))
    let recorder = Recorder()
    var progress = await recorder.progress().makeAsyncIterator()
    try await recorder.start(capture, format: format, to: folder.path("take.wav"))
    _ = await progress.next()
    async let first = recorder.stop()
    async let second = recorder.finished()
    let recordings = try await [first, second]
    #expect(recordings[0] == recordings[1])
    #expect(recordings[0].frames > 0)
    await capture.cancel()
  }

  @Test("progress ends with the recording, and that of one that is over at once")
  func progressEnds() async throws {
    let folder = try ScratchFolder()
    let recorder = Recorder()
    let before = await recorder.progress()
    let input = ScriptedInput([try buffer(0, frames: 10)])
    try await recorder.start(input, format: try format(), to: folder.path("take.wav"))
    var last: RecorderProgress?
    for await progress in before { last = progress }
    #expect(last?.frames == 10)
    _ = try await recorder.finished()
    for await _ in await recorder.progress() { Issue.record("a recording that is over has no progress") }
    // The next one shows its own.
    try await recorder.start(SteppedInput(), format: try format(), to: folder.path("next.wav"))
    let next = await recorder.progress()
    _ = try await recorder.stop()
    for await _ in next {}
  }

  @Test("what is lost during a pause is not missing")
  func lossWhilePaused() async throws {
    let folder = try ScratchFolder()
    let input = SteppedInput()
    let recorder = Recorder()
    var shown = await recorder.progress().makeAsyncIterator()
    try await recorder.start(input, format: try format(), to: folder.path("take.wav"), options: options)
    input.send(try buffer(0, frames: 100))
    #expect(await shown.next()?.frames == 100)
    try await recorder.pause()
    input.send(try buffer(100, frames: 100))
    _ = await shown.next()
    try await recorder.resume()
    input.send(try buffer(1_200, frames: 100, lost: 1_000))
    #expect(await shown.next()?.frames == 200)
    let recording = try await recorder.stop()
    #expect(recording.droppedFrames == 0)
  }

  @Test("a start that is called off, by its task or by a stop, leaves no file", arguments: [true, false])
  func calledOff(byTask: Bool) async throws {
    let folder = try ScratchFolder()
    let path = folder.path("take.wav")
    let recorder = Recorder()
    let input = NeverOpenInput()
    let format = try format()
    let start = Task { try await recorder.start(input, format: format, to: path) }
    while await recorder.state != .starting { await Task.yield() }
    if byTask {
      start.cancel()
    } else {
      let error = await #expect(throws: AudioError.self) { try await recorder.stop() }
      #expect(error?.code == .wrongState)
    }
    await #expect(throws: CancellationError.self) { try await start.value }
    #expect(await recorder.state == .idle)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("the device is closed when a recording is over")
  func deviceIsClosed() async throws {
    let folder = try ScratchFolder()
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let capture = try AudioCapture(DeviceConfiguration(device: AudioDevice.demo.name, format: format))
    let recorder = Recorder()
    for take in 0..<20 {
      try await recorder.start(capture, format: format, to: folder.path("\(take).wav"))
      _ = try await recorder.stop()
      #expect(await capture.liveStreamCount == 0)
    }
  }

  @Test("dropping the model stops its recording") @MainActor
  func modelDropped() async throws {
    let folder = try ScratchFolder()
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let capture = try AudioCapture(DeviceConfiguration(device: AudioDevice.demo.name, format: format))
    var model: RecorderViewModel? = RecorderViewModel()
    await model?.start(capture, format: format, to: folder.path("take.wav"))
    #expect(await capture.liveStreamCount == 1)
    model = nil
    while await capture.liveStreamCount > 0 { await Task.yield() }
  }

  @Test("the model shows what the recorder does") @MainActor
  func model() async throws {
    let folder = try ScratchFolder()
    let model = RecorderViewModel()
    let input = SteppedInput()
    await model.start(input, format: try format(), to: folder.path("take.wav"))
    #expect(model.state == .recording)
    await model.setPaused(true)
    #expect(model.state == .paused)
    await model.setPaused(false)
    input.send(try buffer(0, frames: 100))
    while model.progress?.frames != 100 { await Task.yield() }
    await model.stop()
    #expect(model.state == .idle)
    #expect(model.recording?.frames == 100)
    #expect(model.error == nil)
    await model.start(ScriptedInput([]), format: try format(), to: folder.path("none/take.wav"))
    #expect((model.error as? AudioFileError)?.code == .notWritable)
    #expect(model.state == .idle)
  }
}

/// An input of prepared buffers, and then its end.
private struct ScriptedInput: AudioInput {
  private let script: [PCMBuffer]
  private let end: (any Error)?

  init(_ script: [PCMBuffer], end: (any Error)? = nil) {
    self.script = script
    self.end = end
  }

  func buffers() async throws -> AsyncThrowingStream<PCMBuffer, any Error> {
    AsyncThrowingStream { continuation in
      for buffer in script { continuation.yield(buffer) }
      continuation.finish(throwing: end)
    }
  }
}

/// Opens only when the task that asks is cancelled, and then all the same.
private struct NeverOpenInput: AudioInput {
  func buffers() async throws -> AsyncStream<PCMBuffer> {
    let (never, _) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    return AsyncStream { $0.finish() }
  }
}

/// An input of the buffers that a test sends, as they are sent.
private struct SteppedInput: AudioInput {
  private let stream: AsyncStream<PCMBuffer>
  private let continuation: AsyncStream<PCMBuffer>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func send(_ buffer: PCMBuffer) { continuation.yield(buffer) }

  func buffers() async throws -> AsyncStream<PCMBuffer> { stream }
}
