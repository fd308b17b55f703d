import Foundation
import RustleAudio
import RustleCore
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct EqualizerTests {
  private let format: AudioFormat
  private let mono: AudioFormat

  init() throws {
    format = try AudioFormat(sampleRate: 48_000, channels: 2)
    mono = try AudioFormat(sampleRate: 48_000, channels: 1)
  }

  private func peak(_ gain: Double, at frequency: Double = 1_000) -> EqualizerBand {
    .peaking(frequency: frequency, gain: gain, octaves: 1)
  }

  private func code(_ body: () async throws -> Void) async -> AudioError.Code? {
    await #expect(throws: AudioError.self) { try await body() }?.code
  }

  /// What comes out of a second of tones, from half a second on.
  private func settled(
    _ equalizer: Equalizer, _ tones: [(frequency: Double, amplitude: Double)]
  ) throws -> [Float] {
    let input = Sounds.tones(tones, frames: 0..<48_000)
    let output = try Sounds.buffers(input, format: equalizer.format, frames: 1_000).map(equalizer.process)
    return Array(output.flatMap(\.samples).dropFirst(24_000 * equalizer.format.channels))
  }

  /// The gain of a 1 kHz tone on the first channel, in dB.
  private func gain(_ equalizer: Equalizer) throws -> Double {
    let channels = equalizer.format.channels
    let samples = try settled(equalizer, Array(repeating: (1_000, 0.1), count: channels))
    return Sounds.power(of: samples, channels: channels) - 20 * log10(0.1) + 10 * log10(2)
  }

  private func random(_ count: Int, seed: UInt64) -> [Float] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
  }

  // MARK: The sound

  @Test func eachChannelHasItsOwnGain() throws {
    let settings = EqualizerSettings(left: [peak(6)], right: [peak(-12)], preamp: -3)
    let equalizer = try Equalizer(format: format, settings: settings)
    let samples = try settled(equalizer, [(1_000, 0.1), (1_000, 0.1)])
    let unchanged = 20 * log10(0.1) - 10 * log10(2)
    #expect(abs(Sounds.power(of: samples, channel: 0, channels: 2) - unchanged - 3) < 0.01)
    #expect(abs(Sounds.power(of: samples, channel: 1, channels: 2) - unchanged + 15) < 0.01)
  }

  @Test(arguments: [0, 1]) func nothingIsHeardOnTheOtherChannel(silent: Int) throws {
    let settings = try EqualizerSettings.graphic(gains: [Double](repeating: 12, count: 28))
    let equalizer = try Equalizer(format: format, settings: settings)
    var tones = [(frequency: 1_000.0, amplitude: 0.5), (frequency: 1_000, amplitude: 0.5)]
    tones[silent].amplitude = 0
    let samples = try settled(equalizer, tones)
    #expect(stride(from: silent, to: samples.count, by: 2).allSatisfy { samples[$0] == 0 })
    #expect(stride(from: 1 - silent, to: samples.count, by: 2).contains { abs(samples[$0]) > 0.5 })
  }

  @Test func withoutGainsTheOutputIsTheInputBitForBit() throws {
    for settings in [EqualizerSettings.flat, try .graphic(gains: [Double](repeating: 0, count: 28))] {
      let equalizer = try Equalizer(format: format, settings: settings)
      let input = PCMBuffer(
        format: format, wholeFrames: random(9_600, seed: 1) + [-0.0, Float.leastNonzeroMagnitude, 2, -3], position: 77,
        droppedFrames: 5, overruns: 2
      )
      let output = try equalizer.process(input)
      #expect(output.samples.map(\.bitPattern) == input.samples.map(\.bitPattern))
      #expect(output == input, "place and losses go through")
    }
  }

  @Test func blocksOfAnyLengthGiveTheSameBits() throws {
    let settings = try EqualizerSettings.graphic(gains: (0..<28).map { Double($0 % 7) - 3 })
    let input = random(20_000, seed: 2)
    func output(_ frames: Int) throws -> [UInt32] {
      let equalizer = try Equalizer(format: format, settings: settings)
      let buffers = Sounds.buffers(input, format: format, frames: frames)
      return try buffers.map(equalizer.process).flatMap(\.samples).map(\.bitPattern)
    }
    let whole = try output(10_000)
    #expect(try output(1) == whole)
    #expect(try output(777) == whole)
  }

  @Test func bypassLetsTheSoundThroughAndKeepsTheSettings() async throws {
    let equalizer = try Equalizer(format: format, settings: EqualizerSettings(left: [peak(6)], right: [peak(6)]))
    #expect(abs(try gain(equalizer) - 6) < 0.01)
    try await equalizer.setBypassed(true)
    #expect(await equalizer.isBypassed)
    #expect(abs(try gain(equalizer)) < 1e-6)
    let input = PCMBuffer(format: format, wholeFrames: random(4_800, seed: 3), position: 0)
    #expect(try equalizer.process(input).samples.map(\.bitPattern) == input.samples.map(\.bitPattern))
    // What is changed meanwhile is heard when the bypass ends.
    try await equalizer.setGain(-9, ofBand: 0)
    #expect(abs(try gain(equalizer)) < 1e-6)
    try await equalizer.setBypassed(false)
    #expect(abs(try gain(equalizer) + 9) < 0.01)
    #expect(await !equalizer.isBypassed)
  }

  @Test func bypassFromTheFirstSampleOnHasNoCrossfade() async throws {
    let settings = EqualizerSettings(left: [peak(6)], right: [peak(6)])
    let equalizer = try Equalizer(format: format, settings: settings, isBypassed: true)
    #expect(await equalizer.isBypassed)
    #expect(await equalizer.settings == settings)
    let input = try PCMBuffer(format: format, samples: random(480, seed: 3), position: 0)
    #expect(try equalizer.process(input).samples.map(\.bitPattern) == input.samples.map(\.bitPattern))
    try await equalizer.setBypassed(false)
    #expect(abs(try gain(equalizer) - 6) < 0.01)
  }

  @Test func resetForgetsTheSoundAndEndsAChange() async throws {
    let equalizer = try Equalizer(format: format, settings: EqualizerSettings(left: [peak(12)], right: [peak(12)]))
    _ = try gain(equalizer)
    try equalizer.reset()
    let silence = PCMBuffer(format: format, wholeFrames: [Float](repeating: 0, count: 960), position: 0)
    #expect(try equalizer.process(silence) == silence)
    try await equalizer.set(.flat)
    try equalizer.reset()
    let input = PCMBuffer(format: format, wholeFrames: random(960, seed: 4), position: 0)
    #expect(try equalizer.process(input) == input)
  }

  @Test func monoEqualizerHasTheBandsOfTheLeft() async throws {
    let equalizer = try Equalizer(format: mono, settings: EqualizerSettings(left: [peak(6)]))
    #expect(abs(try gain(equalizer) - 6) < 0.01)
    // Both are the one channel that there is.
    try await equalizer.setGain(-6, ofBand: 0)
    #expect(abs(try gain(equalizer) + 6) < 0.01)
    #expect(await code { try await equalizer.setGain(1, ofBand: 0, on: .right) } == .validation)
  }

  // MARK: Changes

  @Test func gainIsChangedOnTheChannelThatIsMeant() async throws {
    let equalizer = try Equalizer(format: format, settings: .graphic(gains: [Double](repeating: 0, count: 28)))
    try await equalizer.setGain(1, ofBand: 7, on: .left)
    try await equalizer.setGain(2, ofBand: 7, on: .right)
    try await equalizer.setGain(3, ofBand: 8, on: .both)
    let settings = await equalizer.settings
    #expect(settings.left[7...8].map(\.gain) == [1, 3])
    #expect(settings.right[7...8].map(\.gain) == [2, 3])
    #expect(settings.left[..<7].allSatisfy { $0.gain == 0 })
  }

  @Test func changesOfManyTasksWhileSoundRunsThroughAreAllThere() async throws {
    let equalizer = try Equalizer(format: format, settings: .graphic(gains: [Double](repeating: 0, count: 28)))
    let done = OneShot()
    let sound = Task.detached {
      let buffer = PCMBuffer(
        format: equalizer.format, wholeFrames: Sounds.tones([(1_000, 0.1), (1_000, 0.1)], frames: 0..<480), position: 0)
      var isFinite = true
      repeat { isFinite = try equalizer.process(buffer).samples.allSatisfy(\.isFinite) && isFinite } while !done.isFired
      return isFinite
    }
    try await withThrowingTaskGroup { group in
      for band in 0..<14 {
        group.addTask {
          for step in 0..<40 { try await equalizer.setGain(Double(step % 13) - 6, ofBand: band) }
          try await equalizer.setGain(Double(band) - 6, ofBand: band, on: .left)
        }
      }
      group.addTask { for step in 0..<40 { try await equalizer.setBypassed(step.isMultiple(of: 2)) } }
      try await group.waitForAll()
    }
    #expect(await equalizer.settings.left.map(\.gain) == (0..<14).map { Double($0) - 6 })
    #expect(await equalizer.settings.right.allSatisfy { $0.gain == -6 })
    #expect(await !equalizer.isBypassed)
    try await equalizer.set(EqualizerSettings(left: [peak(4)], right: [peak(4)]))
    done.fire()
    #expect(try await sound.value)
    #expect(abs(try gain(equalizer) - 4) < 0.01, "the last one wins")
  }

  @Test func secondTaskThatProcessesIsRefusedAndNothingElse() async throws {
    let equalizer = try Equalizer(format: format, settings: .graphic(gains: [Double](repeating: 3, count: 28)))
    let input = PCMBuffer(format: format, wholeFrames: random(9_600, seed: 5), position: 0)
    let counts = try await withThrowingTaskGroup(of: (done: Int, refused: Int).self) { group in
      for _ in 0..<4 {
        group.addTask {
          var (done, refused) = (0, 0)
          for _ in 0..<100 {
            do throws(AudioError) {
              _ = try equalizer.process(input)
              done += 1
            } catch {
              #expect(error.code == .wrongState)
              refused += 1
            }
          }
          return (done, refused)
        }
      }
      return try await group.reduce(into: (done: 0, refused: 0)) { $0 = ($0.done + $1.done, $0.refused + $1.refused) }
    }
    #expect(counts.done + counts.refused == 400)
    #expect(counts.done >= 1)
    _ = try equalizer.process(input)
  }

  // MARK: Streams

  @Test func levelsAreThoseBeforeAndAfter() async throws {
    let equalizer = try Equalizer(
      format: format, settings: EqualizerSettings(left: [], right: [], preamp: -6))
    var levels = equalizer.levels().makeAsyncIterator()
    var late = equalizer.levels().makeAsyncIterator()
    let samples: [Float] = [0.5, 0, -0.5, 0]
    _ = try equalizer.process(PCMBuffer(format: format, wholeFrames: samples, position: 0))
    let seen = try #require(await levels.next())
    #expect(abs(seen.before[0].power - 20 * log10(0.5)) < 1e-9)
    #expect(abs(seen.before[0].peak - 20 * log10(0.5)) < 1e-9)
    #expect(abs(seen.after[0].peak - 20 * log10(0.5) + 6) < 1e-4)
    #expect(seen.before[1].power == -.infinity && seen.after[1].peak == -.infinity)
    // A listener that is too slow sees the newest.
    _ = try equalizer.process(PCMBuffer(format: format, wholeFrames: [1, 1], position: 2))
    #expect(await late.next()?.before[1].peak == 0)
  }

  @Test func responsesAreThoseInForce() async throws {
    let equalizer = try Equalizer(format: format, settings: EqualizerSettings(left: [peak(6)]))
    var responses = await equalizer.responses().makeAsyncIterator()
    let first = try #require(await responses.next())
    #expect(first.frequencies.count == 256 && first.left.count == 256 && first.right.count == 256)
    #expect(first.frequencies.first == 20)
    #expect(abs((first.frequencies.last ?? 0) - 20_000) < 1e-6)
    #expect(abs((first.left.max() ?? 0) - 6) < 0.01)
    #expect(first.right.allSatisfy { $0 == 0 })
    try await equalizer.setGain(-3, ofBand: 0, on: .left)
    #expect(abs((await responses.next()?.left.min() ?? 0) + 3) < 0.01)
    try await equalizer.setBypassed(true)
    #expect(await responses.next()?.left.allSatisfy { $0 == 0 } == true)
  }

  @Test func streamsEndWithTheEqualizer() async throws {
    var equalizer: Equalizer? = try Equalizer(format: format)
    let levels = try #require(equalizer?.levels())
    let responses = try #require(await equalizer?.responses())
    equalizer = nil
    for await _ in levels { Issue.record("nothing was processed") }
    var count = 0
    for await _ in responses { count += 1 }
    #expect(count == 1)
  }

  @Test func listenersThatComeAndGoDisturbNobody() async throws {
    let equalizer = try Equalizer(format: format)
    let buffer = PCMBuffer(format: format, wholeFrames: random(96, seed: 6), position: 0)
    let done = OneShot()
    let sound = Task.detached { repeat { _ = try equalizer.process(buffer) } while !done.isFired }
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<50 { for await levels in equalizer.levels() where levels.before.count == 2 { break } }
        }
      }
    }
    done.fire()
    try await sound.value
  }

  // MARK: Refusals

  @Test func anotherFormatIsRefused() async throws {
    let equalizer = try Equalizer(format: format)
    #expect(
      await code { _ = try equalizer.process(PCMBuffer(format: mono, wholeFrames: [0, 0], position: 0)) }
        == .formatMismatch)
    var samples: [Float] = [1, 2, 3]
    let error = #expect(throws: AudioError.self) {
      var span = samples.mutableSpan
      try equalizer.process(&span)
    }
    #expect(error?.code == .validation)
    #expect(samples == [1, 2, 3])
  }

  @Test func settingsOutOfRangeAreRefusedAndChangeNothing() async throws {
    let settings = EqualizerSettings(left: [peak(3)], right: [peak(3)])
    let equalizer = try Equalizer(format: format, settings: settings, bandCapacity: 2)
    for bad in [
      EqualizerSettings(left: [peak(25)]), EqualizerSettings(left: [peak(1, at: 24_000)]),
      EqualizerSettings(preamp: .nan), EqualizerSettings(left: [peak(1), peak(1), peak(1)]),
    ] {
      #expect(await code { try await equalizer.set(bad) } == .validation)
    }
    #expect(await code { try await equalizer.setGain(25, ofBand: 0) } == .validation)
    #expect(await code { try await equalizer.setGain(1, ofBand: 1) } == .validation)
    #expect(await code { try await equalizer.setGain(1, ofBand: -1) } == .validation)
    #expect(await equalizer.settings == settings)
    #expect(abs(try gain(equalizer) - 3) < 0.01)
  }

  @Test func numbersThatNoEqualizerHasAreRefused() async throws {
    let three = try AudioFormat(sampleRate: 48_000, channels: 3)
    #expect(await code { _ = try Equalizer(format: three) } == .validation)
    #expect(await code { _ = try Equalizer(format: format, bandCapacity: 65) } == .validation)
    #expect(await code { _ = try Equalizer(format: format, settings: EqualizerSettings(preamp: 25)) } == .validation)
    let slow = try AudioFormat(sampleRate: 8_000, channels: 1)
    let gains = [Double](repeating: 1, count: 28)
    #expect(await code { _ = try Equalizer(format: slow, settings: .graphic(gains: gains)) } == .validation)
    _ = try Equalizer(format: slow, settings: .graphic(gains: gains).limited(toSampleRate: 8_000))
  }
}
