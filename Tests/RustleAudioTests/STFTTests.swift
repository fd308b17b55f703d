import RustleCore
import TestSupport
import Testing

@testable import RustleAudio

private struct Broken: Error {}

@Suite(.releasesNativeObjects) struct STFTTests {
  @Test func framesAreThoseOfNumpy() throws {
    for testCase in try VectorCase.all(in: "stft.txt") {
      let padding = try #require(STFT.Padding(rawValue: try testCase.text("padding")))
      let stft = try STFT(
        size: testCase.integers("size")[0], hop: testCase.integers("hop")[0], padding: padding, output: .complexSpectrum
      )
      let signal = try testCase.signal()
      let count = try testCase.integers("count")[0]
      #expect(stft.frameCount(of: signal.count) == count, "\(testCase.name)")
      let rows = try stft.frames(of: signal)
      try #require(rows.count == count * stft.valuesPerFrame)
      let chosen = try testCase.integers("chosen").flatMap {
        rows[$0 * stft.valuesPerFrame..<($0 + 1) * stft.valuesPerFrame]
      }
      let error = relativeL2(chosen, try testCase.numbers("bins"))
      #expect(error < 2e-7, "\(testCase.name)")
    }
  }

  @Test func everyFormIsThatOfTheFFT() throws {
    let signal = noise(seed: 61, count: 1_000)
    for form in FFT.Output.allCases {
      let stft = try STFT(
        size: 256, hop: 300, window: .hamming, normalization: .amplitude, padding: .none, output: form)
      let fft = try FFT(size: 256, window: .hamming, normalization: .amplitude)
      let rows = try stft.frames(of: signal)
      let frame = Array(signal[300..<556])
      let expected =
        switch form {
        case .magnitudes: try fft.magnitudes(of: frame)
        case .power: try fft.powerSpectrum(of: frame)
        case .decibels: try fft.decibels(of: frame)
        case .complexSpectrum: try fft.complexSpectrum(of: frame)
        }
      #expect(Array(rows[stft.valuesPerFrame..<2 * stft.valuesPerFrame]) == expected, "\(form)")
      var workspace = fft.makeWorkspace()
      var again = [Float](repeating: -1, count: expected.count)
      var output = again.mutableSpan
      try fft.write(form, of: frame.span, into: &output, using: &workspace)
      #expect(again == expected, "\(form)")
    }
  }

  @Test func signalInPartsGivesTheSameFrames() throws {
    let stft = try STFT(size: 128, hop: 50, padding: .reflect)
    let signal = noise(seed: 62, count: 777)
    let whole = try stft.frames(of: signal)
    var parts: [Float] = []
    var rows = [Float](repeating: 0, count: 3 * stft.valuesPerFrame)
    while true {
      var output = rows.mutableSpan
      let count = try stft.frames(of: signal.span, from: parts.count / stft.valuesPerFrame, into: &output)
      if count == 0 { break }
      parts += rows.prefix(count * stft.valuesPerFrame)
    }
    #expect(parts == whole)
  }

  @Test(arguments: STFT.Padding.allCases) func streamGivesTheSameFrames(_ padding: STFT.Padding) async throws {
    for (hop, count) in [(16, 500), (64, 64), (100, 1_000), (16, 1), (16, 0)] {
      let stft = try STFT(size: 64, hop: hop, padding: padding)
      let signal = noise(seed: 63, count: count)
      let whole = try stft.frames(of: signal)
      for length in [1, 7, 64, 1_000] {
        #expect(try Self.streamed(signal, in: length, stft) == whole, "\(hop), \(count) in \(length)")
        let pieces = AsyncStream { continuation in
          for start in stride(from: 0, to: count, by: length) {
            continuation.yield(Array(signal[start..<min(count, start + length)]))
          }
          continuation.finish()
        }
        var rows: [Float] = []
        for try await row in pieces.spectra(stft) { rows += row }
        #expect(rows == whole, "\(hop), \(count) in \(length), asynchronous")
      }
    }
  }

  private static func streamed(_ signal: [Float], in length: Int, _ stft: STFT) throws -> [Float] {
    var stream = try STFTStream(stft)
    var rows: [Float] = []
    for start in stride(from: 0, to: signal.count, by: length) {
      let piece = Array(signal[start..<min(signal.count, start + length)])
      var buffer = [Float](repeating: 0, count: stream.maximumFrameCount(for: piece.count) * stft.valuesPerFrame)
      var output = buffer.mutableSpan
      let (taken, frames) = try stream.push(piece.span, into: &output)
      #expect(taken == piece.count)
      rows += buffer.prefix(frames * stft.valuesPerFrame)
    }
    var row = [Float](repeating: 0, count: stft.valuesPerFrame)
    while true {
      var output = row.mutableSpan
      if try stream.finish(into: &output) == 0 { return rows }
      rows += row
    }
  }

