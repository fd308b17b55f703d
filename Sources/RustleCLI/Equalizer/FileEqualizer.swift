internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct EqualizerFileOptions: ParsableArguments {
  @OptionGroup var written: WriterOptions
  @OptionGroup var samples: RawInputOptions

  @Flag(
    name: .customLong("no-header"),
    help: "Write little-endian samples without a WAV header; requires - (standard output) as <out>.")
  var isWithoutHeader = false

  @Option(
    parsing: .next, "Gains over time from this file, JSON or CSV: time_s, band (from 1, or preamp), gain_db, channel.",
    value: "file", completion: .file())
  var automation: String?

  @Option(
    "Bring the output to this integrated loudness, -70 to 0 LUFS: -23 for EBU R 128. OGG, OPUS, MP3 and M4A may miss it by about "
      + "1 dB. (default: unchanged)",
    value: "lufs", parse: Parse.number("a loudness in LUFS", in: LoudnessTarget.integratedRange))
  var normalize: Double?

  @Option(
    "The highest true peak of --normalize, -60 to 20 dBTP, which limits its gain. (default: -1)", value: "dbtp",
    parse: Parse.number("a true peak in dBTP", in: -60...20))
  var truePeak: Double?
}

extension EqualizerCommand {
  /// Equalizes a file into a file, until its end or a signal.
  func equalize(_ path: String, into out: String) async throws {
    let options = try file.written.options(of: out)
    let isStream = out == AudioFileReader.standardInputPath
    if isStream && StandardStream.isTerminal(StandardStream.output) {
      throw CommandFailure(
        .usage, "expected standard output to be a file or a pipe, got a terminal",
        advice: "Pipe the sound on, as in 'rustle eq take1.flac - | aplay'.")
    }
    if !isStream { try OutputPath.check(out, option: "the file to write", isNot: path) }
    let request = try settings.request()
    let automation = try file.automation.map {
      try TextFile.value(of: $0, option: "--automation", EqualizerAutomation.init(file:))
    }
    func open() async throws -> OpenedInput {
      // Long buffers, of which there are fewer; those of a pipe are short, so that sound does not wait for long.
      try await file.samples.open(
        path, rate: device.rate, channels: device.channels,
        frames: path == AudioFileReader.standardInputPath ? 4_096 : 8_192, example: "rustle eq - out.wav")
    }
    let input = try await open()
    let format = input.format
    guard format.channels <= 2 else {
      throw CommandFailure(
        .badData, "\(input.name): expected one or two channels, got \(format.channels)",
        advice: "Select two, as in 'sox \(input.name) two.wav remix 1 2'.")
    }
    let prepared = try request.prepared(sampleRate: format.sampleRate, note: log.note)
    if format.channels == 1 && prepared.left != prepared.right {
      log.note("\(input.name) is mono: the bands of the left channel are used")
    }
    if let automation, let path = file.automation {
      try CommandFailure.naming(path) { try automation.check(for: prepared, channels: format.channels) }
    }
    let equalizer = try Equalizer(format: format, settings: prepared, isBypassed: settings.bypass)
    let measured = file.normalize == nil ? nil : try await open()
    let stream =
      isStream
      ? try EncodedStream(
        format: format, encoding: options.encoding, dither: options.dither, hasHeader: !file.isWithoutHeader,
        name: "standard output") : nil
    let result = Shared(EqualizedSound())
    let gain = Shared(LoudnessGain?.none)
    // Signals are handled before a temporary file exists, and not before the inputs are open: a pipe that nobody writes is waited for.
    let signals = await Signals.stream(of: RunEnding.signals)
    let ending = try await RunEnding.first { tasks in
      tasks.addTask {
        var progress = log.progress(total: input.expectedFrames)
        defer { progress.end() }
        if let measured {
          let target = LoudnessTarget(integrated: file.normalize ?? 0, truePeakLimit: file.truePeak ?? -1)
          gain.value = try await equalizer.normalize(measured, to: target)
        }
        let update = { (frames: Int64) in progress.update(Int(frames)) }
        if let stream {
          result.value = try await equalizer.write(input, as: stream, automation: automation, onProgress: update) {
            try LineWriter.standardOutput.write($0)
          }
          try input.checkIsNotEmpty()
          return .streamEnded
        }
        do {
          result.value = try await equalizer.write(
            input, to: out, options: options, automation: automation, onProgress: update, check: input.checkIsNotEmpty)
        } catch let error as AudioFileError where error.code == .unsupported && error.path == out {
          // An encoding that the container does not support is a usage error.
          throw CommandFailure(.usage, error.message, advice: error.advice)
        }
        return .streamEnded
      }
      tasks.addTask { try await RunEnding.signal(from: signals, isForced: true) }
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
    if let shortness = input.shortness { log.note(shortness) }
    let isAutomated = automation?.points.contains { $0.band == nil } ?? false
    let preamp = settings.bypass ? 0 : prepared.preamp + (gain.value?.gain ?? 0)
    let summary = EqualizerSummary(
      input: input.name, output: isStream ? "standard output" : out,
      container: file.isWithoutHeader ? "raw" : options.container?.rawValue ?? "",
      encoding: options.container?.isLossless == false ? nil : options.encoding,
      format: format, sound: result.value, preamp: isAutomated ? nil : preamp,
      isBypassed: settings.bypass, automaticPreamp: try prepared.automaticPreamp(sampleRate: format.sampleRate))
    if let advice = summary.adviceOnClipping { log.note(advice) }
    if let gain = gain.value, gain.isLimited || !gain.integrated.isFinite {
      let (loudness, peak) = (gain.integrated + gain.gain, gain.truePeak + gain.gain)
      let limit =
        preamp < EqualizerSettings.preampRange.upperBound
        ? "a true peak of \(Numbers.level(peak, .ascii)) dBTP" : "the largest preamp"
      log.note(
        loudness.isFinite
          ? "\(out): \(Numbers.level(loudness, .ascii)) LUFS, limited by \(limit)"
          : "\(path) has no loudness: silent or shorter than 0.4 s")
    }
    let text = summary.text(output.effectiveFormat, profile: output.profile)
    // With sound on standard output, text is written on request only.
    if !isStream { return try LineWriter.standardOutput.write(text) }
    if output.effectiveFormat != .auto { try LineWriter.standardError.write(text) }
  }
}
