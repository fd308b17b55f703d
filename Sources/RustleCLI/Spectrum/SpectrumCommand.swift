internal import ArgumentParser
import Foundation
package import RustleAudio
import RustleAudioFiles
package import RustlePlot

struct SpectrumCommand: AsyncParsableCommand, FileAnalysis {
  static let configuration = CommandConfiguration(
    commandName: "spectrum",
    abstract: "Measure and draw the spectrum of a recording.",
    usage: """
      rustle spectrum <input> [--size <size>] [--window <window>]
              [--peaks <count>] [--png <path>] [--json]
      """,
    discussion: """
      The spectrum is the mean power of overlapping, windowed analysis frames (Welch's method). Levels are in dBFS: a sine \
      at full scale is 0 dB.

      EXAMPLES:
        rustle spectrum take1.flac
        rustle spectrum take1.flac --size 32768 --peaks 3 --png spectrum.png
        rustle spectrum take1.flac --json | python3 -m json.tool
        sox take1.flac -t wav - | rustle spectrum - --format csv > bins.csv

      NDJSON: one object with the file's properties and "peaks", a list of {"hz", "db", "amplitude"}, the strongest \
      first. CSV: the whole spectrum, one record hz,db,amplitude for each bin.
      """)

  @OptionGroup var file: SoundFileOptions

  @Option(
    "Length of an analysis frame in samples: a power of two, 64 to 65536. A longer one resolves closer frequencies. "
      + "(default: 8192)", parse: Parse.powerOfTwo(in: 64...65_536))
  var size = 8_192

  @Option(help: "Window function.")
  var window: WindowFunction = .hann

  @Option(
    "Overlap of successive analysis frames, 0 to 0.95. (default: 0.5)", parse: Parse.number("a fraction", in: 0...0.95))
  var overlap = 0.5

  @Option(
    "List this many of the strongest peaks, 0 to 1000. (default: 8)", value: "count",
    parse: Parse.integer("a whole number", in: 0...1_000))
  var peaks = 8

  @OptionGroup var channel: ChannelOption
  @OptionGroup var picture: PictureOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    try picture.check(isNot: file.input)
    let result = try await analyze(opened(), path: file.input)
    // The picture first: a closed pipe must not prevent it.
    if let png = picture.png {
      try result.plot.writePNG(to: png)
      log.noteWritten(png)
    }
    try LineWriter.standardOutput.write(result.text(output.effectiveFormat, profile: output.profile))
  }

  func opened() async throws -> OpenedInput { try await file.open(for: "spectrum", channel: channel.number) }

  func writeRecords(of sound: OpenedInput, to write: (String) throws -> Void) async throws {
    try write(await analyze(sound, path: sound.name).text(output.effectiveFormat, profile: output.profile))
  }

  private func analyze(_ sound: OpenedInput, path: String) async throws -> SpectrumResult {
    let rate = sound.format.sampleRate
    let size = WelchAnalyzer.size(size, forSamples: sound.file?.frames ?? .max)
    if size < self.size {
      log.note("\(sound.name) is shorter than an analysis frame of \(self.size) samples: analysed with \(size)")
    }
    var analyzer = try WelchAnalyzer(size: size, window: window, overlap: overlap, sampleRate: rate)
    try await sound.forEachMono(channel: channel.number, log: log) {
      analyzer.add($0)
    }
    let spectrum = try analyzer.spectrum()
    return SpectrumResult(
      path: path, subject: sound.subject(channel: channel.number), file: sound.file,
      seconds: Double(sound.counts.frames) / rate, overlap: overlap, spectrum: spectrum,
      peaks: spectrum.peaks(limit: peaks, threshold: SpectrumResult.threshold))
  }
}

struct SpectrumResult {
  let path: String
  let subject: SoundSubject
  let file: AudioFileFormat?
  let seconds: Double
  let overlap: Double
  let spectrum: Spectrum
  let peaks: [SpectralPeak]

