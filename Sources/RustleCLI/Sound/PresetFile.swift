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

  /// Reads a preset; a text has the name of the file.
  static func read(_ path: String, option: String) throws -> EqualizerPreset {
    let content = try TextFile.bytes(of: path, option: option)
    return try CommandFailure.naming(path) { try EqualizerPreset(file: content, name: name(of: path)) }
  }

  /// The text of a preset.
  ///
  /// - Throws: `AudioError` for a preset that is out of range.
  static func text(_ preset: EqualizerPreset, as form: Form) throws -> String {
    if form == .json { return String(decoding: try preset.json(), as: UTF8.self) + "\n" }
    try preset.settings.check(sampleRate: nil)
    return EqualizerText.format(preset.settings)
  }

  /// The format of a file's extension.
  static func form(of path: String) -> Form {
    URL(fileURLWithPath: path).pathExtension.lowercased() == "txt" ? .text : .json
  }

  /// The file's name without its extension, or the default.
  static func name(of path: String) -> String { EqualizerPreset.name(ofFile: path) ?? defaultName }
}
