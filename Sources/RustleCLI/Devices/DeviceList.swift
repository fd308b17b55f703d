import RustleAudio

/// The devices that there are, to be written in one of the forms.
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
    switch format {
    case .ndjson: devices.map(Self.ndjson).joined()
    case .csv:
      CSVLine.text(["name", "captures", "plays", "description"])
        + devices.map { device in
          CSVLine.text([
            device.name, device.captures ? "true" : "false", device.plays ? "true" : "false", Self.line(device),
          ])
        }.joined()
    case .auto, .text: table(profile)
    }
  }

  private static func ndjson(_ device: AudioDevice) -> String {
    var line = JSONLine()
    line.add("name", .string(device.name))
    line.add("captures", .bool(device.captures))
    line.add("plays", .bool(device.plays))
    line.add("description", .string(device.description))
    return line.text
  }

  /// Descriptions of ALSA are of several lines.
  private static func line(_ device: AudioDevice) -> String {
    device.description.split(whereSeparator: \.isNewline).joined(separator: "; ")
  }

  /// Name, direction and description in columns; the names whole, since they are to be typed again.
  private func table(_ profile: TerminalProfile) -> String {
    let painter = Painter(isEnabled: profile.usesColor)
    let ellipsis = Glyphs(for: profile).ellipsis
    let name = devices.reduce(6) { max($0, DisplayWidth.columns(of: $1.name)) }
    let direction = 14
    func fit(_ text: String, _ width: Int) -> String { DisplayWidth.fit(text, to: width, ellipsis: ellipsis) }
    var text = painter("\(fit("DEVICE", name))  \(fit("DIRECTION", direction))  DESCRIPTION", .bold) + "\n"
    for device in devices {
      let words = [device.captures ? "capture" : nil, device.plays ? "play" : nil].compactMap(\.self)
      let line = Self.line(device)
      let room = profile.columns - name - direction - 4
      let description = room >= 16 && DisplayWidth.columns(of: line) > room ? fit(line, room) : line
      text += "\(fit(device.name, name))  \(fit(words.joined(separator: ", "), direction))  \(description)\n"
    }
    return text
  }
}