  /// Peaks below this level, in dBFS, are not listed: the noise of a 16-bit recording lies there.
  static let threshold = -90.0

  private static let columns: [Column<Self>] = [
    Column("path", \.path),
    Column("container", \.file?.container),
    Column("codec", \.file?.codec),
    Column("sample_rate_hz", \.subject.format.sampleRate),
    Column("channels", \.subject.format.channels),
    Column("channel", \.subject.channel),
    Column("duration_s", \.seconds),
    Column("size", \.spectrum.size),
    Column("window", \.spectrum.window.name),
    Column("overlap", \.overlap),
    Column("frames", \.spectrum.frames),
    Column("peaks", \.peaks),
  ]

  private static let bins: [Column<(Double, Float, Float)>] = [
    Column("hz") { $0.0 }, Column("db") { $0.1 }, Column("amplitude") { $0.2 },
  ]

  /// The result: one object with the peaks, the strongest first; a record for each bin; or a report with a picture.
  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    switch format {
    case .ndjson: return Table(Self.columns, format: format, profile: profile).line(self)
    case .csv:
      // Each of these properties is computed on access.
      let (frequencies, levels, amplitudes) = (spectrum.frequencies, spectrum.decibels, spectrum.amplitudes)
      return Table(Self.bins, format: format, profile: profile)
        .document(of: frequencies.indices.map { (frequencies[$0], levels[$0], amplitudes[$0]) })
    case .auto, .text:
      let bars = profile.chart.bars(of: plot, rows: 12, units: ("Hz", "dBFS")) { profile.paint($0, .cyan) }
      let lines = [profile.paint(subject.name, .bold), fileLine, analysisLine, ""] + bars
      return lines.map { $0 + "\n" }.joined() + "\n" + peakTable(profile)
    }
  }

  /// The description of the file: `FLAC, Signed 16 bit PCM, 44.1 kHz, mean of 2 channels, 5.20 s`.
  var fileLine: String { subject.line + String(format: ", %.2f s", seconds) }

  /// The description of the analysis: `8192 samples, hann window, 55 analysis frames, overlap 50 %, 5.38 Hz a bin`.
  var analysisLine: String {
    spectrum.window.line(size: spectrum.size, frames: spectrum.frames)
      + String(
        format: ", overlap %.4g %%, %.4g Hz a bin", overlap * 100, spectrum.sampleRate / Double(spectrum.size))
  }

  private func peakTable(_ profile: TerminalProfile) -> String {
    @Sendable func level(_ decibels: Double, _ glyphs: Glyphs) -> String { glyphs.plain(UnitLabel.decibels(decibels)) }
    guard !peaks.isEmpty else { return "No peak above \(level(Self.threshold, profile.glyphs)).\n" }
    let columns: [Column<(Int, SpectralPeak)>] = [
      Column().shown("#", 3) { peak, _ in "\(peak.0)" },
      Column().shown("FREQUENCY", 14) { peak, _ in String(format: "%.3f Hz", peak.1.frequency) },
      Column().shown("LEVEL", 11) { peak, glyphs in level(peak.1.decibels, glyphs) },
    ]
    return Table(columns, format: .text, profile: profile).document(of: zip(1..., peaks).map { ($0, $1) })
  }

  var plot: LineChart {
    SpectrumPicture.plot(
      frequencies: spectrum.frequencies, decibels: spectrum.decibels.map(Double.init),
      peaks: peaks.map { ($0.frequency, $0.decibels) }, title: subject.title, subtitle: fileLine + "; " + analysisLine)
  }
}

extension SpectralPeak: FieldValue {
  package var field: Value {
    .object([("hz", .number(frequency)), ("db", .number(decibels)), ("amplitude", .number(amplitude))])
  }
}

extension WindowFunction {
  /// `8192 samples, hann window, 55 analysis frames`.
  func line(size: Int, frames: Int) -> String {
    let name = self == .rectangular ? "no" : rawValue
    return "\(size) samples, \(name) window, \(frames) analysis frame\(frames == 1 ? "" : "s")"
  }
}
