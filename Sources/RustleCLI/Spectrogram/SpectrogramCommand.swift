internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct SpectrogramCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spectrogram",
    abstract: "Draw how the frequencies of a recording change over time.",
    usage: "rustle spectrogram <file> [--png <path>] [--size <size>] [--hop <hop>] [--max-frequency <hz>] [--log]",
    discussion: """
      The file is cut into overlapping frames, each frame is windowed and transformed, and its levels are drawn as \
      colours, time going to the right and frequency upwards. Levels are in dBFS: a sine at full scale is 0 dB. A point \
      shows the highest level of the frames and frequencies that it covers.

      Without --png the picture is drawn into the terminal.

      EXAMPLES:
        rustle spectrogram take1.flac
        rustle spectrogram take1.flac --png take1.png --max-frequency 8000
        rustle spectrogram take1.flac --png take1.png --log --size 4096 --range 70
        sox take1.flac -t wav - | rustle spectrogram - --ascii
      """)

  @Argument(help: "A WAV, FLAC, OGG or MP3 file, or - for standard input (no FLAC from a pipe).")
  var file: String

  @Option(help: ArgumentHelp("Draw into this PNG file instead of the terminal.", valueName: "path"))
  var png: String?

  @Option(
    parsing: .unconditional,
    help: "Points of a frame: a power of two, 64 to 65536. More tell closer frequencies apart. (default: 2048)",
    transform: Parse.frameSize)
  var size = 2_048

  @Option(
    parsing: .unconditional,
    help: "Samples from one frame to the next. (default: a quarter of the size)",
    transform: Parse.integer("a number of samples", in: STFT.hops))
  var hop: Int?

  @Option(help: "How the ends of a frame are faded.")
  var window: WindowChoice = .hann

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Decibels from the darkest to the lightest colour, 10 to 200. (default: 90; 60 in a terminal)", valueName: "db"),
    transform: Parse.number("decibels", in: 10...200))
  var range: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The highest frequency drawn. (default: half the sample rate)", valueName: "hz"),
    transform: Parse.number("a frequency in Hz", in: 1...1_000_000))
  var maxFrequency: Double?

  @Flag(help: "Draw frequencies on a logarithmic axis, from 20 Hz.")
  var log = false

  @Option(
    parsing: .unconditional,
    help: "Analyse this channel, counted from 1, instead of the mean of all.",
    transform: Parse.integer("a channel number", in: 1...1_024))
  var channel: Int?

  @Option(
    parsing: .unconditional, help: "The picture's width in pixels, 256 to 16384. (default: 1200)",
    transform: Parse.integer("pixels", in: 256...16_384))
  var width = 1_200

  @Option(
    parsing: .unconditional, help: "The picture's height in pixels, 192 to 16384. (default: 600)",
    transform: Parse.integer("pixels", in: 192...16_384))
  var height = 600

  @Flag(help: "Draw with plain ASCII characters.")
  var ascii = false

  @OptionGroup var logging: LogOptions

  func run() async throws {
    logging.bootstrap()
    if let png { try OutputPath.checkPicture(png, isNot: file) }
    let result = try analyze()
    if let png {
      try SpectrogramPicture.plot(result).writePNG(to: png, width: width, height: height)
      if !logging.quiet { try? LineWriter.standardError.write("wrote \(png)\n") }
      return
    }
    let profile = TerminalProfile.standardOutput(isASCIIAskedFor: ascii)
    try LineWriter.standardOutput.write(SpectrogramView(result: result, profile: profile).text())
  }

  private func analyze() throws -> SpectrogramResult {
    try CommandFailure.checkIsNoTerminal(file, command: "spectrogram")
    var reader = try AudioFileReader(path: file)
    let rate = reader.format.sampleRate
    if let maxFrequency, maxFrequency > rate / 2 {
      let (most, got) = (String(format: "%.6g", rate / 2), String(format: "%.6g", maxFrequency))
      throw CommandFailure(
        .usage, "--max-frequency: expected at most half the sample rate, \(most) Hz, got \(got) Hz")
    }
    let stft = try STFT(size: size, hop: hop, window: window.window, scale: .amplitude, form: .decibels)
    var builder = try SpectrogramBuilder(stft)
    let framesRead = try reader.forEachMonoBlock(of: file, channel: channel, isQuiet: logging.quiet) {
      try builder.add($0)
    }
    if !logging.quiet, let shortness = reader.format.shortness(of: file, framesRead: framesRead) {
      try? LineWriter.standardError.write("rustle: \(shortness)\n")
    }
    try builder.finish()
    return SpectrogramResult(
      path: file, format: reader.format, channel: channel, framesRead: framesRead, stft: stft, columns: builder.columns,
      range: range ?? (png == nil ? 60 : 90), maximumFrequency: maxFrequency ?? rate / 2, isLogarithmic: log)
  }
}
