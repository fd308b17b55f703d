internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustleFiles
import RustlePlot

struct EqualizerLiveOptions: ParsableArguments {
  @Option(
    parsing: .next, "The playback device. (default: the system's default, demo with --demo)", value: "name",
    completion: .devices)
  var output: String?

  @OptionGroup var duration: DurationOption

  @Option(
    parsing: .next, "The file for presets saved with the key s: text if its name ends with .txt, JSON otherwise.",
    value: "file")
  var save: String?

  func validate() throws {
    if output == "" { throw ValidationError("--output: expected the name of a device, got ''") }
  }
}

extension EqualizerCommand {
  /// Seconds of sound from one line to the next.
  private static let lineInterval = 0.25

  /// Equalizes captured sound and plays it, with sliders on a terminal, otherwise with a line every quarter of a second of sound,
  /// and one at the end.
  func runLive() async throws {
    let save = try presetWriter()
    let captured = try device.configuration(
      of: device.choice.name ?? AudioDevice.defaultName, seconds: playback.duration.seconds)
    var played = captured
    played.device = playback.output ?? (device.choice.demo ? AudioDevice.demo.name : AudioDevice.defaultName)
    played.frameLimit = nil
    let controls = try EqualizerControls(
      settings.request(), isStereo: captured.format.channels == 2, isBypassed: settings.bypass)
    let prepared = try controls.request.prepared(sampleRate: captured.format.sampleRate, note: log.note)
    let equalizer = try Equalizer(format: captured.format, settings: prepared, isBypassed: settings.bypass)
    let output = try AudioOutput(played)
    let input = try await OpenedInput.device(captured)
    let view = self.output.screen.map {
      EqualizerView(equalizer: equalizer, controls: controls, screen: $0, save: save)
    }
    let table = EqualizerState.table(
      channels: captured.format.channels, format: self.output.effectiveFormat, profile: self.output.profile)
    if view == nil { try LineWriter.standardOutput.write(table.header) }
    let levels = equalizer.levels()
    let underruns = Shared(0)
    // The newest state, if its line is unwritten.
    let unwritten = Shared(EqualizerState?.none)
    let ending = try await RunEnding.of(view: view, isForced: view == nil) { _ in
      // Both devices are closed whatever ended the run.
      await input.close()
      await output.shutDown()
    } tasks: { tasks in
      tasks.addTask {
        var next = 0.0
        for await level in levels {
          let state = EqualizerState(
            seconds: Double(input.counts.frames) / input.format.sampleRate, before: level.before.map(\.power),
            after: level.after.map(\.power), preamp: await equalizer.settings.preamp,
            droppedFrames: input.counts.droppedFrames, overruns: input.counts.overruns,
            underruns: underruns.value)
          if let view { await view.show(state) }
          let isDue = view == nil && state.seconds >= next
          unwritten.value = isDue ? nil : state
          guard isDue else { continue }
          next = state.seconds + Self.lineInterval
          try LineWriter.standardOutput.write(table.line(state))
        }
        return nil
      }
      tasks.addTask {
        _ = try await output.play(
          input, changing: { try equalizer.process($0) },
          onProgress: { underruns.value = $0.underruns })
        return .streamEnded
      }
    }
    if view == nil, ending == .streamEnded, let last = unwritten.value {
      try LineWriter.standardOutput.write(table.line(last))
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  /// A function that writes the current settings as a preset and returns a message.
  private func presetWriter() throws -> @Sendable (EqualizerSettings) throws -> String {
    guard let path = playback.save else { return { _ in "saving requires --save <file>" } }
    try OutputPath.check(path, option: "--save")
    guard file.written.overwrite || !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        .usage, "--save: expected a new file, got an existing one, \(path)",
        advice: "choose another name, or use --overwrite")
    }
    let name = name ?? EqualizerPreset.name(ofFile: path) ?? EqualizerPreset.defaultName
    return { settings in
      let content = try EqualizerPreset(name: name, settings: settings).file(.init(ofFile: path))
      do {
        // The file is replaced atomically, so that it is complete at any time.
        try content.write(to: URL(fileURLWithPath: path), options: .atomic)
      } catch {
        throw CommandFailure(.unavailable, "cannot write \(path): \(SystemError.reason(behind: error))")
      }
      return "saved \(path)"
    }
  }
}

/// The live view of an equalizer: handles keys, sets the equalizer, and draws changes.
actor EqualizerView: LiveView {
  var screen: LiveScreen
  private let equalizer: Equalizer
  private let save: @Sendable (EqualizerSettings) throws -> String
  private var controls: EqualizerControls
  private var status = EqualizerPanel.Status()

  /// - Parameter save: writes a preset and returns a message.
  init(
    equalizer: Equalizer, controls: EqualizerControls, screen: LiveScreen,
    save: @escaping @Sendable (EqualizerSettings) throws -> String
  ) {
    (self.equalizer, self.controls, self.screen, self.save) = (equalizer, controls, screen, save)
  }

  func show(_ state: EqualizerState) {
    status.state = state
    screen.needsDrawing = true
  }

  func press(_ key: Key) async -> Bool {
    let action = controls.press(key)
    screen.needsDrawing = true
    status.message = nil
    if key == .help { screen.showsHelp.toggle() }
    do {
      switch action {
      case .none: break
      case .quit: return true
      case .bypass: try await equalizer.setBypassed(controls.isBypassed)
      case .apply:
        let (request, rate) = (controls.request, equalizer.format.sampleRate)
        var note: String?
        try await equalizer.set(request.prepared(sampleRate: rate) { note = $0 })
        status.message = request.isSolved ? note : nil
      case .save: status.message = try save(await equalizer.settings)
      }
    } catch {
      // The key failed; the sound goes on.
      status.message = CommandFailure(error)?.message ?? error.localizedDescription
    }
    return false
  }

  func draw() throws {
    (status.hasKeys, status.showsHelp) = (screen.hasKeys, screen.showsHelp)
    try screen.draw { EqualizerPanel(profile: $0).lines(controls, status) }
  }
}
