internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a sound device into a file.",
    usage: """
      rustle record <output> [--device <name>] [--rate <hz>]
              [--channels <count>] [--duration <seconds>] [--json]
      """,
    discussion: """
      The file's extension selects WAV, FLAC, OGG (Vorbis), OPUS, MP3 or M4A (AAC, by the program ffmpeg). The file is valid at \
      any time: a killed process loses less than the last second (OGG: the last 4 kB). A lost device and a full disk end the recording; the file is kept.

      A terminal shows the level (space pauses, q stops, ? shows help); a pipe receives one line per second (with NDJSON ten). \
      Ctrl-C stops the recording with status 130. Silence replaces dropped frames.

      EXAMPLES:
        rustle record take1.flac
        rustle record a.wav --device hw:1 --rate 96000 --channels 1 --encoding f32
        rustle record take1.m4a --duration 60 --json
        rustle record demo.wav --demo --duration 3

      NDJSON FIELDS:
      \(progress.fieldList(kind: "progress"))

      The last line (kind summary):
      \(summary.fieldList())
      """)

  @Argument(help: "The file to write: .wav, .flac, .ogg, .opus, .mp3 or .m4a.", completion: .file())
  var output: String

  @OptionGroup var device: SoundDeviceOptions

  @OptionGroup var duration: DurationOption

  @OptionGroup var written: WriterOptions
  @OptionGroup var format: RecordOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try Parse.reject(
      (output == AudioFileReader.standardInputPath, "<output>: expected the path of a file, got - (standard output)"))
    _ = try written.options(of: output)
  }

  func run() async throws {
    log.bootstrap()
    let configuration = try device.configuration(
      of: device.choice.name ?? AudioDevice.defaultName, seconds: duration.seconds)
    let options = try written.options(of: output)
    let capture = try AudioCapture(configuration)
    let recorder = Recorder()
    let progress = await recorder.progress()
    let view = format.screen.map { LiveRecord(recorder: recorder, path: output, screen: $0) }
    let lines = Self.progressTable(format.effectiveFormat, format.profile)
    // Closing the file takes milliseconds: nothing is ended by force.
    let ending = try await RunEnding.of(view: view, isForced: false) { _ in
      // Ends the task that waits for the end of the recording.
      _ = try? await recorder.stop()
    } tasks: { tasks in
      do {
        try await recorder.start(capture, format: configuration.format, to: output, options: options)
      } catch let error as AudioFileError where error.code == .unsupported {
        // The rate and the channels are those that were asked for.
        throw CommandFailure(
          .usage, error.message, advice: "Choose another --rate or --channels, or record a WAV file.")
      }
      tasks.addTask {
        // An error is thrown by `stop()` below.
        _ = try? await recorder.finished()
        return .streamEnded
      }
      tasks.addTask {
        // Programs get more lines than people.
        let interval: Duration = lines.format == .ndjson ? .milliseconds(100) : .seconds(1)
        var next = interval
        for await progress in progress {
          if let view { await view.apply(progress) }
          guard view == nil, progress.duration >= next else { continue }
          while next <= progress.duration { next += interval }
          try LineWriter.standardOutput.write(lines.line(progress))
        }
        return nil
      }
    }
    let recording = try await recorder.stop()
    let summary = Self.summaryTable(format.effectiveFormat, format.profile).line(recording)
    if ending != .readerGone { try? LineWriter.standardOutput.write(summary) }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}

extension RecordCommand {
  private static let progress: [Column<RecorderProgress>] = [
    Column("duration_s", "the duration of the file") { $0.duration / .seconds(1) },
    Column("frames", "the frames in the file", \.frames),
    Column("paused", "whether captured sound is discarded", \.isPaused),
    Column("peak_dbfs", "the highest sample of the newest buffer, for each channel; null for silence") {
      $0.levels.map(\.peak)
    },
    Column("power_dbfs", "its mean square, for each channel; null for silence") { $0.levels.map(\.power) },
    Column("dropped_frames", "captured frames that were dropped", \.droppedFrames),
    Column("overruns", "overruns of the device", \.overruns),
    Column("clipped_samples", "samples beyond the range of the encoding", \.clippedSamples),
  ]

  private static let summary: [Column<Recording>] = [
    Column("path", "the file", \.path),
    Column("sample_rate_hz", "frames per second", \.format.sampleRate),
    Column("channels", "channels of the file", \.format.channels),
    Column("duration_s", "its duration") { $0.duration / .seconds(1) },
    Column("frames", "its frames", \.frames),
    Column("dropped_frames", "captured frames that were dropped", \.droppedFrames),
    Column("overruns", "overruns of the device", \.overruns),
    Column("clipped_samples", "samples beyond the range of the encoding", \.clippedSamples),
  ]

