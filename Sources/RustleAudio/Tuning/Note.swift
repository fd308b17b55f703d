/// A note of the keyboard, by its MIDI number: A4 is 69, a semitone is 1, and C4, the middle C, is 60.
///
/// ```swift
/// let note = try Note(parsing: "Bb3")  // 58
/// note.text(spelling: .sharps)         // "A#3"
/// ```
///
/// A note is a key; a ``Tuning`` maps it to a frequency. Octaves are scientific: each begins with C, and C-1 is the MIDI number
/// 0.
public struct Note: Sendable, Hashable {
  /// The range of MIDI numbers, C-11 to D#20: wider than hearing, so that transposition stays within it.
  public static let midiRange = -120...255

  /// The MIDI number, within ``midiRange``. MIDI itself ends at 0 and 127.
  public let midi: Int

  /// Creates the note of a MIDI number; one beyond ``midiRange`` becomes the nearest within.
  public init(midi: Int) { self.midi = min(max(midi, Self.midiRange.lowerBound), Self.midiRange.upperBound) }

  /// Creates the note of a name in an octave. The octave is the letter's: Cb4 is the note of B3, and B#3 that of C4.
  ///
  /// - Parameters:
  ///   - name: letter and accidental.
  ///   - octave: 4 for the octave that begins with the middle C; -10 to 20.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for another octave.
  public init(_ name: NoteName, octave: Int) throws(AudioError) {
    guard (-10...20).contains(octave) else {
      throw .validation("octave", expected: "-10 to 20", got: "\(octave)")
    }
    self.init(midi: 12 * (octave + 1) + name.letter.semitones + name.accidental.rawValue)
  }

  /// Reads a name and an octave, for example `A4`, `Bb3`, `f#2`, `C#-1` or `B♭3`; names are as ``NoteName/init(parsing:)`` reads
  /// them.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``, also for a name without an octave.
  public init(parsing text: String) throws(AudioError) {
    let scalars = Array(text.unicodeScalars)
    guard let (name, rest) = NoteName.prefix(of: scalars[...]), let octave = Self.octave(rest) else {
      throw .validation(
        "note", expected: "a letter A to G, perhaps # or b, and an octave from -10 to 20, such as A4 or Bb3",
        got: text.excerpt, advice: "Pass the note as A4, F#2 or Bb3.")
    }
    try self.init(name, octave: octave)
  }

  /// The concert pitch A, 69.
  public static let a4 = Self(midi: 69)
  /// The middle C, 60.
  public static let c4 = Self(midi: 60)

  /// Semitones above C, 0 to 11.
  public var pitchClass: Int { midi - 12 * (octave + 1) }

  /// The octave in scientific pitch notation: 4 for A4. For a name altered across the C, such as B sharp, the key's octave.
  public var octave: Int { midi.floorQuotient(by: 12) - 1 }

  /// The name, with sharps or flats for the black keys.
  public func name(_ spelling: NoteName.Spelling = .sharps) -> NoteName {
    NoteName(pitchClass: pitchClass, spelling: spelling)
  }

  /// Name and octave in ASCII, for example `Bb3`; ``init(parsing:)`` reads it.
  public func text(spelling: NoteName.Spelling = .sharps) -> String { "\(name(spelling))\(octave)" }

  /// The note `semitones` higher, within ``midiRange``.
  public func transposed(by semitones: Int) -> Self {
    let (sum, isBeyond) = midi.addingReportingOverflow(semitones)
    return Self(midi: isBeyond ? (semitones > 0 ? .max : .min) : sum)
  }

  /// Returns the frequency in Hz in equal temperament: the reference times 2^(n / 12) for n semitones above A4.
  /// - Parameter reference: the frequency of A4, in Hz.
  public func equalFrequency(reference: Double = 440) -> Double {
    reference * Tuning.ratio(cents: 100 * Double(midi - Self.a4.midi))
  }

  /// Returns the note of equal temperament nearest to a frequency, and the cents of the frequency above it, -50 to 50.
  ///
  /// - Parameters:
  ///   - frequency: in Hz.
  ///   - reference: the frequency of A4, in Hz.
  /// - Returns: nil for numbers that are not finite and above 0, and for a frequency beyond all ``midiRange``.
  public static func nearest(to frequency: Double, reference: Double = 440) -> (note: Self, cents: Double)? {
    guard frequency > 0, frequency.isFinite, reference > 0, reference.isFinite else { return nil }
    let cents = Tuning.cents(frequency / reference)
    let semitones = (cents / 100).rounded()
    guard abs(semitones) < 1_000, midiRange.contains(a4.midi + Int(semitones)) else { return nil }
    return (Self(midi: a4.midi + Int(semitones)), cents - 100 * semitones)
  }

  /// A whole number of one or two digits with or without a minus sign.
  private static func octave(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
    let isNegative = text.first == "-" || text.first == "\u{2212}"
    let digits = text.dropFirst(isNegative ? 1 : 0)
    guard (1...2).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return Int(String(String.UnicodeScalarView(digits))).map { isNegative ? -$0 : $0 }
  }
}

extension Note: Comparable {
  /// Lower notes come first.
  public static func < (left: Self, right: Self) -> Bool { left.midi < right.midi }
}

extension Note: CustomStringConvertible {
  /// ``text(spelling:)`` with sharps.
  public var description: String { text() }
}

extension Note: Codable {
  /// Reads a text as ``init(parsing:)`` does.
  public init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Writes ``description``.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(description)
  }
}

extension Int {
  /// The quotient rounded down; `divisor` is above 0.
  func floorQuotient(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
