import Foundation
import RustleAudio

/// Preset files.
enum PresetFile {
  /// The format of a preset file.
  enum Form: String, CaseIterable, Sendable {
    /// The complete format, with the name.
    case json
    /// The format of AutoEQ, EqualizerAPO, PipeWire and Room EQ Wizard.
    case text
  }

  /// The name of an unnamed preset.
  static let defaultName = "Equalizer"

  /// Reads a preset; the format is detected from the content. A text has no name and gets that of the file.
  ///
  /// - Throws: `CommandFailure` with the file's name.
  static func read(_ path: String, option: String) throws -> EqualizerPreset {
    let data = try TextFile.bytes(of: path, option: option)
    return try CommandFailure.naming(path) {
      // A byte order mark may come first.
      let start = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
      let isObject = start.first { !$0.isBlank } == UInt8(ascii: "{")
      if isObject { return try EqualizerPreset(json: Data(start)) }
      guard let text = String(data: Data(start), encoding: .utf8) else {
        throw CommandFailure(
          .badData, "\(path): expected a preset as JSON or as text in UTF-8, got other bytes",
          advice: "save it in UTF-8")
      }
      return EqualizerPreset(name: name(of: path), settings: try EqualizerText.parse(text))
    }
  }

  /// The text of a preset.
  ///
  /// - Throws: `AudioError` for a preset that is out of range.
  static func text(_ preset: EqualizerPreset, as form: Form) throws -> String {
    switch form {
    case .json: return String(decoding: try preset.json(), as: UTF8.self) + "\n"
    case .text:
      try preset.settings.check(sampleRate: nil)
      return EqualizerText.format(preset.settings)
    }
  }

  /// The format of a file's extension.
  static func form(of path: String) -> Form {
    URL(fileURLWithPath: path).pathExtension.lowercased() == "txt" ? .text : .json
  }

  /// The file's name without its extension, cut to the length of a preset's name.
  static func name(of path: String) -> String {
    let stem = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    let name = String(stem.filter { !$0.isNewline }.prefix(EqualizerPreset.maximumNameLength))
    let preset = EqualizerPreset(name: name, settings: .flat)
    return (try? preset.check()) == nil ? defaultName : name
  }
}

extension UInt8 {
  /// Space, tab, line feed or carriage return: the white space of JSON (RFC 8259, section 2).
  fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0A).contains(self) || self == 0x0D }
}
