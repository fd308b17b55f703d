import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct MicrophoneResponseTests {
  private static let expected = [[20, -1.5], [1_000, 0], [20_000, 2.25]]

  private func points(_ text: String) throws -> [[Double]] {
    try MicrophoneResponse(calibrationFile: text).points.map { [$0.frequency, $0.deviation] }
  }

  @Test(arguments: [
    "20 -1.5\n1000 0\n20000 2.25",
    "20\t-1.5\r\n1000\t0\r\n20000\t2.25\r\n",
    "\"Sens Factor =-1.19dB, SERNO: 7000000\"\n20.000\t-1.5000\n1000.000\t0.0000\n20000.000\t2.2500\n",
    "*1000Hz\t-38.8\n20\t-1.5\n1000\t0\n20000\t2.25",
    "* Freq(Hz) SPL(dB) Phase(degrees)\n20 -1.5 12\n1000 0.0 -3.5\n20000 2.25 170\n\n",
    "freq,dB\n20,-1.5\n1000,0\n20000,2.25\n",
    "freq, dB, degrees\n20, -1.5, 0\n1000, 0, 0\n20000, 2.25, 0\n",
    "20,-1.5,0\n1000,0,0\n20000,2.25,0",
    "20;-1.5\n1000;0\n20000;2.25",
    "20,0;-1,5\n1000,0;0,0\n20000,0;2,25",
    "20 -1,5\n1000 0\n20000 2,25",
    "20,00\t-1,50\n1000,00\t0,00\n20000,00\t2,25",
    "\u{FEFF}20 -1.5\n1000 0\n20000 2.25",
    "; a remark\n# another\n// and one\n  20   -1.5  \n\n\n1e3 0\n2e4 +2.25\nend",
    "20 -1.5\r1000 0\r20000 2.25\r",
  ])
  func dialectsAreRead(text: String) throws {
    #expect(try points(text) == Self.expected)
  }

  @Test(arguments: [
    ("", "calibration file: expected lines with a frequency and a deviation, got none"),
    ("nothing\nof the kind", "calibration file: expected lines with a frequency and a deviation, got none"),
    ("20 -1.5\n1000", "line 2: expected a frequency in Hz and a deviation in dB, got \"1000\""),
    ("20 -1.5\n1000 x", "line 2: expected a frequency in Hz and a deviation in dB, got \"1000 x\""),
    ("20 nan", "line 1: expected a frequency in Hz and a deviation in dB, got \"20 nan\""),
    ("# head\n\n20 0\n20 1", "line 4: expected a frequency above 20 Hz, got \"20 1\""),
    ("1000 0\n20 0", "line 2: expected a frequency above 1000 Hz, got \"20 0\""),
    ("-5 0", "line 1: expected a frequency above 0 Hz, got \"-5 0\""),
    ("nan 0", "line 1: expected a frequency above 0 Hz, got \"nan 0\""),
    ("inf 0", "line 1: expected a frequency above 0 Hz, got \"inf 0\""),
  ])
  func junkIsRefusedByItsLine(text: String, message: String) {
    let error = #expect(throws: AudioError.self) { try points(text) }
    #expect(error?.code == .validation)
    #expect(error?.message == message)
  }

  @Test func filesAndPointsBeyondTheLimitsAreRefused() throws {
    let most = (1...4_096).map { "\($0) 0" }.joined(separator: "\n")
    #expect(try points(most).count == 4_096)
    #expect(throws: AudioError.self) { try points(most + "\n5000 0") }
    #expect(throws: AudioError.self) { try points(String(repeating: "#", count: 1_048_577)) }
    #expect(throws: AudioError.self) { try MicrophoneResponse(points: []) }
    let error = #expect(throws: AudioError.self) {
      try MicrophoneResponse(points: [.init(frequency: 1, deviation: 0), .init(frequency: 2, deviation: .infinity)])
    }
    #expect(error?.message == "point 2: expected a deviation in dB, got inf")
  }

  @Test func everyTextIsReadOrRefused() {
    let pieces = [
      "20", "1000", "-1,5", ".", ",", ";", "\t", " ", "\n", "\r\n", "nan", "1e999", "\"", "é", "*", "0x10", "-",
    ]
    var generator = SeededGenerator(seed: 1)
    var (read, refused) = (0, 0)
    for _ in 0..<5_000 {
      let text = (0..<Int.random(in: 0...12, using: &generator))
        .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      do throws(AudioError) {
        let points = try MicrophoneResponse(calibrationFile: text).points
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.frequency < $1.frequency })
        #expect(points.allSatisfy { $0.frequency > 0 && $0.frequency.isFinite && $0.deviation.isFinite })
        read += 1
      } catch {
        #expect(error.code == .validation)
        refused += 1
      }
    }
    #expect(read > 50 && refused > 100, "\(read) read, \(refused) refused")
  }

  @Test func whatTheMicrophoneReadsTooHighIsTakenOff() async throws {
    let text = "20 0\n500 0\n1000 0\n4000 6\n5000 6\n20000 6"
    let response = try MicrophoneResponse(calibrationFile: text)
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    func level(_ frequency: Double, _ response: MicrophoneResponse?) async throws -> Double {
      let meter = try SoundLevelMeter(
        format: format,
        configuration: SoundLevelMeterConfiguration(
          frequencyWeighting: .z, calibration: Calibration(response: response), bands: .octave))
      let samples = Sounds.tones([(frequency, 0.1)], frames: 0..<96_000)
      try await meter.process(PCMBuffer(format: format, wholeFrames: samples, position: 0))
      try await meter.restart()
      try await meter.process(PCMBuffer(format: format, wholeFrames: samples, position: 96_000))
      #expect(abs(try #require(try await meter.reading.loudness).truePeak + 20) < 0.1, "loudness is of the signal")
      return try await meter.reading.equivalentContinuousLevel
    }
    for (frequency, deviation) in [(500.0, 0.0), (1_000, 0), (4_000, 6), (8_000, 6)] {
      let (plain, corrected) = (try await level(frequency, nil), try await level(frequency, response))
      #expect(abs(plain - corrected - deviation) < 0.3, "at \(frequency) Hz: \(plain - corrected) dB")
    }
  }

  @Test func deviationsBeyondReasonAreRefusedByTheMeter() throws {
    let response = try MicrophoneResponse(
      points: [.init(frequency: 1_000, deviation: 0), .init(frequency: 2_000, deviation: 25)])
    let error = #expect(throws: AudioError.self) {
      try SoundLevelMeter(
        format: AudioFormat(sampleRate: 48_000, channels: 1),
        configuration: SoundLevelMeterConfiguration(calibration: Calibration(response: response)))
    }
    #expect(error?.code == .validation)
  }
}
