internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct SpectrumCommand: AsyncParsableCommand {
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
  var window: WindowChoice = .hann

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
    let result = try await analyze()
    // The picture first: a closed pipe must not prevent it.
    if let png = picture.png {
      try result.plot.writePNG(to: png)
      log.noteWritten(png)
    }
    try LineWriter.standardOutput.write(result.text(output.effectiveFormat, profile: output.profile))
  }

  private func analyze() async throws -> SpectrumResult {
    let sound = try await file.open(for: "spectrum", channel: channel.number)
    let rate = sound.format.sampleRate
    let size = WelchAnalyzer.size(size, forSamples: sound.file?.frames ?? .max)
    if size < self.size {
      log.note("\(sound.name) is shorter than an analysis frame of \(self.size) samples: analysed with \(size)")
    }
    var analyzer = try WelchAnalyzer(size: size, window: window.window, overlap: overlap, sampleRate: rate)
    try await sound.forEachMono(channel: channel.number, log: log) {
      analyzer.add($0)
    }
    let spectrum = try analyzer.spectrum()
    return SpectrumResult(
      path: file.input, subject: sound.subject(channel: channel.number), file: sound.file,
      seconds: Double(sound.counts.frames) / rate, overlap: overlap, spectrum: spectrum,
      peaks: spectrum.peaks(limit: peaks, threshold: SpectrumResult.threshold))
  }
}
