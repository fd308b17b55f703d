/// A note without its octave: a letter and an accidental, for example B flat.
///
/// Names that sound alike in equal temperament, A sharp and B flat, are different names of one ``pitchClass``.
public struct NoteName: Sendable, Hashable {
  /// The seven letters in the order of a scale on C, which begins an octave.
  public enum Letter: String, Sendable, Hashable, CaseIterable {
    case c = "C"
    case d = "D"
    case e = "E"
    case f = "F"
    case g = "G"
    case a = "A"
    case b = "B"

    /// Semitones above C, 0 to 11.
    public var semitones: Int {
      switch self {
      case .c: 0
      case .d: 2
      case .e: 4
      case .f: 5
      case .g: 7
      case .a: 9
      case .b: 11
      }
    }
  }

  /// An alteration of the letter, in semitones.
  public enum Accidental: Int, Sendable, Hashable, CaseIterable {
    case doubleFlat = -2
    case flat = -1
    case natural = 0
    case sharp = 1
    case doubleSharp = 2

    /// In ASCII: `bb`, `b`, nothing, `#`, `##`.
    public var text: String {
      switch self {
      case .doubleFlat: "bb"
      case .flat: "b"
      case .natural: ""
      case .sharp: "#"
      case .doubleSharp: "##"
      }
    }

    /// With the musical signs that most fonts have: `♭♭`, `♭`, nothing, `♯`, `♯♯`.
    public var symbol: String { text.replacing("b", with: "\u{266D}").replacing("#", with: "\u{266F}") }
  }

  /// The naming of the five black keys.
  public enum Spelling: String, Sendable, Hashable, Codable, CaseIterable {
    /// C sharp, D sharp, F sharp, G sharp, A sharp.
    case sharps
    /// D flat, E flat, G flat, A flat, B flat.
    case flats
  }

  /// The letter.
  public let letter: Letter
  /// The accidental.
  public let accidental: Accidental

  /// Creates a name of a letter and an accidental.
  public init(_ letter: Letter, _ accidental: Accidental = .natural) {
    self.letter = letter
    self.accidental = accidental
  }

  /// Creates the name of a pitch class.
  ///
  /// - Parameters:
  ///   - pitchClass: semitones above C; numbers outside of 0 to 11 are taken modulo 12.
  ///   - spelling: of the black keys.
  public init(pitchClass: Int, spelling: Spelling = .sharps) {
    let rest = ((pitchClass % 12) + 12) % 12
    if let letter = Letter.allCases.first(where: { $0.semitones == rest }) {
      self.init(letter)
    } else if spelling == .sharps {
      self.init(Letter.allCases.last { $0.semitones < rest } ?? .c, .sharp)
    } else {
      self.init(Letter.allCases.first { $0.semitones > rest } ?? .b, .flat)
    }
  }

  /// Reads a name: a letter A to G of either case, then nothing, `#`, `♯`, `b`, `♭`, one of them twice, or `x`, a double sharp.
  ///
  /// B is the note a semitone below C, as in English; the German H is read as B, and never written.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(parsing text: String) throws(AudioError) {
    let scalars = Array(text.unicodeScalars)
    guard let (name, rest) = Self.prefix(of: scalars[...]), rest.isEmpty else {
      throw .validation(
        "note name", expected: "a letter A to G and perhaps # or b, such as C or Eb", got: text.excerpt,
        advice: "Pass the note as C, F# or Bb.")
    }
    self = name
  }

  /// Semitones above C, 0 to 11: 10 for A sharp and for B flat.
  public var pitchClass: Int { (letter.semitones + accidental.rawValue + 12) % 12 }

  /// With musical signs, for example `B♭`.
  public var symbol: String { letter.rawValue + accidental.symbol }

  /// The name at the beginning of a text, and the rest; nil without a name.
  static func prefix(of text: ArraySlice<Unicode.Scalar>) -> (NoteName, ArraySlice<Unicode.Scalar>)? {
    guard let first = text.first else { return nil }
    let upper = String(first).uppercased()
    guard first.isASCII, let letter = Letter(rawValue: upper == "H" ? "B" : upper) else { return nil }
    var rest = text.dropFirst()
    func sign(_ scalar: Unicode.Scalar?) -> Int {
      switch scalar {
      case "#", "\u{266F}": 1
      case "b", "\u{266D}": -1
      default: 0
      }
    }
    if rest.first == "x" || rest.first == "\u{1D12A}" { return (Self(letter, .doubleSharp), rest.dropFirst()) }
    if rest.first == "\u{1D12B}" { return (Self(letter, .doubleFlat), rest.dropFirst()) }
    var accidental = sign(rest.first)
    if accidental != 0 {
      rest = rest.dropFirst()
      if sign(rest.first) == accidental {
        accidental *= 2
        rest = rest.dropFirst()
      }
    }
    return Accidental(rawValue: accidental).map { (Self(letter, $0), rest) }
  }
}

extension NoteName: CustomStringConvertible {
  /// In ASCII, for example `Bb`; ``init(parsing:)`` reads it.
  public var description: String { letter.rawValue + accidental.text }
}

extension NoteName: Codable {
  /// Reads the text of ``description``.
  public init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Writes ``description``.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(description)
  }
}

extension String {
  /// The beginning of a text for an error: in quotation marks, with control characters escaped.
  var excerpt: String { isEmpty ? "nothing" : String(prefix(40)).debugDescription }
}
