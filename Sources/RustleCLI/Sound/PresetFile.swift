import Foundation
import RustleAudio

/// Presets as files.
enum PresetFile {
  /// What a preset is written as.
  enum Form: String, CaseIterable, Sendable {
    /// The form that keeps everything, the name too.
    case json
    /// What AutoEQ, EqualizerAPO, PipeWire and Room EQ Wizard read.
    case text
  }

  /// The name of what has none.
  static let defaultName = "Equalizer"

  /// Reads a preset; its content says which form it has. A text has no name: it gets that of the file.
  ///
  /// - Throws: `CommandFailure` with the file's name.
  static func read(_ path: String, option: String) throws -> EqualizerPreset {
    let data = try TextFile.bytes(of: path, option: option)
    return try CommandFailure.naming(path) {
      // A byte order mark stands before anything else.
      let start = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
      let isObject = start.first { !$0.isBlank } == UInt8(ascii: "{")
      if isObject { return try EqualizerPreset(json: Data(start)) }
      guard let text = String(data: Data(start), encoding: .utf8) else {
        throw CommandFailure(
          .badData, "\(path): expected a preset as JSON or as text in UTF-8, got other bytes",
          advice: "save it anew in UTF-8")
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

  /// The form that the end of a file's name asks for.
  static func form(of path: String) -> Form {
    URL(fileURLWithPath: path).pathExtension.lowercased() == "txt" ? .text : .json
  }

  /// The file's name without its end, as far as a preset's name goes.
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
