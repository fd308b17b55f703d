internal import ArgumentParser
import Foundation
import RustleAudio
import RustlePlot

struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the sound devices for capture and playback.",
    usage: "rustle devices [--format <format>] [--json] [--ascii]",
    discussion: """
      The devices are ALSA's: hardware, PulseAudio and PipeWire. --device takes their names. The device demo is built in: it \
      captures a tone whose level rises and falls, and discards what it plays, at its sample rate.

      A listed name is in the system's configuration; its hardware may be absent.

      EXAMPLES:
        rustle devices
        rustle devices --json | grep '"captures":true'
        rustle meter --device default

      NDJSON FIELDS:
      \(DeviceList { [] }.columns(.present(isASCIIAskedFor: false)).fieldList())
      """)

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let list = DeviceList { () throws(AudioError) in try AudioDevice.all() }
    if let note = list.note { log.note(note) }
    try LineWriter.standardOutput.write(list.text(output.effectiveFormat, profile: output.profile))
  }
}

extension DeviceList {
  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    Table(columns(profile), format: format, profile: profile).document(of: devices)
  }

  /// Names are shown whole, to be typed again; descriptions are cut to the terminal's width where it leaves 16 columns.
  fileprivate func columns(_ profile: TerminalProfile) -> [Column<AudioDevice>] {
    let name = devices.reduce(6) { max($0, DisplayWidth.columns(of: $1.name)) } + 2
    let direction = 16
    let room = profile.columns - name - direction
    // ALSA's descriptions have several lines.
    let line = { @Sendable (device: AudioDevice) in
      device.description.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }
    return [
      Column("name", "the argument of --device", \.name).shown("DEVICE", name, isRight: false) { device, _ in
        device.name
      },
      Column("captures", "whether the device captures", \.captures),
      Column("plays", "whether the device plays", \.plays).shown("DIRECTION", direction, isRight: false) { device, _ in
        [device.captures ? "capture" : nil, device.plays ? "play" : nil].compactMap(\.self).joined(separator: ", ")
      },
      Column("description", "ALSA's description", in: [.ndjson], \.description),
      Column("description", in: [.csv], line).shown("DESCRIPTION", isRight: false) { device, glyphs in
        let text = line(device)
        let isCut = room >= 16 && DisplayWidth.columns(of: text) > room
        return isCut ? DisplayWidth.fit(text, to: room, ellipsis: glyphs.ellipsis) : text
      },
    ]
  }
}
