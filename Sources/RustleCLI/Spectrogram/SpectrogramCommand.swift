internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct SpectrogramCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spectrogram",
    abstract: "Draw the spectrogram of a recording.",
    usage: """
      rustle spectrogram <input> [--png <path>] [--size <size>] [--hop <hop>]
              [--max-frequency <hz>] [--log] [--json]
      """,
    discussion: """
      The spectra of windowed analysis frames are drawn as colours, time to the right and frequency upwards. Levels are \
      in dBFS: a sine at full scale is 0 dB. A pixel shows the highest level of its analysis frames and bins.

      Without --png the picture is drawn as text. A long recording has up to 2048 columns.

      EXAMPLES:
        rustle spectrogram take1.flac
        rustle spectrogram take1.flac --png take1.png --max-frequency 8000
        rustle spectrogram take1.flac --png take1.png --log --size 4096 --range 70
        rustle spectrogram take1.flac --json | head -n 1
        sox take1.flac -t wav - | rustle spectrogram - --ascii

      NDJSON FIELDS:
      \(SpectrogramResult.fields.fieldList())
      """)

  @OptionGroup var file: SoundFileOptions
  @OptionGroup var picture: PictureOption

  @Option(
    "Length of an analysis frame in samples: a power of two, 64 to 65536. A longer one resolves closer frequencies. "
      + "(default: 2048)", parse: Parse.powerOfTwo(in: 64...65_536))
  var size = 2_048

  @Option(
    "Hop size in samples, 1 to 1048576. (default: a quarter of --size)",
    parse: Parse.integer("a number of samples", in: STFT.hopRange))
  var hop: Int?

  @Option(help: "Window function.")
  var window: WindowFunction = .hann

  @Option(
    "Decibels from the darkest to the lightest colour, down from the next multiple of ten above the highest level, 10 to "
      + "200. (default: 90; 60 as text)", value: "db", parse: Parse.number("decibels", in: 10...200))
  var range: Double?

  @Option(
    "Highest frequency drawn. (default: half the sample rate)", value: "hz",
    parse: Parse.number("a frequency in Hz", in: 1...1_000_000))
  var maxFrequency: Double?

  @Flag(help: "Draw frequencies on a logarithmic axis, from 20 Hz or the first bin above 0 Hz, not on a linear one.")
  var log = false

  @OptionGroup var channel: ChannelOption

  @Option(
    "Width of the PNG file in pixels, 256 to 16384. (default: 1200)", parse: Parse.integer("pixels", in: 256...16_384))
  var width = 1_200

  @Option(
    "Height of the PNG file in pixels, 192 to 16384. (default: 600)", parse: Parse.integer("pixels", in: 192...16_384))
  var height = 600

  @OptionGroup var output: RecordOptions
  @OptionGroup var logging: LogOptions

  func run() async throws {
    logging.bootstrap()
    try picture.check(isNot: file.input)
    let result = try await analyze()
    // The picture first: a closed pipe must not prevent it.
    if let png = picture.png {
      try result.plot.writePNG(to: png, width: width, height: height)
      logging.noteWritten(png)
    }
    if output.effectiveFormat == .ndjson { return try LineWriter.standardOutput.write(result.records) }
    if picture.png == nil { try LineWriter.standardOutput.write(result.text(output.profile)) }
  }

  private func analyze() async throws -> SpectrogramResult {
    let sound = try await file.open(for: "spectrogram", channel: channel.number)
    let rate = sound.format.sampleRate
    if let maxFrequency, maxFrequency > rate / 2 {
      throw CommandFailure(
        .usage,
        "--max-frequency: expected at most half the sample rate, \(Numbers.plain(rate / 2)) Hz, got "
          + "\(Numbers.plain(maxFrequency)) Hz")
    }
    let stft = try STFT(size: size, hop: hop, window: window, normalization: .amplitude, output: .decibels)
    var builder = try SpectrogramBuilder(stft)
    try await sound.forEachMono(channel: channel.number, log: logging) {
      try builder.add($0)
    }
    try builder.finish()
    return SpectrogramResult(
      subject: sound.subject(channel: channel.number), seconds: Double(sound.counts.frames) / rate, stft: stft,
      columns: builder.columns, range: range ?? (picture.png == nil ? 60 : 90),
      maximumFrequency: maxFrequency ?? rate / 2, scale: log ? .logarithmic : .linear)
  }
}

struct SpectrogramResult {
  let subject: SoundSubject
  let seconds: Double
  let stft: STFT
  let columns: SpectrogramColumns
  /// Decibels from the darkest to the lightest colour.
  let range: Double
  let maximumFrequency: Double
  var scale = AxisScale.linear
  /// The lowest frequency of a logarithmic axis, in Hz.
  var minimumFrequency = 20.0

  private var hop: Double { Double(stft.hop) / subject.format.sampleRate }
  private var binWidth: Double { subject.format.sampleRate / Double(stft.size) }

  var lines: [String] {
    [
      subject.line + String(format: ", %.2f s", seconds),
      stft.window.line(size: stft.size, frames: columns.frames)
        + String(format: ", one each %.4g ms, %.4g Hz a bin", hop * 1_000, binWidth),
    ]
  }

  static let fields: [Column<(column: Int, result: Self)>] = [
    Column("t_s", "the time of the middle of the column's first analysis frame") {
      Double($0.column * $0.result.columns.framesPerColumn * $0.result.stft.hop) / $0.result.subject.format.sampleRate
    },
    Column("bin_hz", "the distance of two bins") { $0.result.binWidth },
    Column("db", "the highest level of each bin from 0 Hz on, -200 or more; null for one that is not finite") {
      Array($0.result.columns.levels(of: $0.column).prefix(1 + Int($0.result.maximumFrequency / $0.result.binWidth)))
    },
  ]

  var records: String {
    Table(Self.fields, format: .ndjson, profile: .present(isASCIIAskedFor: true))
      .lines((0..<columns.count).map { ($0, self) })
  }

  var plot: HeatMap {
    SpectrogramPicture.plot(
      columns.values, bins: columns.levelsPerColumn, binWidth: binWidth, hop: hop,
      framesPerColumn: columns.framesPerColumn,
      seconds: seconds, scale: scale, lowest: minimumFrequency, highest: maximumFrequency, decibels: range,
      title: subject.title, subtitle: lines.joined(separator: "; "))
  }

  /// The spectrogram in characters of different shades, each line with a line feed.
  func text(_ profile: TerminalProfile) -> String {
    // The picture has two lines above, one for the unit, and three below.
    let rows = min(24, max(6, profile.rows - 8))
    let picture = profile.chart.shades(
      of: plot, rows: rows, units: ("s", "Hz", "dBFS"), usesColor: profile.usesColor)
    let text = [profile.paint(subject.name, .bold)] + lines + picture
    return text.map { $0 + "\n" }.joined()
  }
}