  static func progressTable(_ format: OutputFormat, _ profile: TerminalProfile) -> Table<RecorderProgress> {
    Table(progress, kind: "progress", format: format, profile: profile) { progress in
      let levels = progress.levels.map { decibels($0.peak, profile.glyphs) }.joined(separator: " ")
      let state = progress.isPaused ? "paused" : "recording"
      return "\(time(progress.duration)) \(state), peak \(levels) dBFS"
        + troubles(progress.droppedFrames, progress.overruns, progress.clippedSamples) + "\n"
    }
  }

  static func summaryTable(_ format: OutputFormat, _ profile: TerminalProfile) -> Table<Recording> {
    Table(summary, kind: "summary", format: format, profile: profile) { recording in
      "recorded \(time(recording.duration)) to \(recording.path)"
        + troubles(recording.droppedFrames, recording.overruns, recording.clippedSamples) + "\n"
    }
  }

  static func troubles(_ dropped: Int64, _ overruns: Int, _ clipped: Int) -> String {
    let parts = [
      dropped > 0 ? "\(dropped) frames dropped" : nil, overruns > 0 ? "\(overruns) overruns" : nil,
      clipped > 0 ? "\(clipped) samples clipped" : nil,
    ]
    return parts.compactMap { $0.map { ", \($0)" } }.joined()
  }

  /// A level in six columns.
  static func decibels(_ level: Double, _ glyphs: Glyphs) -> String {
    level.isFinite ? String(format: "%6.1f", level) : String(glyphs.unknown).leftPadded(to: 6)
  }

  static func time(_ duration: Duration) -> String { Numbers.time(duration / .seconds(1), rounded: .down) }
}

/// The live view of a recording: receives progress and keys, and draws changes.
actor LiveRecord: LiveView {
  var screen: LiveScreen
  private let recorder: Recorder
  private var picture: RecordView
  private var progress: RecorderProgress?

  init(recorder: Recorder, path: String, screen: LiveScreen) {
    (self.recorder, self.screen) = (recorder, screen)
    picture = RecordView(path: path)
  }

  func apply(_ progress: RecorderProgress) {
    self.progress = progress
    let held = picture.held
    picture.held = progress.levels.enumerated().map { max($1.peak, $0 < held.count ? held[$0] : -.infinity) }
    screen.needsDrawing = true
  }

  func press(_ key: Key) async throws -> Bool {
    screen.needsDrawing = true
    if key == .help { screen.showsHelp.toggle() }
    if key == .pause {
      switch await recorder.state {
      case .recording: try await recorder.pause()
      case .paused: try await recorder.resume()
      case .idle, .starting: break
      }
    }
    return key == .quit
  }

  func draw() throws {
    (picture.hasKeys, picture.showsHelp) = (screen.hasKeys, screen.showsHelp)
    try screen.draw { picture.lines(progress, $0) }
  }
}

/// The layout of a recording: a line with its state, and a bar for each channel.
struct RecordView: Sendable {
  let path: String
  var hasKeys = false
  var showsHelp = false
  /// The highest peak of each channel so far, in dBFS.
  var held: [Double] = []

  /// The level at the left end of a bar, in dBFS.
  private static let softest = -60.0

  func lines(_ progress: RecorderProgress?, _ profile: TerminalProfile) -> [ScreenLine] {
    let isPaused = progress?.isPaused ?? false
    let state = progress == nil ? "waiting" : isPaused ? "PAUSED" : "REC"
    let time = RecordCommand.time(progress?.duration ?? .zero)
    var lines = [profile.line("\(state)  \(time)  \(path)", isPaused ? .yellow : .bold)]
    for (channel, level) in (progress?.levels ?? []).enumerated() {
      let held = channel < held.count ? held[channel] : level.peak
      let ink: Ink = held >= 0 ? .red : held > -6 ? .yellow : .green
      lines.append(profile.line(bar(level, channel: channel, held: held, profile), ink))
    }
    if let progress {
      let troubles = RecordCommand.troubles(progress.droppedFrames, progress.overruns, progress.clippedSamples)
      if !troubles.isEmpty { lines.append(profile.line(String(troubles.dropFirst(2)), .red)) }
    }
    let help = ["space pauses and resumes", "q stops and closes the file", "? hides this"]
    return lines + (hasKeys ? profile.wrapped(showsHelp ? help : ["space pause", "q stop", "? help"], .dim) : [])
  }

  /// The bar of a channel, `1  ▇▇▇▇▇▇▇      |   -12.3 dBFS  max -6.0`, with a mark at the highest peak so far.
  private func bar(_ level: SignalLevel, channel: Int, held: Double, _ profile: TerminalProfile) -> String {
    let lead = "\(channel + 1)".rightPadded(to: 3)
    let levels = [level.peak, held].map { RecordCommand.decibels($0, profile.glyphs) }
    let tail = " \(levels[0]) dBFS  max \(levels[1])\(held >= 0 ? " OVER" : "")"
    let width = max(4, profile.columns - lead.count - tail.count)
    let bar = profile.glyphs.levelBar(
      power: level.power, peak: level.peak, held: held, from: Self.softest, columns: width)
    return lead + bar + tail
  }
}
