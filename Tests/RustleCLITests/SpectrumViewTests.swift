import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct SpectrumViewTests {
  /// Two tones over a floor that falls with frequency, 4096 points at 48 kHz.
  static func spectrum() -> Spectrum {
    let amplitudes = (0...2_048).map { bin -> Float in
      let hertz = Double(bin) * 48_000 / 4_096
      var level = -70 - 10 * log10(max(hertz, 10) / 10)
      for (tone, height) in [(440.0, -12.0), (5_000, -40)] {
        let distance = abs(hertz - tone) / (48_000.0 / 4_096)
        level = max(level, height - distance * distance * 6)
      }
      return Float(pow(10, level / 20))
    }
    return Spectrum(sampleRate: 48_000, size: 4_096, window: .hann, frames: 22, amplitudes: amplitudes)
  }

  static func result(_ spectrum: Spectrum = Self.spectrum(), peaks: [SpectralPeak]? = nil) throws -> SpectrumResult {
    let file = AudioFileFormat(
      sampleRate: spectrum.sampleRate, channels: 2, frames: 48_000, container: "WAV", codec: "Signed 16 bit PCM")
    let subject = SoundSubject(
      name: "folder/take1.wav", format: try AudioFormat(sampleRate: spectrum.sampleRate, channels: 2),
      encoding: "WAV, Signed 16 bit PCM", channel: nil)
    let found = [SpectralPeak(frequency: 440, amplitude: 0.25), SpectralPeak(frequency: 5_000.125, amplitude: 0.01)]
    return SpectrumResult(
      path: "folder/take1.wav", subject: subject, file: file, seconds: 48_000 / spectrum.sampleRate, overlap: 0.5,
      spectrum: spectrum, peaks: peaks ?? found)
  }

  @Test(arguments: [40, 80, 200]) func theReportFitsTheTerminal(columns: Int) throws {
    let text = try Self.result().text(.text, profile: TickerViewTests.profile(columns: columns))
    let picture = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(4).prefix(15)
    #expect(picture.count == 15)
    for line in picture { #expect(line.count <= columns) }
    try Snapshot.expect(text, variant: "\(columns)")
  }

  @Test func theReportInASCIIHasNoOtherCharacter() throws {
    let text = try Self.result().text(.text, profile: TickerViewTests.profile(columns: 80, ascii: true))
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    try Snapshot.expect(text)
  }

  @Test func theReportInColourIsTheSameTextWithColours() throws {
    let plain = try Self.result().text(.text, profile: TickerViewTests.profile(columns: 80))
    let coloured = try Self.result().text(.text, profile: TickerViewTests.profile(columns: 80, color: true))
    #expect(!plain.contains("\u{1B}"))
    #expect(coloured.contains("\u{1B}[36m"))
    #expect(coloured.replacing(/\u{1B}\[\d+m/, with: "") == plain)
  }

  @Test func silenceIsDrawnEmpty() throws {
    let spectrum = Spectrum(
      sampleRate: 8_000, size: 64, window: .rectangular, frames: 1, amplitudes: [Float](repeating: 0, count: 33))
    let text = try Self.result(spectrum, peaks: []).text(.text, profile: TickerViewTests.profile(columns: 40))
    #expect(!text.contains("█") && !text.contains("▁"))
    #expect(text.hasSuffix("\nNo peak above \u{2212}90.0 dB.\n"))
    try Snapshot.expect(text)
  }

  @Test func ndjson() throws {
    let text = try Self.result().text(.ndjson, profile: TickerViewTests.profile(columns: 80))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["v"] as? Int == 1)
    #expect((object["peaks"] as? [[String: Any]])?.first?["hz"] as? Double == 440)
    try Snapshot.expect(text)
  }

  @Test func csvHasOneRecordForEachBin() throws {
    let lines = try Self.result().text(.csv, profile: TickerViewTests.profile(columns: 80)).split(separator: "\n")
    #expect(lines.count == 1 + 2_049)
    #expect(lines[0] == "hz,db,amplitude")
    #expect(lines[2_049].hasPrefix("24000.0,"))
    #expect(lines.allSatisfy { $0.count { $0 == "," } == 2 })
  }

  @Test func thePictureMarksThePeaks() throws {
    let plot = try Self.result().plot
    #expect(plot.title == "take1.wav" && plot.subtitle.hasPrefix("WAV, Signed 16 bit PCM, 48 kHz, mean of 2 channels"))
    #expect(plot.markers.map(\.label) == ["440.00 Hz  \u{2212}12.0 dB", "5.0001 kHz  \u{2212}40.0 dB"])
  }
}
