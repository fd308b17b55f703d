public import Foundation

extension EqualizerPreset {
  /// The most bytes of a preset's JSON.
  public static let maximumJSONLength = Data.maximumJSONLength

  /// Reads a preset.
  ///
  /// The full form is what ``json()`` writes:
  /// ```json
  /// {"v": 1, "name": "Bass", "preamp_db": -6, "right": [],
  ///  "left": [{"kind": "lowShelf", "frequency_hz": 105, "gain_db": 6, "q": 0.7}]}
  /// ```
  /// The short form has 28 gains in dB, left and then right from low to high, for the bands of
  /// ``EqualizerSettings/centerFrequencies``, and optionally their width, 1 octave by default:
  /// ```json
  /// {"name": "Old", "gains": [0, 0, 3, …], "octaves": 5}
  /// ```
  /// An unknown key is refused: a misspelt one is not ignored.
  ///
  /// - Parameter json: UTF-8, at most ``maximumJSONLength`` bytes.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the place: another version, another number of gains,
  ///   a value that is missing, of another type or out of range, and text that is not JSON.
  public init(json: Data) throws(AudioError) {
    self = try json.decoded(as: "preset")
  }

  /// Returns the full form, in which every number reads back as the same number.
  ///
  /// - Returns: UTF-8 with the keys in alphabetical order, indented, without a line feed at the end.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for a preset that ``check(sampleRate:)`` refuses.
  public func json() throws(AudioError) -> Data {
    try check()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(self)
    } catch {
      throw .validation("preset", expected: "values that JSON can hold", got: "\(error)")
    }
  }
}

extension EqualizerPreset: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case v, name, left, right, preamp = "preamp_db", gains, octaves
  }

  /// Reads the full form or the short one; see ``init(json:)``.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for values, `DecodingError` for types.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(
      otherThan: Key.allCases.map(\.rawValue), of: AudioError.location(decoder.codingPath, in: "preset"))
    let values = try decoder.container(keyedBy: Key.self)
    let isShort = values.contains(.gains)
    if !isShort || values.contains(.v) {
      let version = try values.decode(Int.self, forKey: .v)
      guard version == Self.version else {
        throw AudioError.validation(
          "v", expected: "\(Self.version)", got: "\(version)",
          advice: "The preset is of a newer Rustle; use that one, or save it anew.")
      }
    }
    name = try values.decode(String.self, forKey: .name)
    if isShort {
      for key in [Key.left, .right] where values.contains(key) {
        throw AudioError.validation(
          key.rawValue, expected: "either gains or left and right", got: "both", advice: "Leave one of them out.")
      }
      settings = try .graphic(
        gains: values.decode([Double].self, forKey: .gains),
        octaves: values.decodeIfPresent(Double.self, forKey: .octaves) ?? 1)
      settings.preamp = try values.decodeIfPresent(Double.self, forKey: .preamp) ?? 0
    } else {
      guard !values.contains(.octaves) else {
        throw AudioError.validation(
          "octaves", expected: "a q in each band", got: "octaves", advice: "Octaves belong to gains; leave them out.")
      }
      for side in [Key.left, .right] {
        var bands = try values.nestedUnkeyedContainer(forKey: side)
        while !bands.isAtEnd {
          let band = try bands.superDecoder()
          try band.refuseKeys(
            otherThan: ["kind", "frequency_hz", "gain_db", "q"], of: AudioError.location(band.codingPath, in: "preset"))
        }
      }
      settings = EqualizerSettings(
        left: try values.decode([EqualizerBand].self, forKey: .left),
        right: try values.decode([EqualizerBand].self, forKey: .right),
        preamp: try values.decode(Double.self, forKey: .preamp))
    }
    try check()
  }

  /// Writes the full form.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(Self.version, forKey: .v)
    try values.encode(name, forKey: .name)
    try values.encode(settings.left, forKey: .left)
    try values.encode(settings.right, forKey: .right)
    try values.encode(settings.preamp, forKey: .preamp)
  }
}
