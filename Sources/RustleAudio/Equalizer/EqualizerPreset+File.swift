public import Foundation

extension EqualizerPreset {
  /// Reads the content of a preset's file, as JSON or as ``EqualizerText``, which is detected.
  ///
  /// ```swift
  /// let path = "Late night.txt"
  /// let preset = try EqualizerPreset(
  ///   file: Data(contentsOf: URL(filePath: path)), name: EqualizerPreset.name(ofFile: path) ?? "Equalizer")
  /// ```
  ///
  /// - Parameters:
  ///   - content: UTF-8, of which a byte order mark may come first.
  ///   - name: the name of a text's preset; JSON has its own.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``, as ``init(json:)`` and ``EqualizerText/parse(_:)``, and for
  ///   another character set.
  public init(file content: Data, name: String) throws(AudioError) {
    let start = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content
    // Space, tab, line feed and carriage return: the white space of JSON (RFC 8259, section 2).
    if start.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") {
      try self.init(json: Data(start))
    } else if let text = String(data: Data(start), encoding: .utf8) {
      self.init(name: name, settings: try EqualizerText.parse(text))
    } else {
      throw AudioError(
        .validation, "expected a preset as JSON or as text in UTF-8, got other bytes", advice: "save it in UTF-8")
    }
  }

  /// The format of a preset's file.
  public enum FileFormat: String, Sendable, Hashable, CaseIterable {
    /// The complete format, with the name: ``EqualizerPreset/json()``.
    case json
    /// The format of AutoEQ, EqualizerAPO, PipeWire and Room EQ Wizard: ``EqualizerText``.
    case text

    /// The format by a file's extension: text for `.txt`, else JSON.
    public init(ofFile path: String) {
      self = URL(fileURLWithPath: path).pathExtension.lowercased() == "txt" ? .text : .json
    }
  }

  /// Returns the content of a file.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for a preset that is out of range; text has no name, which is
  ///   not checked.
  public func file(_ format: FileFormat) throws(AudioError) -> Data {
    if format == .json { return try json() + Data("\n".utf8) }
    try settings.check(sampleRate: nil)
    return Data(EqualizerText.format(settings).utf8)
  }

  /// Returns a file's name without its extension, cut to the length of a preset's name; nil if it is no name of a preset.
  public static func name(ofFile path: String) -> String? {
    let stem = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    let name = String(stem.filter { !$0.isNewline }.prefix(maximumNameLength))
    return (try? Self(name: name, settings: .flat).check()) == nil ? nil : name
  }
}
