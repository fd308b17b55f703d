internal import ArgumentParser
import Foundation
import RustleAudio
import TestSupport
import Testing

@testable import RustleCLI

/// The picture of a measurement, the calibration, and presets and responses from files.
@Suite(.releasesNativeObjects) struct MeterHistoryTests {
  static func state(_ seconds: Double, _ level: Double) -> MeterState {
    var state = MeterState()
    state.seconds = seconds
    state.level = level
    state.equivalentContinuousLevel = level - 1
    return state
  }

  @Test func aLongMeasurementKeepsItsPeaksInAFixedSize() {
    var history = MeterHistory()
    let count = 10 * MeterHistory.limit
    for index in 1...count { history.add(Self.state(Double(index), index.isMultiple(of: 5_000) ? 0 : -50)) }
    #expect(history.seconds.count < MeterHistory.limit && history.seconds.count > MeterHistory.limit / 4)
    #expect(zip(history.seconds, history.seconds.dropFirst()).allSatisfy { $0 < $1 })
    #expect(history.levels.count { $0 == 0 } == count / 5_000)
    #expect(history.levels.count == history.seconds.count && history.equivalents.count == history.seconds.count)
  }

  @Test func aNewMeasurementBeginsANewPicture() {
    var history = MeterHistory()
    for seconds in [1, 2, 3, 0.5, 1] { history.add(Self.state(seconds, -20)) }
    #expect(history.seconds == [0.5, 1])
  }

  @Test func thePictureShowsBothLevels() throws {
    let folder = try ScratchFolder()
    let png = folder.url.appending(path: "level.png").path
    var history = MeterHistory()
    for index in 0..<200 { history.add(Self.state(Double(index) / 8, -30 + 10 * sin(Double(index) / 20))) }
    try history.write(Self.state(25, -20), MeterViewTests.subject(), to: png)
    let image = try PNGImage(contentsOf: URL(filePath: png))
    #expect(image.width == 1_200 && image.height == 600)
    // Blue and amber.
    #expect(image.count(x: 100..<1_160, y: 90..<540) { Int($0 & 0xFF) - Int($0 >> 16) > 80 } > 1_000)
    #expect(image.count(x: 100..<1_160, y: 90..<540) { Int($0 >> 16) - Int($0 & 0xFF) > 120 } > 1_000)
  }

  // MARK: calibration

  static func calibration(_ state: MeterState, _ format: OutputFormat) throws -> String {
    try MeterCalibration(state, reference: 94).text(format, profile: TickerViewTests.profile(columns: 80))
  }

  @Test func aSoundThatMovesCalibratesNothing() throws {
    /// The drift of pieces of half a second with these levels.
    func drift(_ levels: [Double]) -> Double? {
      var (drift, energy) = (LevelDrift(), 0.0)
      for (index, level) in levels.enumerated() {
        let seconds = Double(index + 1) / 2
        energy += pow(10, level / 10) / 2
        // Readings that come sooner than a piece is over count for nothing.
        drift.add(seconds: seconds - 0.25, equivalent: -200)
        drift.add(seconds: seconds, equivalent: 10 * log10(energy / seconds))
      }
      return drift.decibels
    }
    #expect(drift([]) == nil && drift([-.infinity, -.infinity]) == nil)
    #expect(abs(try #require(drift([-20, -20, -20]))) < 1e-9)
    #expect(abs(try #require(drift([-20, -26, -23])) - 6) < 1e-9)
    #expect(drift([-20, -.infinity]) == .infinity)
    var state = MeterState()
    (state.seconds, state.equivalentContinuousLevel) = (5, -20)
    let calibration = try MeterCalibration(state, drift: 0.5, reference: 94)
    #expect(
      calibration.text(.text, profile: TickerViewTests.profile(columns: 80)).contains("--calibration 114.00"))
    for (drift, got) in [(0.74, "a drift of 0.7 dB"), (.infinity, "silence in it")] {
      let failure = #expect(throws: CommandFailure.self) {
        try MeterCalibration(state, drift: drift, reference: 94)
      }
      #expect(failure?.status == .badData)
      #expect(failure?.message.hasSuffix("a sound whose level drifts by at most 0.5 dB, got \(got)") == true)
    }
  }

  @Test func aCalibrationSaysTheOffsetToUse() throws {
    let state = Self.state(5, -25.25)
    #expect(
      try Self.calibration(state, .text)
        == "LAeq over 5.0 s: \u{2212}26.25 dBFS, to be 94 dB\n--calibration 120.25\n")
    #expect(
      try Self.calibration(state, .csv)
        == "t_s,weighting,equivalent_dbfs,reference_db,offset_db\n5.0,A,-26.25,94.0,120.25\n")
    let json = try JSONSerialization.jsonObject(with: Data(Self.calibration(state, .ndjson).utf8)) as? [String: Any]
    #expect(json?["kind"] as? String == "calibration" && json?["offset_db"] as? Double == 120.25)
  }

  @Test func nothingIsLearntFromSilenceOrFromTooLoudASound() throws {
    var loud = Self.state(5, -1)
    loud.overloads = 7
    for (state, text) in [(Self.state(5, -.infinity), "got silence"), (loud, "got 7 samples at or beyond it")] {
      let failure = #expect(throws: CommandFailure.self) { try Self.calibration(state, .text) }
      #expect(failure?.status == .badData && failure?.message.contains(text) == true)
    }
  }

  // MARK: files

  @Test func aResponseIsReadAndARefusalNamesTheFile() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("\"Sens Factor =-1.2dB\"\n20 -1.5\n1000\t0\n20000,2\n".utf8), as: "mic.cal")
    #expect(try MeterOptions.response(path).points.map(\.deviation) == [-1.5, 0, 2])
    let bad = try folder.write(Data("20 x\n".utf8), as: "bad.cal")
    let failure = #expect(throws: CommandFailure.self) { try MeterOptions.response(bad) }
    #expect(failure?.status == .badData && failure?.message.hasPrefix("\(bad): line 1: expected") == true)
    // What is a response, but not one that the meter can undo.
    let steep = try folder.write(Data("20 0\n1000 0\n20000 60\n".utf8), as: "steep.cal")
    let options = try MeterOptions.parse(["--response", steep])
    let refusal = #expect(throws: CommandFailure.self) {
      try options.meter(for: AudioFormat(sampleRate: 48_000, channels: 1))
    }
    #expect(refusal?.status == .badData && refusal?.message.hasPrefix(steep) == true)
    let directory = #expect(throws: CommandFailure.self) { try MeterOptions.response(folder.url.path) }
    #expect(directory?.status == .noInput && directory?.message.hasSuffix("expected a file, got a folder") == true)
    #expect(throws: CommandFailure(.noInput, "--response: no/mic.cal: no such file", advice: "check the path")) {
      try MeterOptions.response("no/mic.cal")
    }
  }
}
