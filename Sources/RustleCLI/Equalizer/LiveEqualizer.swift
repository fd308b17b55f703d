internal import ArgumentParser
import Foundation
import RustleAccount
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
  ///
  /// - Parameter session: the account whose gains are followed, and changed by keys; nil: none.
  func runLive(following session: AccountSession?) async throws {
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
    let sync = session.map { SettingsSync($0) }
    let (changes, onChange) = AsyncStream.makeStream(of: AccountChange.self)
    let view = self.output.screen.map {
      EqualizerView(
        equalizer: equalizer, controls: controls, screen: $0, save: save, onChange: sync == nil ? nil : onChange)
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
      guard let sync else { return }
      tasks.addTask { [log] in
        // The sound goes on without the account.
        do throws(AccountError) { try await sync.run() } catch { log.note(error.message) }
        return nil
      }
      tasks.addTask { [settings] in
        for await state in sync.values {
          if let view {
            await view.follow(state)
          } else {
            var request = EqualizerRequest(settings: try .graphic(gains: state.gains.graphicGains))
            (request.preamp, request.isSolved) = (settings.preamp ?? request.preamp, settings.solve)
            try await equalizer.set(request.prepared(sampleRate: equalizer.format.sampleRate) { _ in })
          }
        }
        return nil
      }
      tasks.addTask {
        for await change in changes {
          let state =
            switch change {
            case .gains(let gains, let shown): await sync.save(gains, over: shown)
            case .answer(let isOwn): await sync.resolve(keepingOwn: isOwn)
            }
          await view?.changed(state)
        }
        return nil
      }
    }
    if let state = await sync?.state, !state.isSaved { log.note("the account does not have the last gains") }
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
        advice: "Choose another name, or use --overwrite.")
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

/// What keys change in an account.
enum AccountChange: Sendable {
  /// The gains, and those that were shown before.
  case gains(EqualizerGains, over: EqualizerGains)
  /// Whose bands of a conflict count: this device's, or the other one's.
  case answer(isOwn: Bool)
}

/// The live view of an equalizer: handles keys, sets the equalizer, and draws changes.
actor EqualizerView: LiveView {
  var screen: LiveScreen
  private let equalizer: Equalizer
  private let save: @Sendable (EqualizerSettings) throws -> String
  private var controls: EqualizerControls
  private var status = EqualizerPanel.Status()
  private let onChange: AsyncStream<AccountChange>.Continuation?
  /// Changes that the account does not have yet: meanwhile the sliders do not follow it.
  private var pending = 0
  private var hasConflict = false

  /// - Parameters:
  ///   - save: writes a preset and returns a message.
  ///   - onChange: receives what keys change in an account; nil: there is none.
  init(
    equalizer: Equalizer, controls: EqualizerControls, screen: LiveScreen,
    save: @escaping @Sendable (EqualizerSettings) throws -> String, onChange: AsyncStream<AccountChange>.Continuation?
  ) {
    (self.equalizer, self.controls, self.screen, self.save) = (equalizer, controls, screen, save)
    self.onChange = onChange
  }

  /// Shows the account's gains, unless keys have changed them since.
  func follow(_ state: SettingsSync.State) async {
    hasConflict = state.conflict != nil
    if hasConflict { status.message = "another device changed the same bands: y keeps yours, n takes theirs" }
    screen.needsDrawing = true
    guard pending == 0, state.gains != EqualizerGains(controls.request.settings) else { return }
    do {
      try controls.follow(state.gains.graphicGains)
      try await apply()
    } catch { status.message = CommandFailure(error)?.message ?? error.localizedDescription }
  }

  /// The account has a change, or keeps it until it can save it.
  func changed(_ state: SettingsSync.State?) async {
    pending -= 1
    if let state { await follow(state) }
  }

  /// Makes the sound that of the sliders; returns a note about it.
  @discardableResult private func apply() async throws -> String? {
    var note: String?
    try await equalizer.set(controls.request.prepared(sampleRate: equalizer.format.sampleRate) { note = $0 })
    return note
  }

  private func report(_ change: AccountChange) {
    pending += 1
    onChange?.yield(change)
  }

  func show(_ state: EqualizerState) {
    status.state = state
    screen.needsDrawing = true
  }

  func press(_ key: Key) async -> Bool {
    if hasConflict, [.letter("y"), .letter("n")].contains(key) {
      (hasConflict, status.message, screen.needsDrawing) = (false, nil, true)
      report(.answer(isOwn: key == .letter("y")))
      return false
    }
    let shown = EqualizerGains(controls.request.settings)
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
        if onChange != nil, let shown, let gains = EqualizerGains(controls.request.settings) {
          report(.gains(gains, over: shown))
        }
        let note = try await apply()
        status.message = controls.request.isSolved ? note : nil
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