  @Test func frameOfAStreamComesBeforeTheNextPiece() async throws {
    let stft = try STFT(size: 64, hop: 64, padding: .none)
    let (pieces, continuation) = AsyncStream.makeStream(of: [Float].self)
    var iterator = pieces.spectra(stft).makeAsyncIterator()
    continuation.yield([Float](repeating: 1, count: 100))
    // Nothing else is there to be waited for.
    #expect(try await iterator.next()?.first == 32)
    continuation.finish()
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  /// The built-in device, on a clock that the test moves.
  @Test func framesOfACaptureAreThoseOfItsSound() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let configuration = DeviceConfiguration(
      device: AudioDevice.demo.name, format: try AudioFormat(sampleRate: 48_000, channels: 2), frameLimit: 24_000)
    let capture = try AudioCapture(configuration, runtime: runtime)
    let stft = try STFT(size: 1_024)
    for channel in [ChannelSelection.all, .channel(0), .channel(1)] {
      let buffers = try await capture.buffers()
      runtime.advance(by: .seconds(1))
      var signal: [Float] = []
      for try await buffer in buffers { signal += buffer.mono(channel: channel) }
      #expect(signal.count == 24_000)
      let frames = try await stft.frames(of: capture, channel: channel)
      runtime.advance(by: .seconds(1))
      var rows: [Float] = []
      for try await row in frames { rows += row }
      #expect(rows == (try stft.frames(of: signal)))
    }
    var frames = try await stft.frames(of: capture, channel: .channel(2)).makeAsyncIterator()
    runtime.advance(by: .seconds(1))
    let error = await #expect(throws: AudioError.self) { try await frames.next() }
    #expect(error?.message == "channel: expected one below 2, got 2")
  }

  @Test func silenceReplacesDroppedFramesUpToAMinute() async throws {
    let format = try AudioFormat(sampleRate: 100, channels: 1)
    let input = ScriptedInput(buffersToGive: [
      PCMBuffer(format: format, wholeFrames: [1], position: 0),
      PCMBuffer(format: format, wholeFrames: [2], position: 4, droppedFrames: 3),
      PCMBuffer(format: format, wholeFrames: [3], position: 6_006, droppedFrames: 6_001),
      PCMBuffer(format: format, wholeFrames: [4], position: 12_007, droppedFrames: 6_000),
    ])
    var pieces: [[Float]] = []
    for try await piece in try await input.buffers().mono() { pieces.append(piece) }
    #expect(pieces == [[1], [0, 0, 0, 2], [3], [Float](repeating: 0, count: 6_000) + [4]])
  }

  @Test func errorOfTheBaseEndsTheFrames() async throws {
    let pieces = AsyncThrowingStream<[Float], any Error> { $0.finish(throwing: Broken()) }
    var iterator = pieces.spectra(try STFT(size: 64)).makeAsyncIterator()
    await #expect(throws: Broken.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func transformIsSharedByTasks() async throws {
    let stft = try STFT(size: 1_024, hop: 512, output: .power)
    let signal = noise(seed: 64, count: 20_000)
    let alone = try stft.frames(of: signal)
    try await withThrowingTaskGroup(of: [Float].self) { group in
      for _ in 0..<8 { group.addTask { try stft.frames(of: signal) } }
      for try await rows in group { #expect(rows == alone) }
    }
  }

  @Test func whatDoesNotFitIsRefused() throws {
    #expect(throws: FFTError.self) { try STFT(size: 100) }
    let hop = #expect(throws: FFTError.self) { try STFT(size: 64, hop: 0) }
    #expect(hop?.message == "hop: expected 1 to 1048576 samples, got 0")
    let stft = try STFT(size: 64, hop: 16)
    let length = #expect(throws: FFTError.self) {
      var buffer = [Float](repeating: 0, count: 34)
      var output = buffer.mutableSpan
      _ = try stft.frames(of: [1, 2].span, into: &output)
    }
    #expect(length?.message == "output: expected a multiple of 33 elements, got 34")
    let first = #expect(throws: FFTError.self) {
      var output = MutableSpan<Float>()
      _ = try stft.frames(of: [1, 2].span, from: -1, into: &output)
    }
    #expect(first?.argument == "first")
    let room = #expect(throws: FFTError.self) {
      var stream = try STFTStream(stft)
      var output = MutableSpan<Float>()
      _ = try stream.finish(into: &output)
    }
    #expect(room?.argument == "output")
    let ended = #expect(throws: FFTError.self) {
      var stream = try STFTStream(stft)
      var row = [Float](repeating: 0, count: 33)
      var output = row.mutableSpan
      _ = try stream.push(noise(seed: 1, count: 50).span, into: &output)
      _ = try stream.finish(into: &output)
      _ = try stream.push([1].span, into: &output)
    }
    #expect(ended?.argument == "stream")
  }

  @Test(arguments: STFT.Padding.allCases) func countsOfAbsurdLengthsDoNotTrap(_ padding: STFT.Padding) throws {
    let stft = try STFT(size: 64, hop: 1, padding: padding)
    let stream = try STFTStream(stft)
    for count in [Int.min, -1, 0] {
      #expect(stft.frameCount(of: count) == 0)
      #expect(stream.maximumFrameCount(for: count) == stream.maximumFrameCount(for: 0))
    }
    #expect(stft.frameCount(of: .max) > Int.max - 64)
    #expect(stream.maximumFrameCount(for: .max) == .max)
  }

  @Test func timesAreThoseOfTheFramesMiddles() throws {
    #expect(try STFT(size: 64, hop: 100).time(of: 3, sampleRate: 1_000) == 0.3)
    #expect(try STFT(size: 64, hop: 100, padding: .none).time(of: 3, sampleRate: 1_000) == 0.332)
  }
}
