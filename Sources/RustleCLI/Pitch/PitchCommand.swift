internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustleFiles
import RustleMarket
import RustlePlot

struct PitchCommand: AsyncParsableCommand, FileAnalysis {
  static let configuration = CommandConfiguration(
    commandName: "pitch",
    abstract: "Track the pitch of a recording.",
    usage: """
      rustle pitch <input> [--min <hz>] [--max <hz>] [--voice]
              [--method <method>] [--viterbi] [--png <path>] [--json]
      """,
    discussion: """
      One line for each analysis frame: the time of its middle in seconds, the fundamental frequency in Hz, and the \
      confidence from 0 to 1. With the method harmonic the confidence is the share of similar analysis frames whose \
      pitch is right; other methods report their own measure. An unvoiced frame, or one with a confidence below \
      --threshold, has the frequency 0: --threshold 0 shows every candidate.

      Low frequencies require long frames; --min and --max that match the sound make the tracker faster and more reliable. \
      Lines are written while the input is read, or at its end with --viterbi or --png.

      EXAMPLES:
        rustle pitch take1.flac
        rustle pitch voice.wav --voice --png voice.png
        rustle pitch guitar.wav --min 70 --max 1400 --viterbi --format csv > f0.csv
        sox take1.flac -t wav - | rustle pitch - --json | head -n 3
        arecord -f S16_LE -r 48000 -c 1 -t raw \\
          | rustle pitch - --raw s16le --rate 48000 --channels 1

      NDJSON AND CSV FIELDS:
      \(PitchFrame.columns(threshold: 0).fieldList())
      """)

  @OptionGroup var file: SoundFileOptions

  @Option(
    "Lowest fundamental frequency, 0.1 to 345600. (default: 25, with --voice 60)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 0.1...345_600))
  var min: Double?

  @Option(
    "Highest fundamental frequency, 0.1 to 345600; limited to 0.45 of the sample rate. (default: 4500, with --voice 600)",
    value: "hz", parse: Parse.number("a frequency in Hz", in: 0.1...345_600))
  var max: Double?

  @Flag(help: "Track a voice: other defaults of --min, --max, --hop and --threshold.")
  var voice = false

  @Option(
    help:
      "Method that measures the pitch: harmonic is the most accurate; the others are published ones to compare.")
  var method: PitchMethod = .harmonic

  @Option(
    "Length of an analysis frame in samples: a power of two, 256 to 32768. A frame shorter than 2.25 periods of --min raises "
      + "--min. (default: the shortest that is long enough)", value: "samples",
    parse: Parse.powerOfTwo(in: 256...32_768))
  var size: Int?

  @Option(
    "Hop size in samples, 1 to 1048576. (default: 512, with --voice 10 ms)", value: "samples",
    parse: Parse.integer("a number of samples", in: 1...1_048_576))
  var hop: Int?

  @Flag(help: "Decode the likeliest path through all analysis frames, instead of each alone.")
  var viterbi = false

  @Option(
    "Least confidence of a voiced frame, 0 to 1. (default: 0.5, with --voice 0.3)", value: "confidence",
    parse: Parse.number("a confidence", in: 0...1))
  var threshold: Double?

  @OptionGroup var channel: ChannelOption
  @OptionGroup var picture: PictureOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    let range = defaults(sampleRate: 48_000).range
    try check(min: min ?? range.lowerBound, isBelow: max ?? range.upperBound)
  }

  /// The settings where no option changes them.
  private func defaults(sampleRate: Double) -> PitchConfiguration {
    voice ? .voice(sampleRate: sampleRate) : PitchConfiguration(sampleRate: sampleRate)
  }

  func run() async throws {
    log.bootstrap()
    try picture.check(isNot: file.input)
    try await writeRecords(of: opened(), to: LineWriter.standardOutput.write)
  }

  func opened() async throws -> OpenedInput { try await file.open(for: "pitch", channel: channel.number) }

