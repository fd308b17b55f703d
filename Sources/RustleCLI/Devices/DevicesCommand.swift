internal import ArgumentParser
import Foundation
import RustleAudio

struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the sound devices that can be captured from or played to.",
    usage: "rustle devices [--format <format>] [--json] [--ascii]",
    discussion: """
      Devices are ALSA's, which reaches hardware, PulseAudio and PipeWire alike; their names are what --device takes. The \
      device demo is built in and always there: it swells as a source, and takes sound at its rate as a sink.

      That a name is listed means that the system's configuration has it, not that the hardware is there.

      EXAMPLES:
        rustle devices
        rustle devices --json | grep '"captures":true'
        rustle meter --device default

      NDJSON FIELDS:
        v            1, the version of these fields
        name         what --device takes
        captures     whether it can be captured from
        plays        whether it can be played to
        description  in words
      """)

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let list = DeviceList.system()
    if let note = list.note { log.note(note) }
    try LineWriter.standardOutput.write(list.text(output.effectiveFormat, profile: output.profile))
  }
}

/// The devices that there are.
struct DeviceList {
  /// The built-in one first, then those of the system.
  let devices: [AudioDevice]
  /// Why there are none of the system's; nil when there are.
  let note: String?

  /// - Parameter listing: the system's devices.
  init(_ listing: () throws(AudioError) -> [AudioDevice]) {
    do throws(AudioError) {
      let found = try listing()
      devices = [.demo] + found
      note = found.isEmpty ? "this machine has no sound devices; only the built-in one is listed" : nil
    } catch {
      devices = [.demo]
      note = "the devices of this machine cannot be listed: \(error.message). \(error.advice)"
    }
  }

  /// Those of this machine.
  static func system() -> Self { Self { () throws(AudioError) in try AudioDevice.all() } }

  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    let table = Table(columns(profile), format: format, profile: profile)
    return table.header + table.lines(devices)
  }

  /// Names are shown whole, since they are to be typed again; descriptions are cut where there is room for some of them.
  private func columns(_ profile: TerminalProfile) -> [Column<AudioDevice>] {
    let name = devices.reduce(6) { max($0, DisplayWidth.columns(of: $1.name)) } + 2
    let direction = 16
    // Descriptions of ALSA are of several lines.
    let line = { @Sendable (device: AudioDevice) in
      device.description.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }
    let room = profile.columns - name - direction
    return [
      Column("name", \.name).shown("DEVICE", name, isRight: false) { device, _ in device.name },
      Column("captures", \.captures),
      Column("plays", \.plays).shown("DIRECTION", direction, isRight: false) { device, _ in
        [device.captures ? "capture" : nil, device.plays ? "play" : nil].compactMap(\.self).joined(separator: ", ")
      },
      Column("description", in: [.ndjson], \.description),
      Column("description", in: [.csv], line).shown("DESCRIPTION", isRight: false) { device, glyphs in
        let text = line(device)
        let isCut = room >= 16 && DisplayWidth.columns(of: text) > room
        return isCut ? DisplayWidth.fit(text, to: room, ellipsis: glyphs.ellipsis) : text
      },
    ]
  }
}
