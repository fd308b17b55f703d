import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct SoundLevelMeterTests {
  private let mono: AudioFormat
  private let stereo: AudioFormat

  /// The power of a sine of -20 dBFS, in dB relative to full scale.
  private static let power = -20 - 10 * log10(2.0)

  init() throws {
    mono = try AudioFormat(sampleRate: 48_000, channels: 1)
    stereo = try AudioFormat(sampleRate: 48_000, channels: 2)
  }

  private func tone(_ frequency: Double = 1_000, amplitude: Double = 0.1, seconds: Double = 2) -> PCMBuffer {
    let samples = Sounds.tones([(frequency, amplitude)], frames: 0..<Int(seconds * 48_000))
    return PCMBuffer(format: mono, wholeFrames: samples, position: 0)
  }

  private func silence(seconds: Double) -> PCMBuffer {
    PCMBuffer(format: mono, wholeFrames: [Float](repeating: 0, count: Int(seconds * 48_000)), position: 0)
  }

  private func code(_ body: () async throws -> Void) async -> AudioError.Code? {
    await #expect(throws: AudioError.self) { try await body() }?.code
  }

  // MARK: Levels

  @Test func levelsOfASineAreItsPower() async throws {
    let meter = try SoundLevelMeter(format: mono)
    try await meter.process(tone(seconds: 4))
    let reading = try await meter.reading
    #expect(abs(reading.level - Self.power) < 0.02)
    #expect(abs(reading.equivalentContinuousLevel - Self.power) < 0.02)
    #expect(abs(reading.maximum - Self.power) < 0.02)
    #expect(abs(try #require(reading.minimum) - Self.power) < 0.05)
    // The tone's beginning is a little higher.
    #expect((-20.1 ... -19.5).contains(reading.peak))
    #expect(abs(reading.soundExposureLevel - reading.equivalentContinuousLevel - 10 * log10(4)) < 1e-9)
    #expect(reading.seconds == 4)
    #expect(reading.overloads == 0)
    #expect(reading.levelName == "LAF" && reading.equivalentContinuousLevelName == "LAeq")
    #expect(reading.calibration.unit == "dBFS")
  }

  @Test func calibrationIsAddedAndShown() async throws {
    let calibration = Calibration(offset: 94 - Self.power)
    let meter = try SoundLevelMeter(
      format: mono, configuration: SoundLevelMeterConfiguration(calibration: calibration, bands: .octave))
    try await meter.process(tone(seconds: 4))
    let reading = try await meter.reading
    for level in [reading.level, reading.equivalentContinuousLevel, reading.maximum] { #expect(abs(level - 94) < 0.02) }
    #expect((96.9...97.5).contains(reading.peak))
    #expect(reading.calibration == calibration && reading.calibration.unit == "dB")
    let band = try #require(try await meter.reading.bands.first { abs($0.center - 1_000) < 5 })
    #expect(abs(band.level - 94) < 0.1)
    #expect(abs(try #require(try await meter.level(exceededFor: 50)) - 94) < 0.11)
    // Loudness and the place on the scale are of the signal.
    #expect(abs(try #require(reading.loudness).truePeak + 20) < 0.1)
    let value = try DisplayScale.value(ofPower: Self.power).value
    #expect(abs(reading.displayValue - value) < 0.1)
  }

  /// Of a 100 Hz tone, by the tables of IEC 61672-1.
  @Test(arguments: [(FrequencyWeighting.a, -19.1), (.c, -0.3), (.z, 0)])
  func weightingIsThatOfTheTable(weighting: FrequencyWeighting, difference: Double) async throws {
    let meter = try SoundLevelMeter(
      format: mono, configuration: SoundLevelMeterConfiguration(frequencyWeighting: weighting))
    try await meter.process(tone(100, seconds: 1))
    try await meter.restart()
    try await meter.process(tone(100, seconds: 1))
    let reading = try await meter.reading
    #expect(abs(reading.equivalentContinuousLevel - Self.power - difference) < 0.1)
    #expect(reading.equivalentContinuousLevelName == "L\(weighting.rawValue)eq")
  }

  @Test(arguments: [(TimeWeighting.fast, 34.7), (.slow, 4.34)])
  func levelFallsAsFastAsItsTimeConstantSays(weighting: TimeWeighting, fall: Double) async throws {
    let meter = try SoundLevelMeter(format: mono, configuration: SoundLevelMeterConfiguration(timeWeighting: weighting))
    try await meter.process(tone(seconds: 8))
    try await meter.process(silence(seconds: 0.5))
    let before = try await meter.reading.level
    try await meter.process(silence(seconds: 1))
    let reading = try await meter.reading
    #expect(abs(before - reading.level - fall) < 0.05)
    #expect(reading.levelName == "LA\(weighting.rawValue)")
  }

  @Test func lowestLevelCountsFromFiveTimeConstantsOn() async throws {
    let meter = try SoundLevelMeter(format: mono)
    try await meter.process(tone(seconds: 0.6))
    #expect(try await meter.reading.minimum == nil)
    try await meter.process(tone(seconds: 0.1))
    #expect(try await meter.reading.minimum != nil)
  }

  @Test func percentilesAreLevelsExceeded() async throws {
    let meter = try SoundLevelMeter(format: mono)
    #expect(try await meter.level(exceededFor: 10) == nil)
    // A quarter of the time 20 dB louder.
    try await meter.process(tone(amplitude: 0.01, seconds: 7.5))
    try await meter.process(tone(amplitude: 0.1, seconds: 2.5))
    #expect(abs(try #require(try await meter.level(exceededFor: 10)) - Self.power) < 0.15)
    #expect(abs(try #require(try await meter.level(exceededFor: 50)) - Self.power + 20) < 0.15)
    #expect(try #require(try await meter.level(exceededFor: 0)) >= #require(try await meter.level(exceededFor: 100)))
    for percent in [-0.1, 100.1, .nan, .infinity] {
      #expect(await code { _ = try await meter.level(exceededFor: percent) } == .validation)
    }
  }

  @Test(arguments: [(BandWidth.octave, 2.0), (.thirdOctave, pow(2, 1.0 / 3))])
  func bandsAreThoseOfTheWidth(width: BandWidth, step: Double) async throws {
    let meter = try SoundLevelMeter(format: mono, configuration: SoundLevelMeterConfiguration(bands: width))
    try await meter.process(tone(seconds: 2))
    let bands = try await meter.reading.bands
    #expect(zip(bands, bands.dropFirst()).allSatisfy { abs($1.center / $0.center / step - 1) < 0.01 })
    #expect((bands.first?.center ?? 100) < 32 && (bands.last?.center ?? 0) > 15_000)
    let loudest = try #require(bands.max { $0.level < $1.level })
    #expect(abs(loudest.center - 1_000) < 5)
    #expect(abs(loudest.level - Self.power) < 0.1)
    #expect(bands.filter { $0 != loudest }.allSatisfy { $0.level < Self.power - 15 })
    #expect(try await SoundLevelMeter(format: mono).reading.bands.isEmpty)
  }

  @Test func channelIsTheOneThatIsAskedFor() async throws {
    let samples = Sounds.tones([(1_000, 0.1), (1_000, 0.01)], frames: 0..<96_000)
    func level(_ channel: ChannelSelection) async throws -> Double {
      let meter = try SoundLevelMeter(format: stereo, configuration: SoundLevelMeterConfiguration(channel: channel))
      try await meter.process(PCMBuffer(format: stereo, wholeFrames: samples, position: 0))
      return try await meter.reading.equivalentContinuousLevel
    }
    #expect(abs(try await level(.channel(0)) - Self.power) < 0.03)
    #expect(abs(try await level(.channel(1)) - Self.power + 20) < 0.03)
    // The mean of both powers.
    #expect(abs(try await level(.all) - Self.power - 10 * log10((1 + 0.01) / 2)) < 0.03)
    #expect(await code { _ = try await level(.channel(2)) } == .validation)
  }

  // MARK: Loudness

  /// EBU Tech 3341, case 1: a stereo sine of 1 kHz at -23 dBFS has -23 LUFS.
  @Test func loudnessOfTheReferenceToneIsMinus23() async throws {
    let meter = try SoundLevelMeter(format: stereo)
    let amplitude = pow(10, -23.0 / 20)
    let samples = Sounds.tones([(1_000, amplitude), (1_000, amplitude)], frames: 0..<240_000)
    for buffer in Sounds.buffers(samples, format: stereo, frames: 4_096) { try await meter.process(buffer) }
    let loudness = try #require(try await meter.reading.loudness)
    for value in [
      loudness.momentary, loudness.momentaryMaximum, loudness.shortTerm, loudness.shortTermMaximum, loudness.integrated,
    ] {
      #expect(abs(value + 23) < 0.1)
    }
    #expect(abs(try #require(loudness.range)) < 0.1)
    #expect(abs(loudness.truePeak + 23) < 0.2)
  }

  @Test func loudnessIsLeftOutWhenItIsNotMeasured() async throws {
    let meter = try SoundLevelMeter(format: mono, configuration: SoundLevelMeterConfiguration(measuresLoudness: false))
    try await meter.process(tone(seconds: 1))
    let reading = try await meter.reading
    #expect(reading.loudness == nil)
    #expect(abs(reading.equivalentContinuousLevel - Self.power) < 0.05)
  }

  /// BS.1770-4, annex 3: a channel 60 to 120 degrees to the side counts 1.41 times, what is behind it once, the low-frequency
  /// channel not at all.
  @Test func channelsCountInLoudnessAsTheirPlacesSay() async throws {
    func integrated(_ channel: ChannelLayout.Channel) async throws -> Double {
      let format = try AudioFormat(sampleRate: 48_000, layout: ChannelLayout([channel]))
      let meter = try SoundLevelMeter(format: format)
      try await meter.process(PCMBuffer(format: format, wholeFrames: tone(seconds: 2).samples, position: 0))
      return try #require(try await meter.reading.loudness).integrated
    }
    let front = try await integrated(.center)
    #expect(abs(try await integrated(.discrete) - front) < 1e-9)
    for channel in [ChannelLayout.Channel.leftSurround, .rightSurround] {
      #expect(abs(try await integrated(channel) - front - 10 * log10(1.41)) < 0.01)
    }
    for channel in [ChannelLayout.Channel.leftBack, .rightBack] {
      #expect(abs(try await integrated(channel) - front) < 1e-9)
    }
    #expect(try await integrated(.lowFrequency) == -.infinity)
  }

  // MARK: What is unusual

  @Test func silenceIsMinusInfinityAndSilent() async throws {
    let meter = try SoundLevelMeter(format: mono)
    for reading in [
      try await meter.reading,
      try await {
        try await meter.process(silence(seconds: 1)); return try await meter.reading
      }(),
    ] {
      #expect(
        reading.level == -.infinity && reading.equivalentContinuousLevel == -.infinity && reading.peak == -.infinity)
      #expect(reading.displayValue == 0 && reading.levelZone == .silent)
      #expect(reading.loudness?.integrated == -.infinity)
    }
  }

  @Test func overloadsAreCounted() async throws {
    let meter = try SoundLevelMeter(format: mono)
    try await meter.process(PCMBuffer(format: mono, wholeFrames: [0.5, 1, -1, 0.999, 1.5], position: 0))
    #expect(try await meter.reading.overloads == 3)
  }

  @Test func whatIsNoNumberIsSilenceAndAnOverload() async throws {
    let meter = try SoundLevelMeter(format: mono, configuration: SoundLevelMeterConfiguration(bands: .thirdOctave))
    var samples = tone(seconds: 2).samples
    for (index, bad) in [(100, Float.nan), (200, .infinity), (300, -.infinity)] { samples[index] = bad }
    try await meter.process(PCMBuffer(format: mono, wholeFrames: samples, position: 0))
    let reading = try await meter.reading
    #expect(reading.overloads == 3)
    #expect(abs(reading.equivalentContinuousLevel - Self.power) < 0.05)
    #expect(abs(try #require(reading.loudness).momentary + 23.01) < 0.3)
    #expect(try await meter.reading.bands.allSatisfy { $0.level.isFinite })
  }

  @Test func readingHasExceedanceLevelsAndLosses() async throws {
    let meter = try SoundLevelMeter(format: mono)
    #expect(try await meter.reading.exceeded.map(\.level) == [nil, nil, nil, nil, nil])
    let sound = tone(seconds: 2)
    try await meter.process(
      PCMBuffer(format: mono, wholeFrames: sound.samples, position: 0, droppedFrames: 480, overruns: 2))
    try await meter.process(
      PCMBuffer(format: mono, wholeFrames: sound.samples, position: 96_000, droppedFrames: 20, overruns: 3))
    let reading = try await meter.reading
    #expect(reading.droppedFrames == 500 && reading.overruns == 3)
    #expect(reading.exceeded.map(\.percent) == [5, 10, 50, 90, 95])
    for one in reading.exceeded { #expect(try await meter.level(exceededFor: Double(one.percent)) == one.level) }
    #expect(abs(try #require(reading.exceeded[2].level) - Self.power) < 0.15)
  }

  @Test func loudnessRangeIsAbsentInTheFirstThreeSeconds() async throws {
    let meter = try SoundLevelMeter(format: mono)
    try await meter.process(tone(seconds: 2.9))
    #expect(try #require(try await meter.reading.loudness).range == nil)
    try await meter.process(tone(seconds: 0.2))
    #expect(abs(try #require(try await meter.reading.loudness?.range)) < 0.1)
  }

  @Test func restartBeginsAnewWithoutATransient() async throws {
    let meter = try SoundLevelMeter(format: mono)
    try await meter.process(tone(amplitude: 1, seconds: 2))
    try await meter.process(tone(seconds: 2))
    try await meter.restart()
    let empty = try await meter.reading
    #expect(
      empty.seconds == 0 && empty.overloads == 0 && empty.equivalentContinuousLevel == -.infinity
        && empty.minimum == nil)
    #expect(try await meter.level(exceededFor: 50) == nil)
    try await meter.process(tone(seconds: 1))
    let reading = try await meter.reading
    #expect(reading.seconds == 1)
    #expect(abs(reading.equivalentContinuousLevel - Self.power) < 0.001, "the filters had settled")
    #expect(reading.maximum < Self.power + 0.1)
  }

  @Test func anotherFormatIsRefusedAndDoesNotCount() async throws {
    let meter = try SoundLevelMeter(format: mono)
    let other = PCMBuffer(format: stereo, wholeFrames: [1, 1], position: 0)
    #expect(await code { try await meter.process(other) } == .formatMismatch)
    #expect(try await meter.reading.seconds == 0)
  }

  @Test func formatsAndCalibrationsOutOfRangeAreRefused() async throws {
    for (rate, channels) in [(7_999.0, 1), (768_001, 1), (48_000, 25)] {
      let format = try AudioFormat(sampleRate: rate, channels: channels)
      #expect(await code { _ = try SoundLevelMeter(format: format) } == .validation)
    }
    for offset in [300.1, -301, .nan, .infinity] {
      let configuration = SoundLevelMeterConfiguration(calibration: Calibration(offset: offset))
      #expect(await code { _ = try SoundLevelMeter(format: mono, configuration: configuration) } == .validation)
    }
  }

  @Test func manyTasksMayReadWhileOneFeeds() async throws {
    let meter = try SoundLevelMeter(format: mono)
    let buffer = tone(seconds: 0.1)
    try await withThrowingTaskGroup { group in
      group.addTask { for _ in 0..<20 { try await meter.process(buffer) } }
      for _ in 0..<4 {
        group.addTask {
          var seconds = 0.0
          for _ in 0..<50 {
            let reading = try await meter.reading
            #expect(reading.seconds >= seconds)
            seconds = reading.seconds
            _ = try await meter.level(exceededFor: 50)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(abs(try await meter.reading.seconds - 2) < 1e-9)
  }

  @Test func bandsHaveTheirNominalNames() {
    let names = (-18...13).map { SoundLevelMeter.Band(center: 1_000 * pow(10, Double($0) / 10), level: 0).name }
    #expect(
      names == [
        "16", "20", "25", "31.5", "40", "50", "63", "80", "100", "125", "160", "200", "250", "315", "400", "500", "630",
        "800", "1k", "1.25k", "1.6k", "2k", "2.5k", "3.15k", "4k", "5k", "6.3k", "8k", "10k", "12.5k", "16k", "20k",
      ])
  }

  @Test func addedMeasurementsAreOne() async throws {
    let meter = try SoundLevelMeter(format: mono)
    let other = try SoundLevelMeter(format: stereo)
    try await meter.process(tone(amplitude: 0.1, seconds: 1))
    let loud = tone(amplitude: 0.2, seconds: 3).samples.flatMap { [$0, $0] }
    try await other.process(PCMBuffer(format: stereo, wholeFrames: loud, position: 0))
    let (first, second) = (try await meter.reading, try await other.reading)
    try await meter.add(other)
    let all = try await meter.reading
    #expect(all.seconds == 4 && all.maximum == second.maximum && all.level == first.level)
    #expect(abs(all.equivalentContinuousLevel - Self.power - 10 * log10((1 + 3 * 4) / 4)) < 0.02)
    #expect(try await other.reading == second)
    let different = try SoundLevelMeter(
      format: mono, configuration: SoundLevelMeterConfiguration(loudnessRangeStep: .second))
    #expect(await code { try await meter.add(different) } == .validation)
    #expect(await code { try await meter.add(meter) } == .wrongState)
    #expect(try await meter.reading == all)
  }
}
