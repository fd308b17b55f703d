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
