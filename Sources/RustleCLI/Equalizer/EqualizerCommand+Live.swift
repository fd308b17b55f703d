internal import ArgumentParser
import Foundation
import RustleAudio

extension EqualizerCommand {
  /// Equalizes what a device captures, and plays it.
  func runLive() async throws {
    let writePreset = try presetWriter()
    let input = AudioDevice.defaultName
    let captured = try device.configuration(of: device.name ?? input, seconds: playback.duration)
    var played = captured
    played.device = playback.output ?? (device.demo ? AudioDevice.demo.name : AudioDevice.defaultName)
    played.frameLimit = nil
    let isStereo = captured.format.channels == 2
    let desk = try EqualizerDesk(recipe: settings.recipe(), isStereo: isStereo, isBypassed: settings.bypass)
    let prepared = try desk.recipe.prepared(sampleRate: captured.format.sampleRate)
    for text in prepared.notes { note(text) }
    let equalizer = try Equalizer(format: captured.format, settings: prepared.settings)
    if settings.bypass {
      try await equalizer.setBypassed(true)
      try equalizer.reset()
    }
    let output = try AudioOutput(played)
    let run = LiveEqualizerRun(input: try await .device(captured), output: output, equalizer: equalizer)
    let profile = profile()
    let ending: RunEnding
    if self.output.effectiveFormat == .auto && profile.isLive {
      let screen = LiveScreen.standardOutput(isASCIIAskedFor: self.output.ascii)
      ending = try await run.panel(
        LiveEqualizer(equalizer: equalizer, desk: desk, screen: screen, save: writePreset))
    } else {
      ending = try await run.lines(
        EqualizerStateLines(format: self.output.effectiveFormat, profile: profile, channels: captured.format.channels),
        to: .standardOutput)
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  /// What writes the preset that is heard, and says so.
  ///
  /// - Throws: `CommandFailure` for a file that cannot be written, or is there and may not be replaced.
  private func presetWriter() throws -> @Sendable (EqualizerSettings) throws -> String {
    guard let path = playback.save else {
      return { _ in "there is no place to save to: start with --save <file>" }
    }
    try OutputPath.check(path, option: "--save", isNot: "")
    guard file.overwrite || !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        .usage, "--save: expected a name that is free, got that of a file, \(path)",
        advice: "choose another name, or give --overwrite")
    }
    let name = name ?? PresetFile.name(of: path)
    return { settings in
      let preset = EqualizerPreset(name: name, settings: settings)
      let text = try PresetFile.text(preset, as: PresetFile.form(of: path))
      do {
        // A new file takes the place of the old one, so that there is always a whole one.
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      } catch {
        throw CommandFailure(.unavailable, "cannot write \(path): \(error.localizedDescription)")
      }
      return "saved \(path)"
    }
  }
}
