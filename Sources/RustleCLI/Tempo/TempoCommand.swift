internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct TempoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tempo",
    abstract: "Measure the tempo of music, and find its beats.",
    usage: """
      rustle tempo <input> [--min <bpm>] [--max <bpm>] [--beats]
              [--channel <channel>] [--json]
      """,
    discussion: """
      The tempo is that of the median interval of the beats. A rhythm has several levels: a tempo outside of --min and --max is reported \
      at its double or half. The confidence is how regular the rhythm is: 0 to 1, some hundredths for noise.

      EXAMPLES:
        rustle tempo take1.flac
        rustle tempo take1.flac --beats --format csv > beats.csv
        sox take1.flac -t wav - | rustle tempo - --json

      NDJSON FIELDS:
      \(summary.fieldList(kind: "summary for the last line, beat for the lines of --beats before it"))

      NDJSON FIELDS OF A BEAT:
      \(beats.fieldList(hasVersion: false))
      """)

  @OptionGroup var file: SoundFileOptions

  @Option("Slowest tempo, 30 to 300 beats per minute.", value: "bpm", parse: Parse.number("a tempo", in: 30...300))
  var min = RhythmTracker.defaultTempoRange.lowerBound

  @Option(
    "Fastest tempo, 30 to 300 and at least 1.5 times --min.", value: "bpm", parse: Parse.number("a tempo", in: 30...300)
  )
  var max = RhythmTracker.defaultTempoRange.upperBound

  @Flag(help: "Write a line for each beat, too.")
  var beats = false

  @OptionGroup var channel: ChannelOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  /// The result.
  struct Found: Sendable {
    let input: String
    let rhythm: Rhythm
  }

  func validate() throws {
    if max < 1.5 * min { throw ValidationError("--max: expected at least 1.5 times --min, \(min), got \(max)") }
  }

  func run() async throws {
    log.bootstrap()
    let sound = try await file.open(for: "tempo", channel: channel.number)
    try sound.checkRate(in: 8_000...768_000, "8000 to 768000")
    var analyzer = try RhythmAnalyzer(sampleRate: sound.format.sampleRate, tempoRange: min...max)
    try await sound.forEachMono(channel: channel.number, log: log) { block in try analyzer.process(block.span) }
    let rhythm = try analyzer.finish()
    let (format, profile) = (output.effectiveFormat, output.profile)
    if beats {
      let table = Table(Self.beats, kind: "beat", format: format, profile: profile) { beat in
        String(format: "%10.3f\n", beat / .seconds(1))
      }
      try LineWriter.standardOutput.write(table.header + table.lines(rhythm.beats))
      if format == .csv { return }
    }
    let table = Table(Self.summary, kind: "summary", format: format, profile: profile, text: Self.text)
    try LineWriter.standardOutput.write(table.header + table.line(Found(input: sound.name, rhythm: rhythm)))
  }

  static let beats: [Column<Duration>] = [Column("time_s", "the time of a beat") { $0 / .seconds(1) }]

  static let summary: [Column<Found>] = [
    Column("input", "the sound", \.input),
    Column("bpm", "the tempo, or null without beats", \.rhythm.tempo),
    Column("beats", "the number of beats", \.rhythm.beats.count),
    Column("confidence", "how regular the rhythm is, 0 to 1", \.rhythm.confidence),
  ]

  static func text(_ found: Found) -> String {
    guard let tempo = found.rhythm.tempo else { return "\(found.input): no beats\n" }
    return String(
      format: "%@: %.2f BPM, %d beats, confidence %.2f\n", found.input, tempo, found.rhythm.beats.count,
      found.rhythm.confidence)
  }
}
