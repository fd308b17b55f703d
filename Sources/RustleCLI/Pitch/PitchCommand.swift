internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct PitchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pitch",
    abstract: "Find the pitch of a recording over time.",
    usage: """
      rustle pitch <input> [--min <hz>] [--max <hz>] [--method <method>]
              [--viterbi] [--png <path>] [--json]
      """,
    discussion: """
      One line for each frame: the time of the frame's middle in seconds, the fundamental frequency in Hz, and the confidence \
      from 0 to 1. With the method harmonic the confidence is the share of frames like this whose pitch is there and right; with \
      the other methods it is what they have in its place. A frame without a pitch, or with a confidence below --threshold, has \
      the frequency 0: --threshold 0 shows the pitch of every frame that may have one.

      A wide range and low notes ask for long frames; --min and --max that fit the sound make it faster and surer. Lines are \
      written while the input is read, with --viterbi and --png at its end.

      EXAMPLES:
        rustle pitch take1.flac
        rustle pitch voice.wav --min 60 --max 500 --png voice.png
        rustle pitch guitar.wav --min 70 --max 1400 --viterbi --format csv > f0.csv
        sox take1.flac -t wav - | rustle pitch - --json | head -n 3
        arecord -f S16_LE -r 48000 -c 1 -t raw \\
          | rustle pitch - --raw s16le --rate 48000 --channels 1

      NDJSON AND CSV FIELDS:
        v                1, the version of these fields (NDJSON)
        time_s           of the frame's middle
        f0_hz            null, or nothing, where the frame is not voiced
        confidence, voiced
        deviation_cents  the standard deviation of the frequency, if what is not
                         the tone is noise
        inharmonicity    B, where partial k is at k f0 sqrt(1 + B k^2); 0: it does
                         not show
        harmonicity_db   the tone's power over that of the rest
        level_db         relative to a full-scale square wave
      """)

  @OptionGroup var file: SoundFileOptions

  @Option(
    help: "The lowest frequency that is looked for, 0.1 to 345600. (default: 25)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 0.1...345_600))
  var min = 25.0

  @Option(
    help: "The highest, 0.1 to 345600; at most 0.45 of the sample rate counts. (default: 4500)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 0.1...345_600))
  var max = 4_500.0

  @Option(help: "How: harmonic has the exact pitch and a calibrated confidence; the others are for comparison.")
  var method: PitchMethod = .harmonic

  @Option(
    help:
      "Samples of a frame: a power of two, 256 to 32768. One that does not hold 2.25 periods of --min raises that. (default: "
      + "the least that holds them)", value: "samples", parse: Parse.powerOfTwo(in: 256...32_768))
  var window: Int?

  @Option(
    help: "Samples from one frame to the next, 1 to 1048576. (default: 512)", value: "samples",
    parse: Parse.integer("a number of samples", in: 1...1_048_576))
  var hop = 512

  @Flag(help: "Choose the likeliest path through all frames at the end, instead of each frame's own pitch at once.")
  var viterbi = false

  @Option(
    help: "The confidence from which on a frame counts as voiced, 0 to 1. (default: 0.5)", value: "confidence",
    parse: Parse.number("a confidence", in: 0...1))
  var threshold = PitchFrame.voicedConfidence

  @OptionGroup var channel: ChannelOption
  @OptionGroup var picture: PictureOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    guard min < max else {
      throw ValidationError("expected --min below --max, got \(Numbers.plain(min)) and \(Numbers.plain(max))")
    }
  }

  func run() async throws {
    log.bootstrap()
    try picture.check(isNot: file.input)
    let sound = try await file.open(for: "pitch")
    let configuration = try configuration(for: sound)
    var tracker = try PitchTracker(configuration)
    if tracker.range.lowerBound > min {
      let lowest = Numbers.plain(tracker.range.lowerBound, digits: 4)
      log.note("a window of \(tracker.window) samples holds \(lowest) Hz and above: --min is raised to that")
    }
    // The partials of the lowest note are told apart.
    let stft = try STFT(
      size: Swift.max(2_048, tracker.window), window: .hann, normalization: .amplitude, output: .decibels)
    var spectrogram = try SpectrogramBuilder(stft)
    let table = Table(
      PitchFrame.columns(threshold: threshold), format: output.effectiveFormat, profile: output.profile)
    try LineWriter.standardOutput.write(table.header)
    // With a path or a picture at the end.
    let (png, isAtOnce) = (picture.png, picture.png == nil && !viterbi)
    var (frames, fresh): ([PitchFrame], [PitchFrame]) = ([], [])
    var signal: [Float] = []
    let progress = log.progress(total: sound.expectedFrames, writesAtOnce: isAtOnce)
    try await sound.forEachMono(channel: channel.number, progress: progress) { block in
      if png != nil { try spectrogram.add(block) }
      if viterbi { return signal += block }
      fresh.removeAll(keepingCapacity: true)
      try tracker.process(block.span, into: &fresh)
      if isAtOnce { try LineWriter.standardOutput.write(table.lines(fresh)) } else { frames += fresh }
    }
    if viterbi {
      frames = try PitchTracker.contour(of: signal.span, configuration: configuration, decoding: .viterbi)
    }
    if let shortness = sound.shortness { log.note(shortness) }
    if sound.tally.frames < tracker.window {
      log.note("\(sound.name) is shorter than a frame of \(tracker.window) samples: it has no pitch")
    }
    // The picture first: a reader of the pipe that has seen enough must not cost it.
    if let png {
      try spectrogram.finish()
      let rate = sound.format.sampleRate
      let result = SpectrogramResult(
        subject: sound.subject(channel: channel.number), seconds: Double(sound.tally.frames) / rate, stft: stft,
        columns: spectrogram.columns, range: 90, maximumFrequency: Swift.min(rate / 2, 2 * tracker.range.upperBound),
        isLogarithmic: true, minimumFrequency: Swift.min(20, tracker.range.lowerBound))
      let search = String(
        format: "; method %@, %.4g to %.4g Hz, frames of %d samples, one each %d", method.rawValue,
        tracker.range.lowerBound, tracker.range.upperBound, tracker.window, hop)
      try PitchPicture.plot(
        result, frames: frames, threshold: threshold, hop: Double(hop) / rate, subtitle: result.lines[0] + search
      ).writePNG(to: png)
      log.noteWritten(png)
    }
    try LineWriter.standardOutput.write(table.lines(frames))
  }

  private func configuration(for sound: SoundInput) throws -> PitchConfiguration {
    let rate = sound.format.sampleRate
    try CommandFailure.check(channel: channel.number, of: sound.format)
    guard rate >= 1_000 else {
      throw CommandFailure(
        sound.file == nil ? .usage : .badData,
        "\(sound.name): expected a sample rate of at least 1000 Hz, got \(Numbers.plain(rate)) Hz",
        advice: "convert the sound first")
    }
    return PitchConfiguration(sampleRate: rate, range: min...max, method: method, window: window, hop: hop)
  }
}

extension PitchFrame {
  /// What is written of a frame.
  ///
  /// - Parameter threshold: the confidence from which on a frame is voiced.
  static func columns(threshold: Double) -> [Column<Self>] {
    let pitch = { @Sendable (frame: Self) in frame.isVoiced(from: threshold) ? frame.frequency : nil }
    return [
      Column("time_s", \.time).shown("", 0, "%.6f"),
      Column("f0_hz", pitch).shown("") { frame, _ in String(format: " %.10g", pitch(frame) ?? 0) },
      Column("confidence", \.confidence).shown("", 0, " %.6f"),
      Column("voiced") { pitch($0) != nil },
      Column("deviation_cents", \.deviation),
      Column("inharmonicity", \.inharmonicity),
      Column("harmonicity_db", \.harmonicity),
      Column("level_db", \.level),
    ]
  }
}
