internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct VoiceCommand: AsyncParsableCommand, FileAnalysis {
  static let configuration = CommandConfiguration(
    commandName: "voice",
    abstract: "Measure a voice: pitch, HNR, jitter, shimmer, formants.",
    usage: """
      rustle voice <input> [--min <hz>] [--max <hz>] [--ceiling <hz>]
              [--frames] [--channel <channel>] [--json]
      """,
    discussion: """
      Median, mean and standard deviation of the pitch, and the medians of the formants, refer to the voiced analysis \
      frames, or to the whole of a sound too short for one; harmonics-to-noise ratio, H1-H2, jitter, shimmer, centroid, rolloff and tilt to the whole recording. \
      Jitter and shimmer are those of Praat's voice report and require a sustained vowel: intonation and consonants \
      of running speech raise them. H1-H2 is not corrected for the formants.

      --ceiling is the upper limit of the fifth formant: about 5000 for men, 5500 for women, 6500 for children. Another \
      ceiling adds or misses formants. A range that matches the voice makes the pitch more reliable. One voice is expected: \
      a chord is taken for the note of which its notes are partials, at the same confidence, and is reported where it lasts three quarters of a second.

      EXAMPLES:
        rustle voice vowel.wav
        rustle voice vowel.wav --min 60 --max 300 --ceiling 5000
        rustle voice speech.flac --frames --format csv > frames.csv
        sox take1.flac -t wav - | rustle voice - --json | python3 -m json.tool
        arecord -f S16_LE -r 48000 -c 1 -d 5 -t raw \\
          | rustle voice - --raw s16le --rate 48000 --channels 1

      CSV has the fields of the summary, with --frames those of the frames.

      NDJSON FIELDS OF THE SUMMARY:
      \(VoiceResult.columns.fieldList(kind: "summary for the last line, frame for the lines of --frames before it"))

      NDJSON FIELDS OF A FRAME:
      \(VoiceLine.columns.fieldList(hasVersion: false))
      """)

  @OptionGroup var file: SoundFileOptions

  @Option(
    "Lowest fundamental frequency, 40 to 2000 Hz. (default: 60)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 40...2_000))
  var min = 60.0

  @Option(
    "Highest fundamental frequency, 40 to 2000 Hz. (default: 1100)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 40...2_000))
  var max = 1_100.0

  @Option(
    "Upper limit of the fifth formant, 3000 to 8000 Hz. (default: 5500)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 3_000...8_000))
  var ceiling = 5_500.0

  @Option(help: "Method that measures the formants; burg is that of Praat.")
  var method: FormantMethod = .weighted

  @Flag(help: "Write a line for each analysis frame, too.")
  var frames = false

  @OptionGroup var channel: ChannelOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws { try check(min: min, isBelow: max) }

  func run() async throws {
    log.bootstrap()
    try await writeRecords(of: opened(), to: LineWriter.standardOutput.write)
  }

  func opened() async throws -> OpenedInput { try await file.open(for: "voice", channel: channel.number) }

  func writeRecords(of sound: OpenedInput, to write: (String) throws -> Void) async throws {
    try checkFormat(of: sound)
    let search = FormantConfiguration(ceiling: ceiling, method: method)
    var processor = try VoiceProcessor(
      sampleRate: sound.format.sampleRate, configuration: VoiceConfiguration(range: min...max, formants: search))
    let (format, profile) = (output.effectiveFormat, output.profile)
    let table = Table(VoiceLine.columns, kind: "frame", format: format, profile: profile)
    if frames { try write(table.header) }
    var found: [VoiceFrame] = []
    var chords = try PolyphonyMeter(sampleRate: sound.format.sampleRate)
    var polyphony = PolyphonyFollower()
    let half = Int64(processor.frameLength / 2)
    // The channel is kept in memory, 4 bytes per sample: jitter, shimmer and the ratios are relative to its loudest part,
    // known at its end only, and standard input is read once. Reserving avoids a second copy while the array grows; the
    // limit for a malformed header is 93 minutes at 48,000 Hz, 1 GiB.
    var signal: [Float] = []
    signal.reserveCapacity(Swift.min(sound.expectedFrames ?? 0, 1 << 28))
    try await sound.forEachMono(channel: channel.number, log: log, writesAtOnce: frames) { block in
      signal += block
      let first = found.count
      try processor.process(block.span, into: &found)
      try chords.process(block.span)
      guard frames else { return }
      polyphony.take(from: chords)
      let lines = found[first...].map {
        VoiceLine(frame: $0, isPolyphonic: polyphony.advance(to: $0.sample + half).isPresentNow)
      }
      try write(table.lines(lines[...]))
    }
    try chords.finish()
    if chords.isPresent || chords.hasBeenPresent { log.note("\(sound.name): \(PolyphonyMeter.notice)") }
    let result = VoiceResult(
      subject: sound.subject(channel: channel.number), isPolyphonic: chords.isPresent,
      report: try VoiceReport(
        signal, sampleRate: sound.format.sampleRate, range: min...max, formantSearch: search, frames: found,
        summary: try processor.summary()))
    if sound.counts.frames < processor.frameLength {
      log.note(
        "\(sound.name) is shorter than \(processor.frameLength) samples: no analysis frames; measured as a whole")
    }
    if format == .csv && frames { return }
    try write(
      (format.isForPeople && frames ? "\n" : "") + result.text(format, profile: profile))
  }

  private func checkFormat(of sound: OpenedInput) throws {
    try sound.checkRate(in: 8_000...192_000, "8000 to 192000")
    let rate = sound.format.sampleRate
    guard max < 0.25 * rate else {
      throw CommandFailure(
        .usage,
        "--max: expected less than a quarter of the sample rate of \(Numbers.plain(rate)) Hz, got "
          + "\(Numbers.plain(max, digits: 12)) Hz", advice: "Choose a lower frequency.")
    }
  }
}

/// An analysis frame, and whether there are several notes in most of the second before its end.
struct VoiceLine: Sendable {
  let frame: VoiceFrame
  let isPolyphonic: Bool

  static var columns: [Column<Self>] {
    let shown = [1: "F1", 2: "F2", 3: "F3"]
    let formants = (1...5).flatMap { number -> [Column<Self>] in
      let frequency = Column("f\(number)_hz") { (line: Self) in line.frame.formants.formant(number)?.frequency }
      return [
        shown[number].map { frequency.shown($0, 6, "%.0f") } ?? frequency,
        Column("b\(number)_hz") { $0.frame.formants.formant(number)?.bandwidth },
      ]
    }
    return [
      Column("time_s", "the time of the analysis frame's middle", \.frame.time).shown("TIME", 9, "%.3f"),
      Column("f0_hz", "null for an unvoiced frame") { $0.frame.isVoiced ? $0.frame.pitch : nil }
        .shown("F0", 8, "%.2f"),
      Column("confidence", \.frame.confidence).shown("CONF", 6, "%.2f"),
      Column("voiced", \.frame.isVoiced),
      Column("level_db", \.frame.level),
      Column("hnr_db", \.frame.harmonicsToNoise).shown("HNR", 8, "%.1f"),
    ] + formants + [
      Column("formant_confidence", \.frame.formants.confidence),
      Column("centroid_hz", \.frame.centroid).shown("CENTROID", 10, "%.0f"),
      Column("polyphonic", "whether most of the second before is of several notes", \.isPolyphonic),
    ]
  }
}

struct VoiceResult: Sendable {
  let subject: SoundSubject
  /// Whether several notes sound at once in most of the sound.
  var isPolyphonic = false
  let report: VoiceReport

  fileprivate static let columns = subject + pitch + quality + formants + spectrum

  private static let subject: [Column<Self>] = [
    Column("input", \.subject.name),
    Column("sample_rate_hz", \.subject.format.sampleRate),
    Column("channels", \.subject.format.channels),
    Column("channel", \.subject.channel),
    Column("duration_s", \.report.seconds),
    Column("minimum_hz", "the parameters of the search", \.report.range.lowerBound),
    Column("maximum_hz", .ditto, \.report.range.upperBound),
    Column("ceiling_hz", .ditto, \.report.formantSearch.ceiling),
    Column("method", .ditto, \.report.formantSearch.method.rawValue),
  ]

  private static let pitch: [Column<Self>] = [
    .section("PITCH"),
    Column("frames", \.report.summary.frames).shown("frames", 9, "%.0f"),
    Column("voiced_frames", \.report.summary.voicedFrames).shown("voiced", 9, unit: "%") {
      Numbers.text($0.report.voicedShare.map { 100 * $0 }, "%.1f", $1)
    },
    Column("confidence", \.report.confidence).shown("confidence", 9, "%.2f"),
    Column("f0_median_hz", \.report.medianPitch).shown("median", 9, "%.2f", unit: "Hz"),
    Column("f0_mean_hz") { $0.report.summary.meanPitch ?? $0.report.medianPitch }.shown(
      "mean", 9, "%.2f", unit: "Hz"),
    Column("f0_deviation_hz", \.report.summary.pitchDeviation).shown("deviation", 9, "%.2f", unit: "Hz"),
    Column("polyphonic", "whether most of the sound is of several notes", \.isPolyphonic),
  ]

  private static let quality: [Column<Self>] = [
    .section("QUALITY"),
    Column("hnr_db", "null for a sound shorter than 4.5 periods of --min", \.report.harmonicsToNoise).shown(
      "harmonics-to-noise", 9, "%.1f", unit: "dB"),
    Column("h1_minus_h2_db", \.report.measures.h1MinusH2).shown("H1-H2", 9, "%.1f", unit: "dB"),
    Column("h1_db", \.report.measures.harmonics.h1AmplitudeDb),
    Column("h2_db", \.report.measures.harmonics.h2AmplitudeDb),
    Column("periods", \.report.measures.perturbation.periods).shown("periods", 9, "%.0f"),
    Column("mean_period_s", \.report.measures.meanPeriod),
    Column("jitter", "ratios, not per cent, as shimmer_apq3 and shimmer_apq5", \.report.measures.jitter).shown(
      "jitter", 9, "%.3f", unit: "%", scale: 100),
    Column("jitter_rap", .ditto, \.report.measures.jitterRAP).shown("jitter, rap", 9, "%.3f", unit: "%", scale: 100),
    Column("jitter_ppq5", .ditto, \.report.measures.jitterPPQ5).shown("jitter, ppq5", 9, "%.3f", unit: "%", scale: 100),
    Column("shimmer", .ditto, \.report.measures.shimmer).shown("shimmer", 9, "%.3f", unit: "%", scale: 100),
    Column("shimmer_db", \.report.measures.shimmerDecibels).shown("shimmer", 9, "%.3f", unit: "dB"),
    Column("shimmer_apq3", \.report.measures.shimmerAPQ3).shown("shimmer, apq3", 9, "%.3f", unit: "%", scale: 100),
    Column("shimmer_apq5", \.report.measures.shimmerAPQ5).shown("shimmer, apq5", 9, "%.3f", unit: "%", scale: 100),
  ]

  private static let formants: [Column<Self>] =
    [.section("FORMANTS")]
    + (1...5).flatMap { number -> [Column<Self>] in
      let shown = "F\(number)"
      return [
        Column("f\(number)_hz", number == 1 ? "formants and their bandwidths" : .ditto) {
          $0.report.formant(number)?.frequency
        }.shown(shown, 9, "%.0f", unit: "Hz"),
        Column("b\(number)_hz", .ditto) { $0.report.formant(number)?.bandwidth }.shown(
          shown + " bandwidth", 9, "%.0f", unit: "Hz"),
      ]
    }

  private static let spectrum: [Column<Self>] = [
    .section("SPECTRUM"),
    Column("centroid_hz", \.report.measures.centroid).shown("centroid", 9, "%.0f", unit: "Hz"),
    Column("rolloff_hz", \.report.measures.rolloff).shown("rolloff, 95 %", 9, "%.0f", unit: "Hz"),
    Column("tilt_db_per_octave", \.report.measures.tilt).shown("tilt", 9, "%.1f", unit: "dB/octave"),
  ]

  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    var table = Table(Self.columns, kind: "summary", format: format, profile: profile)
    guard format.isForPeople else { return table.header + table.line(self) }
    // The formants found, and the first in any case.
    table.columns.removeAll { column in
      (max(1, report.formants.count) + 1...6).contains { column.name == "f\($0)_hz" || column.name == "b\($0)_hz" }
        || (report.formants.isEmpty && column.name == "b1_hz")
    }
    let search = String(
      format: "%.2f s, voices of %.6g to %.6g Hz,\n%@ formants up to %.6g Hz\n", report.seconds,
      report.range.lowerBound, report.range.upperBound, report.formantSearch.method.rawValue,
      report.formantSearch.ceiling)
    return profile.glyphs.plain(profile.paint(subject.name, .bold) + "\n\(subject.line)\n" + search) + table.list(self)
  }
}
