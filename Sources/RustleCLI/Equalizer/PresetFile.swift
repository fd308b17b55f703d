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
  static func read(_ path: String) throws -> EqualizerPreset {
    let data = try contents(of: path)
    do {
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
    } catch let error as AudioError {
      throw CommandFailure(.badData, "\(path): \(error.message)", advice: error.advice)
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
    let name = String(stem.filter { !$0.isNewline }.prefix(EqualizerPreset.longestName))
    let preset = EqualizerPreset(name: name, settings: .flat)
    return (try? preset.check()) == nil ? defaultName : name
  }

  private static func contents(of path: String) throws -> Data {
    let kind = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    guard let kind else {
      throw CommandFailure(.noInput, "\(path): no such file", advice: "check the path of --preset")
    }
    if kind[.type] as? FileAttributeType == .typeDirectory {
      throw CommandFailure(.noInput, "\(path): expected a file, got a folder", advice: "name a file inside it")
    }
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      // One byte more than is taken, so that a longer file is told from one that just fits.
      return try handle.read(upToCount: EqualizerPreset.longestJSON + 1) ?? Data()
    } catch {
      throw CommandFailure(
        .noInput, "\(path): cannot be read: \(error.localizedDescription)", advice: "check that this user may read it")
    }
  }
}

extension UInt8 {
  /// Space, tab, line feed or carriage return: the white space of JSON (RFC 8259, section 2).
  fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0A).contains(self) || self == 0x0D }
}
