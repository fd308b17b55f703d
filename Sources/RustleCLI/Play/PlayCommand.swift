internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play a sound file, optionally equalized.",
    usage: """
      rustle play <input> [--device <name>] [--demo] [--eq <preset>]
              [--from <seconds>] [--to <seconds>] [--json]
      """,
    discussion: """
      The file is played with its own sample rate and channels; a device that does not support them is an error, and nothing \
      is resampled. (ALSA itself may convert for its devices 'default' and 'plug…'.) A terminal shows the \
      progress; space pauses, q stops. With --json the progress is written to standard output ten times per second.

      A preset of the equalizer is a JSON file, or a text file with lines such as "Filter 1: ON PK Fc 105 \
      Hz Gain 5.5 dB Q 0.70", the format of AutoEQ, PipeWire and EqualizerAPO. Presets apply to mono and stereo.

      EXAMPLES:
        rustle play take1.flac
        rustle play take1.flac --eq headphones.txt --device pulse
        sox take1.flac -t wav - | rustle play -
        rustle play take1.flac --from 60 --to 75.5
        arecord -f cd -t raw | rustle play - --raw s16le --rate 44100 --channels 2
        rustle play take1.flac --demo --duration 2 --json

      NDJSON FIELDS:
      \(progress(sampleRate: 1).fieldList(kind: "progress, or summary in the last line"))

      The summary has no paused; it adds input, sample_rate_hz, channels, frames, and complete: whether the \
      end was played.
      """)

  @OptionGroup var file: SoundFileOptions

  @OptionGroup var device: DeviceOption

  @Option(parsing: .next, "Equalize with this preset.", value: "preset", completion: .file())
  var eq: String?

  @Option(
    "Begin at this time in the sound, 0 to 1000000000. (default: 0)", value: "seconds",
    parse: Parse.number("seconds", in: 0...1e9))
  var from: Double?

  @Option(
    "Stop at this time in the sound, later than --from. (default: the end)", value: "seconds",
    parse: Parse.number("seconds", in: 0.001...1e9))
  var to: Double?

  @OptionGroup var duration: DurationOption
  @OptionGroup var format: RecordOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    guard let to else { return }
    if let seconds = duration.seconds {
      throw ValidationError("--to \(to) cannot be used with --duration \(seconds)")
    }
    if to <= from ?? 0 { throw ValidationError("--to: expected a time after --from, \(from ?? 0) s, got \(to) s") }
  }

  func run() async throws {
    log.bootstrap()
    let preset = try eq.map { try EqualizerPreset.read($0, option: "--eq").settings }
    let begin = from ?? 0
    let sound = try await file.open(for: "play", from: begin, seconds: to.map { $0 - begin } ?? duration.seconds)
    if sound.expectedFrames == 0 { try sound.checkIsNotEmpty() }
    let equalizer = try preset.map { try Self.equalizer($0, file: eq ?? "", format: sound.format) }
    let output = try AudioOutput(
      DeviceConfiguration(device: device.name ?? AudioDevice.defaultName, format: sound.format))
    let writesRecords = format.effectiveFormat == .ndjson
    let newest = Shared(PlaybackProgress?.none)
    // A slow reader gets the newest progress, and does not block the sound.
    let (news, reporter) = AsyncStream.makeStream(of: PlaybackProgress.self, bufferingPolicy: .bufferingNewest(1))
    // The line is not among records on the same terminal.
    let isShown = !log.quiet && !(writesRecords && StandardStream.isTerminal(StandardStream.output))
    let profile = TerminalProfile.present(of: StandardStream.error, isASCIIAskedFor: true)
    let screen = profile.isLive ? LiveScreen.on(StandardStream.error, isASCIIAskedFor: true) : nil
    let view = screen.map { screen in
      let line = PlayLine(
        title: sound.subject(channel: nil).title, firstFrame: sound.firstFrame, totalFrames: sound.expectedFrames,
        sampleRate: sound.format.sampleRate, hasKeys: screen.hasKeys)
      return PlayView(output: output, line: line, screen: screen) { isShown ? newest.value : nil }
    }
    let play: @Sendable () async throws -> RunEnding = {
      let end = try await output.play(sound, changing: equalizer.map { $0.process }) { progress in
        newest.value = progress
        reporter.yield(progress)
      }
      newest.value = end
      return .streamEnded
    }
    let ending = try await RunEnding.of(view: view, watchesReader: writesRecords) { tasks in
      tasks.addTask(operation: play)
      guard writesRecords else { return }
      tasks.addTask {
        let table = table(of: sound, "progress")
        var tenths: Int64 = 0
        for await progress in news {
          let played = Int64(Double(10 * progress.played) / sound.format.sampleRate)
          if played > tenths { try LineWriter.standardOutput.write(table.line(progress)) }
          tenths = max(tenths, played)
        }
        return nil
      }
    }
    let end = newest.value
    if let end, writesRecords, ending != .readerGone {
      let summary: [Column<PlaybackProgress>] = [
        Column("input") { _ in sound.name },
        Column("sample_rate_hz") { _ in sound.format.sampleRate },
        Column("channels") { _ in sound.format.channels },
        Column("frames", \.played),
        Column("complete") { _ in ending == .streamEnded },
      ]
      try LineWriter.standardOutput.write(table(of: sound, "summary", summary).line(end))
    }
    if ending == .streamEnded {
      try sound.checkIsNotEmpty()
      if let shortness = sound.shortness { log.note(shortness) }
    }
    if let end, let interruption = PlayLine.interruption(end, sampleRate: sound.format.sampleRate) {
      log.note(interruption)
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  private static func equalizer(_ settings: EqualizerSettings, file: String, format: AudioFormat) throws -> Equalizer {
    guard format.channels <= 2 else {
      throw CommandFailure(
        .badData, "--eq: expected sound of one or two channels, got \(format.layout)",
        advice: "Play it without --eq, or mix it to stereo first.")
    }
    return try CommandFailure.naming(file) {
      try Equalizer(format: format, settings: settings.limited(toSampleRate: format.sampleRate))
    }
  }

  /// The table of a kind of lines with `more` columns.
  private func table(
    of sound: OpenedInput, _ kind: String, _ more: [Column<PlaybackProgress>] = []
  ) -> Table<PlaybackProgress> {
    let columns = Self.progress(sampleRate: sound.format.sampleRate, firstFrame: sound.firstFrame)
    return Table(
      (more.isEmpty ? columns : columns.dropLast()) + more, kind: kind, format: .ndjson, profile: format.profile)
  }

  private static func progress(sampleRate rate: Double, firstFrame: Int = 0) -> [Column<PlaybackProgress>] {
    [
      Column("position_s", "the playback position in the sound") { Double(Int64(firstFrame) + $0.played) / rate },
      Column("played_s", "the duration of the played sound") { Double($0.played) / rate },
      Column("underruns", "underruns of the device", \.underruns),
      Column("inserted_silence_s", "silence played because no sound arrived in time") {
        Double($0.insertedSilence) / rate
      },
      Column("paused", "whether the playback is paused", \.isPaused),
    ]
  }
}

/// The live view of a playback: a line on standard error, which is cleared at the end, and keys.
actor PlayView: LiveView {
  var screen: LiveScreen
  private let output: AudioOutput
  private let line: PlayLine
  /// Returns the newest progress; nil for no line.
  private let progress: @Sendable () -> PlaybackProgress?
  private var drawn: [String] = []

  init(
    output: AudioOutput, line: PlayLine, screen: LiveScreen, progress: @escaping @Sendable () -> PlaybackProgress?
  ) {
    (self.output, self.line, self.screen, self.progress) = (output, line, screen, progress)
  }

  func press(_ key: Key) -> Bool {
    if key == .pause { output.isPaused.toggle() }
    return key == .quit
  }

  func drawIfNeeded() throws { try draw() }

  func draw() throws {
    guard let progress = progress() else { return }
    let parts = line.parts(played: progress.played, underruns: progress.underruns, isPaused: output.isPaused)
    guard screen.needsDrawing || parts != drawn else { return }
    drawn = parts
    try screen.draw { $0.wrapped(parts) }
  }

  func end() {
    if !drawn.isEmpty { try? screen.draw { _ in [] } }
    screen.end()
  }
}

/// The line of a playback, and the report of its interruptions.
struct PlayLine {
  /// The sound's name without its folders.
  let title: String
  /// The first frame to play, and the number of frames to play; nil if unknown.
  var firstFrame = 0
  let totalFrames: Int?
  let sampleRate: Double
  let hasKeys: Bool

  /// The parts of `0:01.5 of 0:12.0  take1.wav  q quit  space pause`, of which a narrow terminal makes several lines.
  func parts(played: Int64, underruns: Int, isPaused: Bool) -> [String] {
    func time(_ frames: Int) -> String { Numbers.time(Double(firstFrame + frames) / sampleRate) }
    let parts = [
      time(Int(played)) + (totalFrames.map { " of \(time($0))" } ?? ""),
      isPaused ? "paused" : nil,
      underruns > 0 ? "\(underruns) underruns" : nil,
      title,
      hasKeys ? "q quit" : nil,
      hasKeys ? isPaused ? "space go on" : "space pause" : nil,
    ]
    return parts.compactMap(\.self)
  }

  static func interruption(_ end: PlaybackProgress, sampleRate: Double) -> String? {
    let silence = Double(end.insertedSilence) / sampleRate
    let parts = [
      end.underruns > 0 ? "\(end.underruns) underrun\(end.underruns == 1 ? "" : "s") of the device" : nil,
      silence > 0 ? String(format: "%.2f s of inserted silence", silence) : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : "the playback was interrupted: " + parts.joined(separator: ", ")
  }
}
