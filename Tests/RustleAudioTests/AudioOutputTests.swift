import RustleCore
import TestSupport
import Testing

@testable import RustleAudio

/// The built-in sink, on a clock that the test moves.
@Suite(.releasesNativeObjects) struct AudioOutputTests {
  private let runtime: NativeRuntime
  private let format: AudioFormat

  init() throws {
    runtime = try NativeRuntime(wallMilliseconds: 0)
    format = try AudioFormat(sampleRate: 48_000, channels: 2)
  }

  private func output(limit: Int? = nil) throws -> AudioOutput {
    let configuration = DeviceConfiguration(device: "demo", format: format, period: 480, frameLimit: limit)
    return try AudioOutput(configuration, runtime: runtime)
  }

  private func input(frames: Int, end: (any Error)? = nil) -> ScriptedInput {
    let samples = [Float](repeating: 0.25, count: frames * format.channels)
    return ScriptedInput(buffersToGive: Sounds.buffers(samples, format: format, frames: 1_000), end: end)
  }

  private func expectNothingLeft(_ output: AudioOutput) async {
    #expect(await output.liveStreamCount == 0, "it had ended when it returned")
  }

  // MARK: play

  @Test func playReturnsWhenAllWasHeard() async throws {
    let output = try output()
    let input = input(frames: 100_000)
    let reported = SeenMutex<[PlaybackProgress]>([])
    let end = try await runtime.run {
      try await output.play(input, onProgress: { progress in reported.withLock { $0.append(progress) } })
    }
    #expect(end.played == 100_000)
    #expect(end.queued == 0)
    let all = reported.withLock { $0 }
    // The clock moves before the first sound is there, by as much as it likes: silence then, and after the last sound, is not
    // missed. In between every frame is either sound or inserted silence.
    let silences = all.filter { $0.played > 0 && $0.played < 100_000 }.map {
      $0.position - $0.played - $0.insertedSilence
    }
    #expect(Set(silences).count == 1)
    #expect(all.allSatisfy { $0.played > 0 || $0.insertedSilence == 0 })
    #expect(all.last == end)
    // There is room for half a second, so that after each news at most as much is given, four times at least; then comes the end.
    #expect(all.count > 4)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.sequence < $1.sequence && $0.played <= $1.played })
    await expectNothingLeft(output)
  }

  @Test func whatTheChangeGivesIsPlayed() async throws {
    let output = try output()
    let input = input(frames: 10_000)
    let end = try await runtime.run {
      try await output.play(
        input,
        changing: { buffer in
          PCMBuffer(
            format: buffer.format, wholeFrames: Array(buffer.samples.prefix(buffer.samples.count / 2)),
            position: buffer.position / 2)
        })
    }
    #expect(end.played == 5_000)
  }

  @Test func equalizerIsAChange() async throws {
    let output = try output()
    let input = input(frames: 10_000)
    let equalizer = try Equalizer(format: format)
    let end = try await runtime.run { try await output.play(input, changing: equalizer.process) }
    #expect(end.played == 10_000)
  }

  @Test func captureIsPlayed() async throws {
    let configuration = DeviceConfiguration(device: "demo", format: format, frameLimit: 24_000)
    let capture = try AudioCapture(configuration, runtime: runtime)
    let output = try output()
    let end = try await runtime.run { try await output.play(capture) }
    #expect(end.played == 24_000)
  }

  @Test func silenceOfNoSoundIsPlayed() async throws {
    let output = try output()
    let input = ScriptedInput(buffersToGive: [])
    let end = try await runtime.run { try await output.play(input) }
    #expect(end.played == 0 && end.insertedSilence == 0)
  }

  @Test func errorOfTheInputEndsThePlayback() async throws {
    let output = try output()
    for input in [
      input(frames: 5_000, end: ScriptedInput.Broken()),
      ScriptedInput(buffersToGive: [], refusal: ScriptedInput.Broken()),
    ] {
      await #expect(throws: ScriptedInput.Broken()) { try await runtime.run { try await output.play(input) } }
      await expectNothingLeft(output)
    }
  }

