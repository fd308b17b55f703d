internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

extension EqualizerCommand {
  /// Equalizes a file into a file, until it is done or a signal ends it.
  func equalize(_ path: String, into out: String) async throws {
    let options = try file.options(of: out)
    let isStream = out == AudioFileReader.standardInputPath
    if isStream && StandardStream.isTerminal(StandardStream.output) {
      throw CommandFailure(
        .usage, "expected standard output to be a file or a pipe, got a terminal",
        advice: "pipe the sound on: rustle eq take1.flac - | aplay")
    }
    if !isStream { try OutputPath.check(out, option: "the file to write", isNot: path) }
    let recipe = try settings.recipe()
    let destination: SoundDestination =
      isStream
      ? .standardOutput(hasHeader: !file.isWithoutHeader) : .file(try PartFile(out, mayReplace: file.overwrite))
    // Signals are taken before there is a file that could be left behind.
    let signals = await Signals.stream(of: RunEnding.signals)
    let input = try await open(path)
    let job = FileEqualizer(
      input: input, output: destination, recipe: recipe, options: options, isBypassed: settings.bypass,
      note: { [isQuiet = log.quiet] text in
        if !isQuiet { try? LineWriter.standardError.write("rustle: \(text)\n") }
      })
    let isWatched = !log.quiet && StandardStream.isTerminal(StandardStream.error)
    defer { destination.discard() }
    let summary = try await job.run(isWatched: isWatched, until: signals)
    if summary.clippedSamples > 0 { note(Self.advice(on: summary)) }
    let text =
      switch output.effectiveFormat {
      case .ndjson: summary.ndjson()
      case .csv: summary.csv()
      case .auto, .text: summary.text(profile: profile())
      }
    // Behind sound there is no text, but for whoever asks for it.
    if !isStream { return try LineWriter.standardOutput.write(text) }
    if output.effectiveFormat != .auto { try LineWriter.standardError.write(text) }
  }

  /// What to do about samples that were clipped.
  static func advice(on summary: EqualizerSummary) -> String {
    let samples = summary.clippedSamples == 1 ? "1 sample was" : "\(summary.clippedSamples) samples were"
    let automatic = summary.automaticPreamp
    let preamp =
      automatic < summary.preamp
      ? "give --preamp auto (\(EqualizerNumbers.gain(automatic, glyphs: .ascii)) dB), or " : "give "
    return "\(samples) beyond full scale and clipped: \(preamp)a lower --preamp, or a WAV file with --encoding f32"
  }

  private func open(_ path: String) async throws -> SoundInput {
    if path == AudioFileReader.standardInputPath && StandardStream.isTerminal(StandardStream.input) {
      throw CommandFailure(
        .noInput, "expected sound on standard input, got a terminal",
        advice: "pipe some in: sox take1.mp3 -t wav - | rustle eq - out.wav")
    }
    guard let raw = file.samples.raw, let rate = device.rate, let channels = device.channels else {
      return try await .file(path)
    }
    return try await .raw(path, format: AudioFormat(sampleRate: Double(rate), channels: channels), encoding: raw)
  }
}
