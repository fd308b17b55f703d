public import Foundation

/// One string, or one course of strings, of an instrument.
public struct InstrumentString: Sendable, Hashable {
  /// The range of offsets, in cents.
  public static let offsetRange = -100.0...100.0

  /// The sounding note of the open string.
  public let note: Note
  /// The offset of the target from the note in cents, within ``offsetRange``: for sweetened tunings.
  public let offset: Double

  /// Creates a string.
  ///
  /// - Parameters:
  ///   - note: the sounding note.
  ///   - offset: in cents, within ``offsetRange``; others become the nearest within, and NaN 0.
  public init(_ note: Note, offset: Double = 0) {
    self.note = note
    self.offset = offset.isNaN ? 0 : min(max(offset, Self.offsetRange.lowerBound), Self.offsetRange.upperBound)
  }
}

/// An instrument to tune: its strings, or every note.
///
/// ```swift
/// let guitar = Instrument(.guitar)
/// let dropC = try Instrument(name: "Drop C", notes: "C2 G2 C3 F3 A3 D4")
/// dropC.nearestString(to: 97, tuning: .standard)  // 1, the string of G2
/// ```
public struct Instrument: Sendable, Hashable {
  /// The most strings.
  public static let maximumStringCount = 128
  /// The most characters of a name.
  public static let maximumNameLength = 100

  /// The name.
  public let name: String
  /// The strings as charts list them, for most instruments from the lowest up (players of a guitar count the other way). Empty:
  /// every note is a target.
  public let strings: [InstrumentString]

  /// Creates an instrument.
  ///
  /// - Parameters:
  ///   - name: 1 to ``maximumNameLength`` characters, no control character or line break among them.
  ///   - strings: at most ``maximumStringCount``; empty for an instrument of every note.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(name: String, strings: [InstrumentString]) throws(AudioError) {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    guard (1...Self.maximumNameLength).contains(name.count), isPlain else {
      throw .validation(
        "name", expected: "one line of 1 to \(Self.maximumNameLength) characters", got: name.excerpt,
        advice: "Choose another name.")
    }
    guard strings.count <= Self.maximumStringCount else {
      throw .validation("strings", expected: "at most \(Self.maximumStringCount)", got: "\(strings.count)")
    }
    self.init(checked: name, strings)
  }

  /// Creates an instrument from a text of notes.
  ///
  /// - Parameters:
  ///   - name: as in ``init(name:strings:)``.
  ///   - notes: as ``Note/init(parsing:)`` reads them, separated by white space or commas, at least one.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(name: String, notes: String) throws(AudioError) {
    var strings: [InstrumentString] = []
    for word in notes.split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
      strings.append(InstrumentString(try Note(parsing: String(word))))
    }
    guard !strings.isEmpty else {
      throw .validation("notes", expected: "at least one note, such as E2 A2 D3", got: "none")
    }
    try self.init(name: name, strings: strings)
  }

  init(checked name: String, _ strings: [InstrumentString]) {
    self.name = name
    self.strings = strings
  }

  /// The instrument of which every note is a target.
  public static let chromatic = Self(checked: "Chromatic", [])

  /// Whether every note is a target.
  public var isChromatic: Bool { strings.isEmpty }

  /// Returns the string nearest in cents to a frequency.
  ///
  /// - Parameters:
  ///   - frequency: as measured, in Hz.
  ///   - tuning: the frequencies of the strings' notes.
  ///   - chosen: the previous string; nil for none.
  ///   - margin: the cents by which another string must be nearer than `chosen` to replace it, 0 or more.
  /// - Returns: its index in ``strings``; of equally near strings the chosen one, or else the first; nil without strings and for
  ///   a frequency out of ``Tuning/frequencyRange``.
  public func nearestString(
    to frequency: Double, tuning: Tuning, keeping chosen: Int? = nil, margin: Double = 0
  ) -> Int? {
    guard let actual = tuning.corrected(frequency) else { return nil }
    let pitch = Tuning.cents(actual / tuning.reference)
    let distances = strings.map { abs(tuning.pitch(of: $0) - pitch) }
    guard let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }) else { return nil }
    guard let chosen, distances.indices.contains(chosen) else { return nearest }
    return distances[chosen] - distances[nearest] > margin ? nearest : chosen
  }
}

extension InstrumentString: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case note
    case offset = "offset_cents"
  }

  /// Reads a note, `"E2"`, or a note with an offset, `{"note": "E2", "offset_cents": -3}`.
  public init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      self.init(try Note(parsing: text))
      return
    }
    try decoder.refuseKeys(otherThan: Key.allCases.map(\.rawValue), of: "string")
    let values = try decoder.container(keyedBy: Key.self)
    let offset = try values.decodeIfPresent(Double.self, forKey: .offset) ?? 0
    guard Self.offsetRange.contains(offset) else {
      throw AudioError.validation("offset_cents", expected: Tuning.text(Self.offsetRange, "cents"), got: offset.plain)
    }
    self.init(try values.decode(Note.self, forKey: .note), offset: offset)
  }

  /// Writes the shorter of what ``init(from:)`` reads.
  public func encode(to encoder: any Encoder) throws {
    guard offset != 0 else {
      var value = encoder.singleValueContainer()
      return try value.encode(note)
    }
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(note, forKey: .note)
    try values.encode(offset, forKey: .offset)
  }
}

extension Instrument: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case name, strings
  }

  /// Reads `{"name": "Drop D", "strings": ["D2", "A2", "D3", "G3", "B3", "E4"]}`.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(otherThan: Key.allCases.map(\.rawValue), of: "instrument")
    let values = try decoder.container(keyedBy: Key.self)
    try self.init(
      name: values.decode(String.self, forKey: .name),
      strings: values.decode([InstrumentString].self, forKey: .strings))
  }

  /// Writes what ``init(from:)`` reads.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .name)
    try values.encode(strings, forKey: .strings)
  }
}

extension Instrument {
  /// Reads an instrument as ``init(from:)`` does: `{"name": "Drop D", "strings": ["D2", "A2", "D3", "G3", "B3", "E4"]}`.
  ///
  /// - Parameter json: UTF-8, at most 1 MiB.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the place, as ``Tuning/init(json:)``.
  public init(json: Data) throws(AudioError) { self = try json.decoded(as: "instrument") }
}
