internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

/// The calibration, and responses from files.
@Suite(.releasesNativeObjects) struct MeterRunTests {
  // MARK: calibration

  static func calibration(_ format: OutputFormat, level: Double = -26.25, overloads: Int = 0) throws -> String {
    var reading = SoundLevelReading()
    (reading.seconds, reading.equivalentContinuousLevel, reading.overloads) = (5, level, overloads)
    var measurement = CalibrationMeasurement(reference: 94)
    measurement.add(reading)
    return try measurement.text(format, profile: TickerViewTests.profile(columns: 80))
  }

  @Test func aCalibrationSaysTheOffsetToUse() throws {
    #expect(
      try Self.calibration(.text)
        == "LAeq over 5.0 s: \u{2212}26.25 dBFS, to be 94 dB\n--calibration 120.25\n")
    #expect(
      try Self.calibration(.csv)
        == "t_s,weighting,equivalent_dbfs,reference_db,offset_db\n5.0,A,-26.25,94.0,120.25\n")
    let json = try JSONSerialization.jsonObject(with: Data(Self.calibration(.ndjson).utf8)) as? [String: Any]
    #expect(json?["kind"] as? String == "calibration" && json?["offset_db"] as? Double == 120.25)
  }

  @Test func aSoundThatCalibratesNothingIsRefused() throws {
    let failure = #expect(throws: CommandFailure.self) { try Self.calibration(.text, overloads: 7) }
    #expect(failure?.status == .badData)
    #expect(failure?.message == "--calibrate: expected a sound below full scale, got 7 samples at or beyond it")
  }

  // MARK: files

  @Test func aResponseIsReadAndARefusalNamesTheFile() async throws {
    let folder = try ScratchFolder()
    let response = try folder.write(Data("\"Sens Factor =-1.2dB\"\n20 -1.5\n1000\t0\n20000,2\n".utf8), as: "mic.cal")
    #expect(try MeterOptions.response(response).points.map(\.deviation) == [-1.5, 0, 2])
    let bad = try folder.write(Data("20 x\n".utf8), as: "bad.cal")
    let failure = #expect(throws: CommandFailure.self) { try MeterOptions.response(bad) }
    #expect(failure?.status == .badData && failure?.message.hasPrefix("\(bad): line 1: expected") == true)
    // What is a response, but not one that the meter can undo.
    let steep = try folder.write(Data("20 0\n1000 0\n20000 60\n".utf8), as: "steep.cal")
    let options = try MeterOptions.parse(["--response", steep])
    let path = try folder.write(WaveFile.floats([0], channels: 1, sampleRate: 48_000), as: "a.wav")
    let sound = try await AudioFileInput(path: path).open()
    let refusal = #expect(throws: CommandFailure.self) { try options.meter(for: sound) }
    #expect(refusal?.status == .badData && refusal?.message.hasPrefix(steep) == true)
    let directory = #expect(throws: CommandFailure.self) { try MeterOptions.response(folder.url.path) }
    #expect(directory?.status == .noInput && directory?.message.hasSuffix("expected a file, got a folder") == true)
    #expect(throws: CommandFailure(.noInput, "--response: no/mic.cal: no such file", advice: "Check the path.")) {
      try MeterOptions.response("no/mic.cal")
    }
  }
}
