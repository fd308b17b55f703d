public import Foundation

/// Settings of an equalizer under a name.
///
/// ```swift
/// let preset = EqualizerPreset(name: "Late night", settings: settings)
/// let again = try EqualizerPreset(json: preset.json())  // equal, bit by bit
/// ```
///
/// A preset is checked when it is written or read.
public struct EqualizerPreset: Sendable, Hashable {
  /// The version of the JSON form that is written, and the only one that is read.
  public static let version = 1
  /// The most characters of a name.
  public static let maximumNameLength = 100

  /// The name: 1 to ``maximumNameLength`` characters, none of them a control character or a line break.
  public var name: String
  /// The settings.
  public var settings: EqualizerSettings

  /// Creates a preset without checking it: ``check(sampleRate:)``, writing and reading throw for what is out of range.
  ///
  /// - Parameters:
  ///   - name: 1 to ``maximumNameLength`` characters, none of them a control character or a line break.
  ///   - settings: the settings.
  public init(name: String, settings: EqualizerSettings) {
    self.name = name
    self.settings = settings
  }

  /// Refuses a name or settings that are out of range.
  ///
  /// - Parameter sampleRate: in Hz; nil where it is not known yet.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the first one.
  public func check(sampleRate: Double? = nil) throws(AudioError) {
    // A character may be made of many scalars; the second bound keeps a name from being a document.
    guard (1...Self.maximumNameLength).contains(name.count), name.unicodeScalars.count <= 8 * Self.maximumNameLength
    else {
      throw .validation(
        "name", expected: "1 to \(Self.maximumNameLength) characters", got: "\(name.count)",
        advice: "Choose another name.")
    }
    for scalar in name.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        let code = String(scalar.value, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: max(0, 4 - code.count)) + code
        throw .validation("name", expected: "no control character", got: "U+\(padded)", advice: "Choose another name.")
      default: continue
      }
    }
    try settings.check(sampleRate: sampleRate)
  }
}

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
        .validation, "expected a preset as JSON or as text in UTF-8, got other bytes", advice: "Save it in UTF-8.")
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

  /// Returns the preset as the bytes of a file.
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
