import Dispatch
import Foundation
import TestSupport
import Testing

@testable import RustleAudio

/// The acceptance criteria of the brief's computeFFT story, one test each.
@Suite("Story: computeFFT", .releasesNativeObjects)
struct ComputeFFTStoryTests {
  @Test("returns fftSize/2 magnitudes and as many frequencies")
  func shape() async throws {
    for size in [256, 512, 1_024, 2_048, 4_096, 8_192] {
      let result = try await computeFFT(buffer: noise(seed: 1, count: size), options: ["sampleRate": 48_000])
      let magnitudes = try #require(result["magnitude"] as? [Float])
      let frequencies = try #require(result["frequencies"] as? [Double])
      #expect(magnitudes.count == size / 2)
      #expect(frequencies == (0..<size / 2).map { Double($0) * 48_000 / Double(size) })
      #expect(result.count == 2)
    }
  }

  @Test("defaults: the buffer's length, a Hann window, 44,100 Hz")
  func defaults() async throws {
    let signal = noise(seed: 2, count: 512)
    let result = try await computeFFT(buffer: signal)
    let expected = try await computeFFT(
      buffer: signal, options: ["fftSize": 512, "windowType": "hanning", "sampleRate": 44_100.0])
    #expect(result["magnitude"] as? [Float] == expected["magnitude"] as? [Float])
    #expect((result["frequencies"] as? [Double])?[1] == 44_100.0 / 512)
  }

  @Test("the magnitude of a sine peaks at its frequency, with every window")
  func sinePeaksAtItsFrequency() async throws {
    let signal = sine(1_000, sampleRate: 16_000, count: 1_024)
    for window in WindowFunction.names {
      let result = try await computeFFT(
        buffer: signal, options: ["windowType": window, "sampleRate": 16_000])
      let magnitudes = try #require(result["magnitude"] as? [Float])
      let frequencies = try #require(result["frequencies"] as? [Double])
      let strongest = try #require(magnitudes.indices.max { magnitudes[$0] < magnitudes[$1] })
      #expect(frequencies[strongest] == 1_000)
    }
  }

  @Test("the window argument changes the result")
  func windowIsUsed() async throws {
    let signal = noise(seed: 3, count: 256)
    var seen: Set<[Float]> = []
    for window in WindowFunction.allCases {
      seen.insert(try await computeFFT(signal, options: FFTOptions(window: window)).magnitudes)
    }
    #expect(seen.count == 4)
  }

  @Test("a shorter buffer is padded with zeros and a longer one cropped, as numpy's rfft does")
  func paddingAndCropping() async throws {
    for testCase in try VectorCase.all(in: "padding.txt") {
      let size = try testCase.integers("size")[0]
      let result = try await computeFFT(
        buffer: testCase.signal(), options: ["fftSize": size, "windowType": testCase.text("window")])
      let magnitudes = try #require(result["magnitude"] as? [Float])
      let compared = zip(try testCase.integers("bins"), try testCase.numbers("magnitudes")).filter { $0.0 < size / 2 }
      let error = relativeL2(compared.map { magnitudes[$0.0] }, compared.map(\.1))
      #expect(error < 2e-7, "\(testCase.name)")
    }
  }

  @Test("an empty buffer is a VALIDATION_ERROR")
  func emptyBuffer() async {
    await expectValidationError("buffer: expected at least 1 sample, got 0") {
      try await computeFFT(buffer: [], options: ["fftSize": 256])
    }
  }

  @Test(
    "a size that is no power of two, or out of 256 to 8192, is a VALIDATION_ERROR",
    arguments: [-256, 0, 1, 128, 255, 1_000, 16_384, .max])
  func sizes(size: Int) async {
    await expectValidationError("fftSize: expected a power of two from 256 to 8192, got \(size)") {
      try await computeFFT(buffer: [1, 2, 3], options: ["fftSize": size])
    }
  }

  @Test("a buffer whose length is no size needs the option fftSize, and the error says so")
  func lengthThatIsNoSize() async {
    await expectValidationError(
      "fftSize: expected a power of two from 256 to 8192, got 1000 (the length of the buffer, since fftSize is not given)"
    ) {
      try await computeFFT(buffer: noise(seed: 1, count: 1_000))
    }
  }

  @Test("an unknown window is a VALIDATION_ERROR")
  func unknownWindow() async {
    await expectValidationError(
      "windowType: expected one of none, rectangular, hann, hanning, hamming, blackman, got \"flattop\""
    ) {
      try await computeFFT(buffer: noise(seed: 1, count: 256), options: ["windowType": "flattop"])
    }
  }

  @Test("a sample rate that is no positive number is a VALIDATION_ERROR", arguments: [0, -44_100, .nan, .infinity])
  func sampleRates(rate: Double) async {
    await expectValidationError("sampleRate: expected a finite number of Hz above 0, got \(rate)") {
      try await computeFFT(buffer: noise(seed: 1, count: 256), options: ["sampleRate": rate])
    }
  }

  @Test("an option of the wrong type is a VALIDATION_ERROR")
  func wrongType() async {
    await expectValidationError("fftSize: expected a whole number, got 1024 of type String") {
      try await computeFFT(buffer: noise(seed: 1, count: 256), options: ["fftSize": "1024"])
    }
  }

  @Test("it can be called from the main actor, with a dictionary of its own")
  @MainActor func fromTheMainActor() async throws {
    // Not Sendable, and part of the main actor's state before and after the call.
    var options: [String: Any] = ["fftSize": 512]
    let result = try await computeFFT(buffer: noise(seed: 1, count: 512), options: options)
    options["result"] = result
    MainActor.assertIsolated()
    #expect((result["magnitude"] as? [Float])?.count == 256)
  }

  @Test("the work is done off the main actor at user-initiated priority")
  @MainActor func offTheCaller() async {
    // Recognized by its queue: on Linux the main actor is not bound to the process's first thread.
    let isMainQueue = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: isMainQueue, value: true)
    defer { DispatchQueue.main.setSpecific(key: isMainQueue, value: nil) }
    #expect(DispatchQueue.getSpecific(key: isMainQueue) == true)
    let (onMain, priority) = await offCaller {
      (DispatchQueue.getSpecific(key: isMainQueue), Task<Never, Never>.basePriority)
    }
    #expect(onMain == nil)
    #expect(priority == .userInitiated)
  }

  @Test("it can be called from an actor and from many tasks at once")
  func fromManyTasks() async throws {
    let signal = noise(seed: 9, count: 1_024)
    let expected = try await computeFFT(signal)
    try await withThrowingTaskGroup { group in
      for _ in 0..<32 { group.addTask { try await computeFFT(signal) } }
      for try await result in group { #expect(result == expected) }
    }
    let caller = Caller()
    #expect(try await caller.count(signal) == 512)
  }

  private actor Caller {
    func count(_ signal: [Float]) async throws -> Int? {
      (try await computeFFT(buffer: signal)["magnitude"] as? [Float])?.count
    }
  }

  private func expectValidationError(_ message: String, _ body: () async throws -> [String: Any]) async {
    do {
      _ = try await body()
      Issue.record("expected an error")
    } catch {
      let bridged = error as NSError
      #expect(bridged.domain == "rustle.fft")
      #expect(bridged.userInfo["code"] as? String == "VALIDATION_ERROR")
      #expect(bridged.localizedDescription == message)
    }
  }
}
