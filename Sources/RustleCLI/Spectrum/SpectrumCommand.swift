internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct SpectrumCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spectrum",
    abstract: "Find and draw what frequencies a recording is made of.",
    usage: "rustle spectrum <file> [--size <size>] [--window <window>] [--peaks <count>] [--png <path>] [--json]",
    discussion: """
      The file is cut into overlapping frames, each frame is windowed and transformed, and the powers are averaged \
      (Welch's method). Levels are in dBFS: a sine at full scale is 0 dB.

      EXAMPLES:
        rustle spectrum take1.flac
        rustle spectrum take1.flac --size 32768 --peaks 3 --png spectrum.png
        rustle spectrum take1.flac --json | python3 -m json.tool
        sox take1.flac -t wav - | rustle spectrum - --format csv > bins.csv

      NDJSON: one object with the file's properties and "peaks", a list of {"hz", "db", "amplitude"}, the strongest \
      first. CSV: the whole spectrum, one record hz,db,amplitude for each bin.
      """)

  /// Peaks below this level, in dBFS, are not listed: the noise of a 16-bit recording lies there.
  static let threshold = -90.0

  @Argument(help: "A WAV, FLAC, OGG or MP3 file, or - for standard input (no FLAC from a pipe).")
  var file: String

  @Option(
    parsing: .unconditional,
    help: "Points of a frame: a power of two, 64 to 65536. More points tell closer frequencies apart. (default: 8192)",
    transform: Parse.frameSize)
  var size = 8_192

  @Option(help: "How the ends of a frame are faded.")
  var window: WindowChoice = .hann

  @Option(
    parsing: .unconditional,
    help: "How much of a frame the next one repeats, 0 to 0.95. (default: 0.5)",
    transform: Parse.number("a fraction", in: 0...0.95))
  var overlap = 0.5

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("List this many of the strongest peaks, 0 to 1000. (default: 8)", valueName: "count"),
    transform: Parse.integer("a whole number", in: 0...1_000))
  var peaks = 8

  @Option(
    parsing: .unconditional,
    help: "Analyse this channel, counted from 1, instead of the mean of all.",
    transform: Parse.integer("a channel number", in: 1...1_024))
  var channel: Int?

  @Option(help: ArgumentHelp("Also draw the spectrum into this PNG file.", valueName: "path"))
  var png: String?

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    if let png { try OutputPath.checkPicture(png, isNot: file) }
    let result = try analyze()
    let text =
      switch output.effectiveFormat {
      case .ndjson: SpectrumLines.ndjson(result)
      case .csv: SpectrumLines.csv(result)
      case .auto, .text: SpectrumReport(result: result, profile: profile()).text()
      }
    // The picture first: a reader of the pipe that has seen enough must not cost it.
    if let png {
      try SpectrumPicture.write(result, to: png)
      if !log.quiet { try? LineWriter.standardError.write("wrote \(png)\n") }
    }
    try LineWriter.standardOutput.write(text)
  }

  private func profile() -> TerminalProfile { .standardOutput(isASCIIAskedFor: output.ascii) }

  /// The frame's size for a file of so many frames: a file that is shorter than one frame would be measured with silence in the
  /// rest of it, and its sines read too low. A file of unknown length is taken as long.
  static func size(_ asked: Int, forFrames frames: Int?) -> Int {
    guard let frames else { return asked }
    var size = asked
    while size > frames && size > 64 { size /= 2 }
    return size
  }

  private func note(_ text: String) {
    if !log.quiet { try? LineWriter.standardError.write("rustle: \(text)\n") }
  }

  private func analyze() throws -> SpectrumResult {
    try CommandFailure.checkIsNoTerminal(file, command: "spectrum")
    var reader = try AudioFileReader(path: file)
    let size = Self.size(size, forFrames: reader.format.frames)
    if size < self.size {
      note("\(file) is shorter than a frame of \(self.size) samples: analysed in frames of \(size)")
    }
    var analyzer = try WelchAnalyzer(
      size: size, window: window.window, overlap: overlap, sampleRate: reader.format.sampleRate)
    let framesRead = try reader.forEachMonoBlock(of: file, channel: channel, isQuiet: log.quiet) { analyzer.add($0) }
    if let shortness = reader.format.shortness(of: file, framesRead: framesRead) { note(shortness) }
    let spectrum = try analyzer.spectrum()
    return SpectrumResult(
      path: file, format: reader.format, channel: channel, framesRead: framesRead, overlap: overlap,
      spectrum: spectrum, peaks: spectrum.peaks(limit: peaks, threshold: Self.threshold))
  }
}