  @Test func errorOfTheChangeEndsThePlayback() async throws {
    let output = try output()
    let input = input(frames: 5_000)
    await #expect(throws: ScriptedInput.Broken()) {
      try await runtime.run { try await output.play(input, changing: { _ in throw ScriptedInput.Broken() }) }
    }
    await expectNothingLeft(output)
  }

  @Test func anotherFormatIsRefusedBeforeAndAfterTheChange() async throws {
    let output = try output()
    let other = try AudioFormat(sampleRate: 44_100, channels: 2)
    let foreign = ScriptedInput(buffersToGive: [PCMBuffer(format: other, wholeFrames: [0, 0], position: 0)])
    let mine = input(frames: 1_000)
    for attempt in [
      { try await output.play(foreign) },
      { try await output.play(mine, changing: { PCMBuffer(format: other, wholeFrames: $0.samples, position: 0) }) },
    ] as [@Sendable () async throws -> PlaybackProgress] {
      let error = await #expect(throws: AudioError.self) { try await runtime.run(attempt) }
      #expect(error?.code == .formatMismatch)
      await expectNothingLeft(output)
    }
  }

  /// The second has room for all its sound in the queue: it is taken, and most of it is not heard.
  @Test(arguments: [100_000, 2_000]) func limitThatCutsTheSoundOffIsAnError(frames: Int) async throws {
    let output = try output(limit: 1_000)
    let input = input(frames: frames)
    let error = await #expect(throws: AudioError.self) { try await runtime.run { try await output.play(input) } }
    #expect(error?.code == .wrongState)
    await expectNothingLeft(output)
  }

  @Test func pausedPlaybackEmptiesItsQueueAndGoesOn() async throws {
    let output = try output()
    let input = input(frames: 100_000)
    let reported = SeenMutex<[PlaybackProgress]>([])
    output.isPaused = true
    let end = try await runtime.run {
      try await output.play(
        input,
        onProgress: { progress in
          // Begins paused, and is paused again with sound in the queue, until a second after that is played.
          let silent = reported.withLock { all in
            all.append(progress)
            return all.reversed().prefix { $0.queued == 0 }.count
          }
          if silent == 100 { output.isPaused = false }
          if progress.played > 30_000, reported.withLock({ all in !all.contains { $0.isPaused && $0.played > 0 } }) {
            output.isPaused = true
          }
        })
    }
    #expect(end.played == 100_000 && !end.isPaused)
    let all = reported.withLock(\.self)
    #expect(all.prefix(100).allSatisfy { $0.isPaused && $0.played == 0 })
    #expect(all.contains { $0.isPaused && $0.played > 30_000 && $0.queued == 0 })
    // A second of silence before the first sound, and one in the middle, which do not count; what a busy machine is late does.
    #expect(end.position - end.played - end.insertedSilence >= 2 * 47_000)
    for (earlier, later) in zip(all, all.dropFirst()) where earlier.isPaused && earlier.queued == 0 && later.isPaused {
      #expect(later.insertedSilence == earlier.insertedSilence)
    }
    await expectNothingLeft(output)
  }

  @Test func silenceOfAPauseIsNotInserted() {
    var silence = PauseSilence()
    func inserted(_ frames: Int64, queued: Int64, isPaused: Bool = false) -> Int64 {
      let raw = PlaybackProgress(
        sequence: 0, position: 0, played: 1, queued: queued, insertedSilence: frames, underruns: 0)
      let progress = silence.remove(from: raw, isPaused: isPaused)
      #expect(progress.isPaused == isPaused)
      return progress.insertedSilence
    }
    // Nor is the silence up to the first progress with sound.
    #expect(inserted(7, queued: 9) == 0)
    #expect(inserted(17, queued: 9) == 10)
    #expect(inserted(300, queued: 0, isPaused: true) == 10)
    // The queue fills again after the pause.
    #expect(inserted(400, queued: 0) == 10)
    #expect(inserted(450, queued: 5) == 10)
    #expect(inserted(470, queued: 0) == 30)
  }

  @Test func cancellingTheTaskEndsThePlayback() async throws {
    let output = try output()
    let input = input(frames: 1_000_000)
    let playing = OneShot()
    let task = Task { try await output.play(input, onProgress: { _ in playing.fire() }) }
    while !playing.isFired {
      runtime.advance(by: .milliseconds(10))
      await Task.yield()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await runtime.run { try await task.value } }
    await expectNothingLeft(output)
  }

  @Test(arguments: [false, true]) func cancelAndShutDownEndWhatPlays(shutsDown: Bool) async throws {
    let output = try output()
    let input = input(frames: 1_000_000)
    let playing = OneShot()
    let task = Task { try await output.play(input, onProgress: { _ in playing.fire() }) }
    while !playing.isFired {
      runtime.advance(by: .milliseconds(10))
      await Task.yield()
    }
    await shutsDown ? output.shutDown() : output.cancel()
    await expectNothingLeft(output)
    await #expect(throws: CancellationError.self) { try await task.value }
    if shutsDown {
      let error = await #expect(throws: AudioError.self) { try await output.play(input) }
      #expect(error?.code == .shutDown)
    }
  }

  // MARK: Playback

  @Test func progressReportsWhatWasTakenPlayedAndWaits() async throws {
    let output = try output()
    let playback = try await output.start(buffering: .batched(capacity: 16))
    #expect(playback.format == format)
    // The first period is due at once: it is silence, whichever thread is faster.
    runtime.advance(by: .zero)
    let sound = [Float](repeating: 0.5, count: 2_000)
    #expect(try playback.write(sound.span) == 2_000, "counted in samples")
    runtime.advance(by: .milliseconds(5))
    playback.finish()
    playback.finish()
    runtime.advance(by: .seconds(1))
    var reported: [[Int64]] = []
    for await element in playback.progress {
      let at = try #require(element.value)
      reported.append([Int64(at.sequence), at.position, at.played, at.queued, at.insertedSilence, Int64(at.underruns)])
    }
    let expected: [[Int64]] = [
      [0, 480, 0, 0, 0, 0], [1, 960, 480, 520, 0, 0], [2, 1_440, 960, 40, 0, 0], [3, 1_920, 1_000, 0, 0, 0],
    ]
    #expect(reported == expected)
    #expect(playback.progress.outcome == .ended)
    #expect(await output.statistics.delivered == 4)
  }

  @Test func soundThatIsLateIsCounted() async throws {
    let output = try output()
    let playback = try await output.start()
    runtime.advance(by: .milliseconds(15))
    let sound = [Float](repeating: 0.5, count: 960)
    #expect(try playback.write(sound.span) == 960)
    runtime.advance(by: .milliseconds(30))
    var iterator = playback.progress.makeAsyncIterator()
    // The buffer keeps the newest, and reports what it replaced.
    #expect(await iterator.next() == .gap(4))
    let last = try #require(await iterator.next()?.value)
    #expect([last.position, last.played, last.insertedSilence] == [2_400, 480, 960])
  }

  @Test func asMuchIsTakenAsThereIsRoomFor() async throws {
    let output = try output()
    let playback = try await output.start()
    // The first period is taken before there is sound.
    runtime.advance(by: .zero)
    let sound = [Float](repeating: 0.5, count: 60_000)
    let taken = try playback.write(sound.span)
    #expect((48_000...48_960).contains(taken), "half a second")
    #expect(taken.isMultiple(of: 2))
    #expect(try playback.write(sound.span) == 0)
    runtime.advance(by: .milliseconds(10))
    #expect((960...1_920).contains(try playback.write(sound.span)))
    let error = #expect(throws: AudioError.self) { try playback.write([Float](repeating: 0, count: 3).span) }
    #expect(error?.code == .validation)
    #expect(try playback.write([Float]().span) == 0)
    playback.cancel()
    runtime.advance(by: .zero)
    await expectNothingLeft(output)
  }

  @Test func droppingTheProgressEndsThePlayback() async throws {
    let output = try output()
    let playback = try await output.start()
    #expect(await output.liveStreamCount == 1)
    _ = consume playback
    runtime.advance(by: .zero)
    await expectNothingLeft(output)
  }

  @Test func droppingTheOutputEndsItsPlaybacks() async throws {
    var output: AudioOutput? = try output()
    let playback = try #require(try await output?.start())
    output = nil
    runtime.advance(by: .zero)
    for await _ in playback.progress {}
    #expect(playback.progress.outcome == .cancelled)
  }

  @Test func limitEndsAPlaybackThatIsFedNothing() async throws {
    let output = try output(limit: 1_000)
    let playback = try await output.start()
    runtime.advance(by: .seconds(1))
    var last: PlaybackProgress?
    for await element in playback.progress { last = element.value ?? last }
    #expect(last?.position == 1_000)
    #expect(last?.insertedSilence == 0, "before the first sound there is nothing to miss")
  }

  @Test func deviceThatDoesNotExistIsNotFound() async throws {
    let output = try AudioOutput(DeviceConfiguration(device: "no such device", format: format))
    let silence = input(frames: 10)
    let error = await #expect(throws: AudioError.self) { try await output.play(silence) }
    #expect(error?.code == .deviceNotFound || error?.code == .noSoundLibrary)
    #expect(throws: AudioError.self) { try AudioOutput(DeviceConfiguration(format: format, period: 0)) }
  }

  @Test func nullDeviceTakesEverything() async throws {
    let output = try AudioOutput(DeviceConfiguration(device: "null", format: format))
    do {
      let end = try await output.play(input(frames: 48_000))
      #expect(end.played == 48_000)
      await expectNothingLeft(output)
    } catch let error as AudioError {
      #expect(error.code == .noSoundLibrary)
    }
  }
}
