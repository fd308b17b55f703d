import Foundation
import Rustle
import RustleTesting
import Testing

/// What an outside user does, through the umbrella module alone.
@Suite struct ConsumerTests {
  @Test func pricesStreamIntoATask() async throws {
    let ticker = try TickerController(configuration: TickerConfiguration(updatesPerSecond: 100))
    var symbols: Set<String> = []
    for await update in try await ticker.prices(for: ["BTC", "ETH"]) {
      symbols.insert(update.symbol)
      if symbols.count == 2 { break }
    }
    #expect(symbols == ["BTC", "ETH"])
  }

  @Test func pricesComeInBatches() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(configuration: TickerConfiguration(updateLimit: 100), clock: clock)
    let updates = try await ticker.updates(for: ["BTC"], buffering: .batched(overflow: .dropOldest))
    clock.advance(by: .seconds(60))
    var count = 0
    for await batch in updates.batches() { count += batch.count { $0.value != nil } }
    #expect(count == 100)
    #expect(updates.statistics.dropped == 0)
  }

  @Test func feedGivesExactPricesAndCandles() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["BTC"], updateLimit: 100)), clock: clock)
    let trades = try await feed.trades(of: ["BTC"], policy: .conflated)
    let candles = try await feed.candles(every: .seconds(10))
    try await feed.run()
    clock.advance(by: .seconds(60))
    var last: ExactDecimal?
    for await case .value(let trade) in trades { last = trade.price }
    #expect(last.map { ExactDecimal($0.description) == $0 } == true)
    var count: UInt64 = 0
    for await case .value(let candle) in candles { count += candle.tradeCount }
    #expect(count == 100)
  }

  @Test func spectrumOfASine() async throws {
    let fft = try FFT(size: 1_024, window: .hann, normalization: .amplitude)
    let sine = (0..<1_024).map { Float(sin(2 * Double.pi * 64 * Double($0) / 1_024)) }
    var amplitudes = [Float](repeating: 0, count: fft.binCount)
    var output = amplitudes.mutableSpan
    try fft.magnitudes(of: sine.span, into: &output)
    #expect(abs(amplitudes[64] - 1) < 1e-5)
    #expect(fft.frequencies(sampleRate: 48_000)[64] == 3_000)
  }

  @Test func spectrogramOfAToneAndBack() async throws {
    let stft = try STFT(size: 512, hop: 128, normalization: .amplitude)
    let tone = (0..<4_096).map { Float(sin(2 * Double.pi * 32 * Double($0) / 512)) }
    let rows = try stft.frames(of: tone)
    #expect(rows.count == stft.frameCount(of: tone.count) * stft.valuesPerFrame)
    #expect(abs(rows[10 * stft.valuesPerFrame + 32] - 1) < 1e-4)

    let fft = try FFT(size: 512, window: .rectangular)
    var bins = [Float](repeating: 0, count: 2 * fft.binCount)
    var output = bins.mutableSpan
    try fft.complexSpectrum(of: tone.span.extracting(first: 512), into: &output)
    var back = [Float](repeating: 0, count: 512)
    var samples = back.mutableSpan
    try InverseFFT(size: 512).samples(of: bins.span, into: &samples)
    #expect(zip(back, tone).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @MainActor
  @Test func computeFFTIsCalledFromTheMainActor() async throws {
    let result = try await computeFFT(buffer: [Float](repeating: 1, count: 512), options: ["windowType": "none"])
    let magnitudes = try #require(result["magnitude"] as? [Float])
    #expect(magnitudes.count == 256)
    #expect(magnitudes[0] == 512)
    await #expect(throws: FFTError.self) { _ = try await computeFFT(buffer: [], options: [:]) }
  }

  @Test func demoIsCapturedAndMeasured() async throws {
    let format = try AudioFormat(sampleRate: 1_000_000, channels: 1)
    let capture = try AudioCapture(
      DeviceConfiguration(device: AudioDevice.demo.name, format: format, frameLimit: 100_000))
    var frames: Int64 = 0
    for try await buffer in try await capture.buffers() {
      try buffer.expect(format)
      frames += Int64(buffer.frameCount) + buffer.droppedFrames
    }
    #expect(frames == 100_000)

    let tone = try AudioFormat(sampleRate: 48_000, channels: 1)
    let meter = try SoundLevelMeter(
      format: tone, configuration: SoundLevelMeterConfiguration(calibration: Calibration(offset: 94)))
    let samples = (0..<48_000).map { Float(0.1 * sin(2 * Double.pi * 1_000 * Double($0) / 48_000)) }
    try await meter.process(PCMBuffer(format: tone, samples: samples, position: 0))
    let reading = try await meter.reading
    #expect(abs(reading.equivalentContinuousLevel - 70.99) < 0.1)
    #expect(reading.calibration.isCalibrated && reading.levelZone == .silent)
  }

  @Test func pitchOfAToneIsFound() throws {
    var tracker = try PitchTracker(PitchConfiguration(sampleRate: 48_000, range: 60...1_000))
    let samples = (0..<9_600).map { Float(0.5 * sin(2 * Double.pi * 220 * Double($0) / 48_000)) }
    var frames: [PitchFrame] = []
    try tracker.process(samples.span, into: &frames)
    // 512 samples apart, from the middle of the first shortest frame on, to the last middle whose frame is complete.
    let first = tracker.shortestFrameLength / 2
    #expect(frames.count == 1 + (9_600 - tracker.frameLength / 2 - first) / 512)
    for frame in frames {
      let frequency = try #require(frame.frequency)
      #expect(frame.isVoiced && abs(frequency - 220) < 0.01)
    }
    try tracker.finish(into: &frames)
    #expect(frames.count == 1 + (9_600 - 2 * first) / 512)
  }

  @Test func voiceOfAVowelIsMeasured() async throws {
    // Harmonics of 150 Hz under one resonance at 700 Hz.
    let samples = (0..<24_000).map { index in
      let time = Double(index) / 48_000
      let partials = (1...30).map { number in
        let distance = (150 * Double(number) - 700) / 50
        return sin(2 * Double.pi * 150 * Double(number) * time) / (1 + distance * distance).squareRoot()
      }
      return Float(0.1 * partials.reduce(0, +))
    }
    let (frames, summary) = try VoiceProcessor.analyze(samples.span, sampleRate: 48_000)
    #expect(frames.count == summary.frames && summary.voicedFrames == summary.frames)
    #expect(abs((summary.medianPitch ?? 0) - 150) < 0.1 && summary.perturbation.jitter < 1e-3)
    #expect(try calculateHNR(in: samples.span, sampleRate: 48_000).hnr > 30)
    let analyzer = try VoiceAnalyzer(format: AudioFormat(sampleRate: 48_000, channels: 1))
    let heard = try await analyzer.process(
      PCMBuffer(format: analyzer.format, samples: samples, position: 0))
    #expect(heard == frames)
  }

  @Test func equalizedSoundIsPlayed() async throws {
    struct Sound: AudioInput {
      let buffer: PCMBuffer
      func buffers() -> AsyncStream<PCMBuffer> {
        AsyncStream { continuation in
          continuation.yield(buffer)
          continuation.finish()
        }
      }
    }
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    let equalizer = try Equalizer(format: format, settings: .graphic(gains: [Double](repeating: 0, count: 28)))
    try await equalizer.setGain(6, ofBand: 7, on: .left)
    #expect(await equalizer.settings.left[7].gain == 6)
    let sound = try Sound(
      buffer: PCMBuffer(format: format, samples: [Float](repeating: 0.1, count: 2_000), position: 0))
    let output = try AudioOutput(DeviceConfiguration(device: "demo", format: format))
    let end = try await output.play(sound, changing: equalizer.process)
    #expect(end.played == 1_000)
    await output.shutDown()
  }

  @Test func refusalsAreTyped() async throws {
    let ticker = try TickerController()
    do throws(TickerError) {
      _ = try await ticker.prices(for: [])
      Issue.record("an empty list must be refused")
    } catch {
      #expect(error.code == .noSymbols)
    }
  }

  @MainActor
  @Test func viewModelRunsOnAScriptedSource() async throws {
    let source = ScriptedPrices()
    let model = TickerViewModel(source: source)
    await model.start(symbols: ["BTC"])
    #expect(model.isRunning)
    await model.stop()
    #expect(!model.isRunning)
  }
}
