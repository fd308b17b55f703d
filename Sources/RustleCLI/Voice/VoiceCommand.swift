internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct VoiceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voice",
    abstract: "Measure the voice in a recording: pitch, noise, steadiness, formants.",
    usage: """
      rustle voice <input> [--min <hz>] [--max <hz>] [--ceiling <hz>]
              [--frames] [--channel <channel>] [--json]
      """,
    discussion: """
      The median, the mean and the standard deviation of the pitch, and the medians of the formants, are of the voiced frames. \
      Harmonics-to-noise ratio, H1-H2, jitter and shimmer, centroid, rolloff and tilt are of the whole recording. Jitter and shimmer \
      are those of Praat's voice report. They ask for a sustained vowel: in running speech intonation and consonants are in them \
      too. H1-H2 is that of the sound, not corrected for the formants.

      --ceiling is where the fifth formant ends: 5000 suits men, 5500 women, 6500 children. One that does not fit the voice finds \
      formants that are not there, or misses some. A range that fits the voice makes the pitch surer.

      EXAMPLES:
        rustle voice vowel.wav
        rustle voice vowel.wav --min 60 --max 300 --ceiling 5000
        rustle voice speech.flac --frames --format csv > frames.csv
        sox take1.flac -t wav - | rustle voice - --json | python3 -m json.tool
        arecord -f S16_LE -r 48000 -c 1 -d 5 -t raw \\
          | rustle voice - --raw s16le --rate 48000 --channels 1

      NDJSON FIELDS:
        v                 1, the version of these fields
        kind              summary for the last line, frame for those that --frames
                          adds before it
      Of a summary (CSV without --frames has the same, in one record):
        input, sample_rate_hz, channels, channel, duration_s
        minimum_hz, maximum_hz, ceiling_hz, method
                          what was looked for
        frames, voiced_frames, confidence
        f0_median_hz, f0_mean_hz, f0_deviation_hz
        hnr_db, h1_minus_h2_db, h1_db, h2_db
        periods, mean_period_s, jitter, jitter_rap, jitter_ppq5
        shimmer, shimmer_db, shimmer_apq3, shimmer_apq5
                          plain ratios, not per cent, but for shimmer_db
        f1_hz, b1_hz ... f5_hz, b5_hz
                          formants and their bandwidths
        centroid_hz, rolloff_hz, tilt_db_per_octave
      Of a frame (CSV with --frames has the same):
        time_s            of the frame's middle
        f0_hz             null where the frame is not voiced
        confidence, voiced, level_db, hnr_db
        f1_hz, b1_hz ... f5_hz, b5_hz, formant_confidence, centroid_hz
      """)

  @OptionGroup var file: SoundFileOptions

  @Option(
    help: "The lowest pitch that is looked for, 40 to 2000 Hz. (default: 60)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 40...2_000))
  var min = 60.0

  @Option(
    help: "The highest, 40 to 2000 Hz. (default: 1100)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 40...2_000))
  var max = 1_100.0

  @Option(
    help: "Where the fifth formant ends, 3000 to 8000 Hz. (default: 5500)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 3_000...8_000))
  var ceiling = 5_500.0

  @Option(help: "How formants are found: burg is Praat's way.")
  var method: FormantMethod = .weighted

  @Flag(help: "Also write a line for each frame.")
  var frames = false

  @OptionGroup var channel: ChannelOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    if min >= max {
      throw ValidationError(String(format: "expected --min below --max, got %.12g and %.12g", min, max))
    }
  }

  func run() async throws {
    log.bootstrap()
    let sound = try await file.open(for: "voice")
    try check(sound)
    let search = FormantConfiguration(ceiling: ceiling, method: method)
    var processor = try VoiceProcessor(
      sampleRate: sound.format.sampleRate, configuration: VoiceConfiguration(range: min...max, formants: search))
    let (format, profile) = (output.effectiveFormat, output.profile)
    let table = Table(VoiceFrame.columns, kind: "frame", format: format, profile: profile)
    if frames { try LineWriter.standardOutput.write(table.header) }
    var (found, fresh): ([VoiceFrame], [VoiceFrame]) = ([], [])
    // The one channel is held in memory, 4 bytes a sample: jitter, shimmer and the ratios are relative to its loudest part, which
    // is known at its end only, and standard input is read once. An array that grows holds its samples twice at times; a header
    // that promises more than it holds takes no more than this: 93 minutes at 48,000 Hz, 1 GiB.
    var signal: [Float] = []
    signal.reserveCapacity(Swift.min(sound.expectedFrames ?? 0, 1 << 28))
    let progress = log.progress(total: sound.expectedFrames, writesAtOnce: frames)
    try await sound.forEachMono(channel: channel.number, progress: progress) { block in
      signal += block
      fresh.removeAll(keepingCapacity: true)
      try processor.process(block.span, into: &fresh)
      if frames { try LineWriter.standardOutput.write(table.lines(fresh)) }
      found += fresh
    }
    let result = VoiceResult(
      subject: sound.subject(channel: channel.number),
      report: try VoiceReport(
        signal, sampleRate: sound.format.sampleRate, range: min...max, formantSearch: search, frames: found,
        summary: try processor.summary()))
    if let shortness = sound.shortness { log.note(shortness) }
    if sound.tally.frames < processor.window {
      log.note("\(sound.name) is shorter than \(processor.window) samples: it has no frame and is measured as a whole")
    }
    if format == .csv && frames { return }
    try LineWriter.standardOutput.write(
      (format.isForPeople && frames ? "\n" : "") + result.text(format, profile: profile))
  }

  /// Refuses what the sound itself says.
  private func check(_ sound: SoundInput) throws {
    let format = sound.format
    try CommandFailure.check(channel: channel.number, of: format)
    let rate = String(format: "%.6g", format.sampleRate)
    guard (8_000...192_000).contains(format.sampleRate) else {
      throw CommandFailure(
        sound.file == nil ? .usage : .badData,
        "\(sound.name): expected a sample rate of 8000 to 192000 Hz, got \(rate) Hz",
        advice: "convert the sound first")
    }
    guard max < 0.25 * format.sampleRate else {
      throw CommandFailure(
        .usage,
        String(
          format: "--max: expected less than a quarter of the sample rate of %@ Hz, got %.12g Hz", rate, max),
        advice: "choose a lower one")
    }
  }
}
