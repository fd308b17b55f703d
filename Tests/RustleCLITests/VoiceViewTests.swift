import RustleAudio
import RustleAudioFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

/// What `rustle voice` writes of known frames and of a known signal.
@Suite(.releasesNativeObjects) struct VoiceViewTests {
  private static func profile(ascii: Bool = false, color: Bool = false) -> TerminalProfile {
    TerminalProfile(
      environment: color ? ["FORCE_COLOR": "1", "LANG": "C.UTF-8"] : ["LANG": "C.UTF-8"], isTerminal: false,
      size: (0, 0), isASCIIAskedFor: ascii)
  }

  private static let frames = [
    VoiceFrame(
      sample: 1_024, time: 0.0213, pitch: 120.5, confidence: 0.98, isVoiced: true, level: -12.25,
      harmonicsToNoise: 21.5,
      formants: Formants(
        [
          Formant(frequency: 700, bandwidth: 80), Formant(frequency: 1_220.5, bandwidth: 90),
          Formant(frequency: 2_600, bandwidth: 120),
        ], confidence: 0.95), centroid: 812.5),
    VoiceFrame(sample: 1_536, time: 0.032, pitch: 300, confidence: 0.1, isVoiced: false, harmonicsToNoise: nil),
    VoiceFrame(
      sample: 2_048, time: 0.0427, pitch: 121, confidence: 0.9, isVoiced: true, level: -30, harmonicsToNoise: -1.25),
  ]

  @Test(arguments: [OutputFormat.text, .csv, .ndjson])
  func framesAreWrittenOneALine(format: OutputFormat) throws {
    let lines = Self.frames.map { VoiceLine(frame: $0, isPolyphonic: $0.sample == 1_536) }
    let table = Table(VoiceLine.columns, kind: "frame", format: format, profile: Self.profile())
    try Snapshot.expect(table.header + table.lines(lines), variant: format.rawValue)
  }

  /// A result whose numbers hang on no machine: that of silence.
  private func silence() throws -> VoiceResult {
    let samples = [Float](repeating: 0, count: 48_000)
    let (frames, summary) = try VoiceProcessor.analyze(samples.span, sampleRate: 48_000)
    let subject = SoundSubject(
      name: "silence.wav", format: try AudioFormat(sampleRate: 48_000, channels: 2), encoding: "WAV, 32 bit float",
      channel: 2)
    return VoiceResult(
      subject: subject,
      report: try VoiceReport(samples, sampleRate: 48_000, frames: frames, summary: summary))
  }

  @Test func silenceIsNoVoice() throws {
    let result = try silence()
    for format in [OutputFormat.text, .csv, .ndjson] {
      try Snapshot.expect(result.text(format, profile: Self.profile()), variant: format.rawValue)
    }
  }

  @Test func theReportInASCIIHasNoOtherCharacterAndFitsFortyColumns() throws {
    let text = try silence().text(.text, profile: Self.profile(ascii: true))
    let isPlain = text.allSatisfy { $0.isASCII }
    #expect(isPlain)
    // Below the line that says what the file is.
    let lines = text.split(separator: "\n" as Character).dropFirst(2)
    #expect(lines.allSatisfy { $0.count <= 40 })
  }

  @Test func theReportInColourIsTheSameText() throws {
    let result = try silence()
    let coloured = result.text(.text, profile: Self.profile(color: true))
    let plain = result.text(.text, profile: Self.profile())
    #expect(coloured != plain && coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "") == plain)
  }
}
