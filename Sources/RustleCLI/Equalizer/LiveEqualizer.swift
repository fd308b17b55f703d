internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import Synchronization

/// The output and the duration of live sound.
struct EqualizerLiveOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The playback device. (default: the system's default, demo with --demo)", valueName: "name"))
  var output: String?

  @OptionGroup var duration: DurationOption

  @Option(
    help: ArgumentHelp(
      "The file for presets saved with the key s: text if its name ends with .txt, JSON otherwise.", valueName: "file"))
  var save: String?

  func validate() throws {
    if output == "" { throw ValidationError("--output: expected the name of a device, got ''") }
  }
}

extension EqualizerCommand {
  /// Equalizes captured sound and plays it.
  func runLive() async throws {
    let save = try presetWriter()
    let captured = try device.configuration(
      of: device.name ?? AudioDevice.defaultName, seconds: playback.duration.seconds)
    var played = captured
    played.device = playback.output ?? (device.demo ? AudioDevice.demo.name : AudioDevice.defaultName)
    played.frameLimit = nil
    let controls = try EqualizerControls(
      settings.request(), isStereo: captured.format.channels == 2, isBypassed: settings.bypass)
    let (prepared, notes) = try controls.request.prepared(sampleRate: captured.format.sampleRate)
    for text in notes { log.note(text) }
    let equalizer = try await Equalizer(format: captured.format, settings: prepared, isBypassed: settings.bypass)
    let output = try AudioOutput(played)
    let run = LiveEqualizer(input: try await .device(captured), output: output, equalizer: equalizer)
    let ending: RunEnding
    if let screen = self.output.screen {
      ending = try await run.show(
        EqualizerView(equalizer: equalizer, controls: controls, screen: screen, save: save))
    } else {
      ending = try await run.write(
        EqualizerState.table(
          channels: captured.format.channels, format: self.output.effectiveFormat, profile: self.output.profile),
        to: .standardOutput)
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  /// A function that writes the current settings as a preset and returns a message.
  ///
  /// - Throws: `CommandFailure` for a file that cannot be written, or exists and may not be replaced.
  private func presetWriter() throws -> @Sendable (EqualizerSettings) throws -> String {
    guard let path = playback.save else {
      return { _ in "saving requires --save <file>" }
    }
    try OutputPath.check(path, option: "--save", isNot: "")
    guard file.overwrite || !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        .usage, "--save: \(path) exists", advice: "choose another name, or use --overwrite")
    }
    let name = name ?? PresetFile.name(of: path)
    return { settings in
      let preset = EqualizerPreset(name: name, settings: settings)
      let text = try PresetFile.text(preset, as: PresetFile.form(of: path))
      do {
        // The file is replaced atomically, so that it is complete at any time.
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      } catch {
        throw CommandFailure(.unavailable, "cannot write \(path): \(error.localizedDescription)")
      }
      return "saved \(path)"
    }
  }
}

/// Sound from a device through an equalizer to a device.
final class LiveEqualizer: Sendable {
  private let input: SoundInput
  private let output: AudioOutput
  private let equalizer: Equalizer
  private let underruns = Mutex(0)
  /// When the next line is due, in seconds of sound, and the newest state if it is unwritten.
  private let rhythm = Mutex((next: 0.0, unwritten: EqualizerState?.none))

  init(input: SoundInput, output: AudioOutput, equalizer: Equalizer) {
    self.input = input
    self.output = output
    self.equalizer = equalizer
  }

  /// Seconds of sound from one line to the next.
  private static let lineInterval = 0.25

  /// Writes a line every quarter of a second of sound, and one at the end.
  func write(_ table: Table<EqualizerState>, to writer: LineWriter) async throws -> RunEnding {
    try writer.write(table.header)
    let ending = try await play(view: nil) { [self] state in
      let isDue = rhythm.withLock {
        let isDue = state.seconds >= $0.next
        $0 = isDue ? (state.seconds + Self.lineInterval, nil) : ($0.next, state)
        return isDue
      }
      if isDue { try writer.write(table.line(state)) }
    }
    if ending == .streamEnded, let last = rhythm.withLock({ $0.unwritten }) { try writer.write(table.line(last)) }
    return ending
  }

  private func state(_ levels: EqualizerLevels) async -> EqualizerState {
    EqualizerState(
      seconds: Double(input.tally.frames) / input.format.sampleRate, before: levels.before.map(\.power),
      after: levels.after.map(\.power), preamp: await equalizer.settings.preamp,
      droppedFrames: input.tally.droppedFrames,
      overruns: input.tally.overruns, underruns: underruns.withLock { $0 })
  }

  /// Plays until the run ends. Both devices are closed on return.
  ///
  /// - Parameter show: receives the state after each buffer.
  private func play(
    view: EqualizerView?, _ show: @escaping @Sendable (EqualizerState) async throws -> Void
  ) async throws -> RunEnding {
    let result: Result<RunEnding, any Error>
    let levels = equalizer.levels()
    do {
      let ending = try await RunEnding.of(view: view, isForced: view == nil) { [self] tasks in
        tasks.addTask { [self] in
          for await level in levels { try await show(await state(level)) }
          return nil
        }
        tasks.addTask { [self] in
          _ = try await output.play(
            input, changing: { [equalizer] in try equalizer.process($0) },
            onProgress: { [self] progress in underruns.withLock { $0 = progress.underruns } })
          return .streamEnded
        }
      }
      result = .success(ending)
    } catch {
      result = .failure(error)
    }
    await input.close()
    await output.shutDown()
    return try result.get()
  }

  /// Shows the sliders.
  func show(_ view: EqualizerView) async throws -> RunEnding { try await play(view: view) { await view.show($0) } }
}

/// The live view of an equalizer: handles keys, sets the equalizer, and draws changes.
actor EqualizerView: LiveView {
  var screen: LiveScreen
  private let equalizer: Equalizer
  private let save: @Sendable (EqualizerSettings) throws -> String
  private var controls: EqualizerControls
  private var status: EqualizerPanel.Status

  /// - Parameter save: writes a preset and returns a message.
  init(
    equalizer: Equalizer, controls: EqualizerControls, screen: LiveScreen,
    save: @escaping @Sendable (EqualizerSettings) throws -> String
  ) {
    self.equalizer = equalizer
    self.controls = controls
    self.screen = screen
    self.save = save
    status = EqualizerPanel.Status(hasKeys: screen.hasKeys)
  }

  func end() {
    status.hasKeys = false
    if controls.showsHelp { _ = controls.press(.help) }
    try? draw()
    screen.end()
  }

  func show(_ state: EqualizerState) {
    status.state = state
    screen.needsDrawing = true
  }

  func press(_ key: Key) async -> Bool {
    let action = controls.press(key)
    screen.needsDrawing = true
    status.message = nil
    do {
      switch action {
      case .none: break
      case .quit: return true
      case .bypass: try await equalizer.setBypassed(controls.isBypassed)
      case .apply:
        let (settings, notes) = try controls.request.prepared(sampleRate: equalizer.format.sampleRate)
        try await equalizer.set(settings)
        status.message = controls.request.isSolved ? notes.last : nil
      case .save: status.message = try save(await equalizer.settings)
      }
    } catch {
      // The key failed; the sound goes on.
      status.message = CommandFailure(error)?.message ?? error.localizedDescription
    }
    return false
  }

  func draw() throws {
    try screen.draw { EqualizerPanel(profile: $0).lines(controls, status) }
  }
}
