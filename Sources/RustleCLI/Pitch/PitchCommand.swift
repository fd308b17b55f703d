internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct PitchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pitch",
    abstract: "Find the pitch of a recording over time.",
    usage: "rustle pitch <input> [--min <hz>] [--max <hz>] [--method <method>] [--viterbi] [--png <path>] [--json]",
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
        rustle pitch guitar.wav --min 70 --max 1400 --viterbi --format csv > contour.csv
        sox take1.flac -t wav - | rustle pitch - --json | head -n 3
        arecord -f S16_LE -r 48000 -c 1 -t raw | rustle pitch - --raw s16le --rate 48000 --channels 1

      NDJSON AND CSV FIELDS:
        v                1, the version of these fields (NDJSON)
        time_s           of the frame's middle
        f0_hz            null, or nothing, where the frame is not voiced
        confidence, voiced
        deviation_cents  the standard deviation of the frequency, if what is not the tone is noise
        inharmonicity    B, where partial k is at k f0 sqrt(1 + B k^2); 0: it does not show
        harmonicity_db   the tone's power over that of the rest
        level_db         relative to a full-scale square wave
      """)

  @OptionGroup var file: SoundFileOptions

  @OptionGroup var pitch: PitchOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The confidence from which on a frame counts as voiced, 0 to 1. (default: 0.5)", valueName: "confidence"),
    transform: Parse.number("a confidence", in: 0...1))
  var threshold = PitchFrame.voicedConfidence

  @Option(
    parsing: .unconditional,
    help: "Analyse this channel, counted from 1, instead of the mean of all.",
    transform: Parse.integer("a channel number", in: 1...1_024))
  var channel: Int?

  @Option(
    help: ArgumentHelp("Also draw the pitch over the spectrogram into this PNG file.", valueName: "path"),
    completion: .file())
  var png: String?

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    if let png { try OutputPath.checkPicture(png, isNot: file.input) }
    let sound = try await file.open(for: "pitch")
    let configuration = try configuration(for: sound)
    let lines = PitchLines(format: output.effectiveFormat, threshold: threshold)
    var run = try PitchRun(
      sound: sound, configuration: configuration, decoding: pitch.decoding, channel: channel, draws: png != nil)
    if run.range.lowerBound > pitch.min {
      let lowest = String(format: "%.4g", run.range.lowerBound)
      note("a window of \(run.window) samples holds \(lowest) Hz and above: --min is raised to that")
    }
    // What is written at once shows how far it is.
    let isAtOnce = png == nil && pitch.decoding == .frame
    let showsProgress =
      !log.quiet && StandardStream.isTerminal(StandardStream.error)
      && (!isAtOnce || !StandardStream.isTerminal(StandardStream.output))
    try LineWriter.standardOutput.write(lines.header)
    let frames = try await run.frames(showsProgress: showsProgress) { frames in
      if isAtOnce { try LineWriter.standardOutput.write(lines.text(frames)) }
      return !isAtOnce
    }
    if let shortness = sound.shortness { note(shortness) }
    if sound.tally.frames < run.window {
      note("\(sound.name) is shorter than a frame of \(run.window) samples: it has no pitch")
    }
    // The picture first: a reader of the pipe that has seen enough must not cost it.
    if let png, let picture = run.picture(frames: frames, threshold: threshold) {
      try picture.writePNG(to: png)
      if !log.quiet { try? LineWriter.standardError.write("wrote \(png)\n") }
    }
    if !isAtOnce { try LineWriter.standardOutput.write(lines.text(frames)) }
  }

  private func configuration(for sound: SoundInput) throws -> PitchConfiguration {
    let format = sound.format
    try CommandFailure.check(channel: channel, of: format)
    guard format.sampleRate >= 1_000 else {
      let rate = String(format: "%.6g", format.sampleRate)
      throw CommandFailure(
        sound.file == nil ? .usage : .badData,
        "\(sound.name): expected a sample rate of at least 1000 Hz, got \(rate) Hz", advice: "convert the sound first")
    }
    return pitch.configuration(sampleRate: format.sampleRate)
  }

  private func note(_ text: String) {
    if !log.quiet { try? LineWriter.standardError.write("rustle: \(text)\n") }
  }
}
