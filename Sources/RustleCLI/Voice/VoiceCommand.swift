internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct VoiceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voice",
    abstract: "Measure a voice: pitch, HNR, jitter, shimmer, formants.",
    usage: """
      rustle voice <input> [--min <hz>] [--max <hz>] [--ceiling <hz>]
              [--frames] [--channel <channel>] [--json]
      """,
    discussion: """
      Median, mean and standard deviation of the pitch, and the medians of the formants, refer to the voiced analysis \
      frames; harmonics-to-noise ratio, H1-H2, jitter, shimmer, centroid, rolloff and tilt to the whole recording. \
      Jitter and shimmer are those of Praat's voice report and require a sustained vowel: intonation and consonants \
      of running speech raise them. H1-H2 is not corrected for the formants.

      --ceiling is the upper limit of the fifth formant: about 5000 for men, 5500 for women, 6500 for children. Another \
      ceiling adds or misses formants. A range that matches the voice makes the pitch more reliable.

      EXAMPLES:
        rustle voice vowel.wav
        rustle voice vowel.wav --min 60 --max 300 --ceiling 5000
        rustle voice speech.flac --frames --format csv > frames.csv
        sox take1.flac -t wav - | rustle voice - --json | python3 -m json.tool
        arecord -f S16_LE -r 48000 -c 1 -d 5 -t raw \\
          | rustle voice - --raw s16le --rate 48000 --channels 1

      NDJSON FIELDS:
        v                 1, the version of these fields
        kind              summary for the last line, frame for the lines of
                          --frames before it

      Of a summary (CSV without --frames has the same, in one record):
        input, sample_rate_hz, channels, channel, duration_s
        minimum_hz, maximum_hz, ceiling_hz, method
                          the parameters of the search
        frames, voiced_frames, confidence
        f0_median_hz, f0_mean_hz, f0_deviation_hz
        hnr_db, h1_minus_h2_db, h1_db, h2_db
        periods, mean_period_s, jitter, jitter_rap, jitter_ppq5
        shimmer, shimmer_db, shimmer_apq3, shimmer_apq5
                          ratios, not per cent, except shimmer_db
        f1_hz, b1_hz ... f5_hz, b5_hz
                          formants and their bandwidths
        centroid_hz, rolloff_hz, tilt_db_per_octave

      Of a frame (CSV with --frames has the same):
        time_s            the time of the analysis frame's middle
        f0_hz             null for an unvoiced frame
        confidence, voiced, level_db, hnr_db
        f1_hz, b1_hz ... f5_hz, b5_hz, formant_confidence, centroid_hz
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

  @Option(help: "Formant method; burg is Praat's.")
  var method: FormantMethod = .weighted

  @Flag(help: "Write a line for each analysis frame, too.")
  var frames = false

  @OptionGroup var channel: ChannelOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws { try check(min: min, isBelow: max) }

  func run() async throws {
    log.bootstrap()
    let sound = try await file.open(for: "voice", channel: channel.number)
    try checkFormat(of: sound)
    let search = FormantConfiguration(ceiling: ceiling, method: method)
    var processor = try VoiceProcessor(
      sampleRate: sound.format.sampleRate, configuration: VoiceConfiguration(range: min...max, formants: search))
    let (format, profile) = (output.effectiveFormat, output.profile)
    let table = Table(VoiceFrame.columns, kind: "frame", format: format, profile: profile)
    if frames { try LineWriter.standardOutput.write(table.header) }
    var found: [VoiceFrame] = []
    // The channel is kept in memory, 4 bytes per sample: jitter, shimmer and the ratios are relative to its loudest part,
    // known at its end only, and standard input is read once. Reserving avoids a second copy while the array grows; the
    // limit for a malformed header is 93 minutes at 48,000 Hz, 1 GiB.
    var signal: [Float] = []
    signal.reserveCapacity(Swift.min(sound.expectedFrames ?? 0, 1 << 28))
    try await sound.forEachMono(channel: channel.number, log: log, writesAtOnce: frames) { block in
      signal += block
      let first = found.count
      try processor.process(block.span, into: &found)
      if frames { try LineWriter.standardOutput.write(table.lines(found[first...])) }
    }
    let result = VoiceResult(
      subject: sound.subject(channel: channel.number),
      report: try VoiceReport(
        signal, sampleRate: sound.format.sampleRate, range: min...max, formantSearch: search, frames: found,
        summary: try processor.summary()))
    if sound.counts.frames < processor.window {
      log.note("\(sound.name) is shorter than \(processor.window) samples: no analysis frames; measured as a whole")
    }
    if format == .csv && frames { return }
    try LineWriter.standardOutput.write(
      (format.isForPeople && frames ? "\n" : "") + result.text(format, profile: profile))
  }

  private func checkFormat(of sound: OpenedInput) throws {
    try sound.checkRate(in: 8_000...192_000, "8000 to 192000")
    let rate = sound.format.sampleRate
    guard max < 0.25 * rate else {
      throw CommandFailure(
        .usage,
        "--max: expected less than a quarter of the sample rate of \(Numbers.plain(rate)) Hz, got "
          + "\(Numbers.plain(max, digits: 12)) Hz", advice: "choose a lower frequency")
    }
  }
}