  func writeRecords(of sound: OpenedInput, to write: (String) throws -> Void) async throws {
    let rate = sound.format.sampleRate
    try sound.checkRate(in: 1_000 ... .infinity, "at least 1000")
    var configuration = defaults(sampleRate: rate)
    configuration.range = (min ?? configuration.range.lowerBound)...(max ?? configuration.range.upperBound)
    (configuration.method, configuration.frameLength) = (method, size)
    let hop = hop ?? configuration.hop
    configuration.hop = hop
    let threshold = threshold ?? (voice ? PitchFrame.voicedVoiceConfidence : PitchFrame.voicedConfidence)
    var tracker = try PitchTracker(configuration)
    if tracker.range.lowerBound > configuration.range.lowerBound {
      let lowest = Numbers.plain(tracker.range.lowerBound, digits: 4)
      log.note("analysis frames of \(tracker.frameLength) samples require at least \(lowest) Hz: --min is raised to it")
    }
    // Long enough to resolve the partials of the lowest note.
    let stft = try STFT(size: Swift.max(2_048, tracker.frameLength), normalization: .amplitude, output: .decibels)
    var spectrogram = try SpectrogramBuilder(stft)
    let table = PitchFrame.table(threshold: threshold, format: output.effectiveFormat, profile: output.profile)
    try write(table.header)
    // A Viterbi path and a picture need all frames.
    let (png, isAtOnce) = (picture.png, picture.png == nil && !viterbi)
    var frames: [PitchFrame] = []
    var signal: [Float] = []
    try await sound.forEachMono(channel: channel.number, log: log, writesAtOnce: isAtOnce) { block in
      if png != nil { try spectrogram.add(block) }
      if viterbi { return signal += block }
      try tracker.process(block.span, into: &frames)
      guard isAtOnce else { return }
      try write(table.lines(frames))
      frames.removeAll(keepingCapacity: true)
    }
    if viterbi {
      frames = try PitchTracker.contour(of: signal.span, configuration: configuration, decoding: .viterbi)
    }
    if !viterbi { try tracker.finish(into: &frames) }
    if sound.counts.frames < tracker.shortestFrameLength {
      let (frame, count) = (tracker.shortestFrameLength, sound.counts.frames)
      let lowest = size == nil ? configuration.lowest(of: count) : nil
      let remedy = lowest.map { "; with --min \(Numbers.plain($0)) there are shorter ones" }
      log.note("\(sound.name) is shorter than an analysis frame of \(frame) samples: no pitch\(remedy ?? "")")
    }
    // The picture first: a closed pipe must not prevent it.
    if let png {
      try spectrogram.finish()
      let result = SpectrogramResult(
        subject: sound.subject(channel: channel.number), seconds: Double(sound.counts.frames) / rate, stft: stft,
        columns: spectrogram.columns, range: 90, maximumFrequency: Swift.min(rate / 2, 2 * tracker.range.upperBound),
        scale: .logarithmic, minimumFrequency: Swift.min(20, tracker.range.lowerBound))
      var map = result.plot
      map.subtitle =
        result.lines[0]
        + String(
          format: "; method %@, %.4g to %.4g Hz, analysis frames of %d samples, hop size %d", method.rawValue,
          tracker.range.lowerBound, tracker.range.upperBound, tracker.frameLength, hop)
      map.curves = frames.voicedStretches(from: threshold).map { stretch in
        .init(through: stretch.map { .init(x: $0.time, y: $0.frequency ?? 0) }, width: Double(hop) / rate)
      }
      try map.writePNG(to: png)
      log.noteWritten(png)
    }
    try write(table.lines(frames))
  }
}

extension PitchConfiguration {
  /// The lowest frequency in whole hertz whose analysis frame fits a sound of this many samples; nil if there is none in the range.
  func lowest(of samples: Int) -> Double? {
    for length in (8...15).reversed().map({ 1 << $0 }) where length <= samples {
      var shorter = self
      // A frame has 2.25 periods.
      let lowest = (2.25 * sampleRate / Double(length)).rounded(.up)
      guard lowest < range.upperBound else { return nil }
      shorter.range = lowest...range.upperBound
      if let tracker = try? PitchTracker(shorter), tracker.shortestFrameLength <= samples { return lowest }
    }
    return nil
  }
}

extension PitchFrame {
  /// A line of text has the time, the frequency or 0, and the confidence.
  static func table(threshold: Double, format: OutputFormat, profile: TerminalProfile) -> Table<Self> {
    Table(columns(threshold: threshold), format: format, profile: profile) { frame in
      var line = ByteText()
      line.append(sixDecimals: frame.time)
      line.append(" ")
      line.append(tenDigits: frame.frequency(from: threshold) ?? 0)
      line.append(" ")
      line.append(sixDecimals: frame.confidence)
      line.append("\n")
      return line.string
    }
  }

  /// The frequency of a frame that is voiced from a confidence on.
  private func frequency(from threshold: Double) -> Double? { isVoiced(from: threshold) ? frequency : nil }

  static func columns(threshold: Double) -> [Column<Self>] {
    let pitch = { @Sendable (frame: Self) in frame.frequency(from: threshold) }
    return [
      Column("time_s", "the time of the analysis frame's middle", \.time),
      Column("f0_hz", "null, or empty, for an unvoiced frame", pitch),
      Column("confidence", \.confidence),
      Column("voiced") { pitch($0) != nil },
      Column("deviation_cents", "of the frequency, as a standard deviation, if the residual is noise", \.deviation),
      Column("inharmonicity", "B: partial k is at k f0 sqrt(1 + B k^2); 0 if not measurable", \.inharmonicity),
      Column("harmonicity_db", "the power of the tone over that of the residual", \.harmonicity),
      Column("level_db", "relative to a full-scale square wave", \.level),
      Column("polyphonic", "whether there are several notes; the confidence is lower", \.isPolyphonic),
    ]
  }
}
