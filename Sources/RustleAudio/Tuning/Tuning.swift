public import Foundation

/// The frequencies of notes: a reference pitch, a temperament on a tonic, and corrections for the instrument and the sound card.
///
/// ```swift
/// let tuning = try Tuning(reference: 442)
/// let reading = tuning.reading(of: 443.3)    // A4, 5.08… cents sharp
/// tuning.frequency(of: .c4)                  // 262.81…
/// ```
///
/// The reference is the frequency of A4: exactly, in a temperament whose steps are notes (``Temperament/isChromatic``), whatever
/// the tonic. The tonic of another scale, of 19 steps for example, has its frequency in equal temperament of that reference; with
/// the tonic A the reference is a step of the scale.
public struct Tuning: Sendable, Hashable {
  /// The range of references, in Hz: from below the low pitches of the 18th century to above the high ones of the 17th.
  public static let referenceRange = 300.0...500.0
  /// The range of transpositions, in semitones.
  public static let transpositionRange = -36...36
  /// The range of clock corrections, in parts per million.
  public static let clockCorrectionRange = -500.0...500.0
  /// The range of frequencies that have a reading, in Hz.
  public static let frequencyRange = 1.0...50_000.0

  /// The frequency of A4 of concert pitch, in Hz.
  public let reference: Double
  /// The steps above the tonic.
  public let temperament: Temperament
  /// The note of concert pitch on which the temperament stands.
  public let tonic: NoteName
  /// The semitones of a written note above the sounding one: 2 for a clarinet in B flat, 9 for an alto saxophone in E
  /// flat, 12 for a guitar, -12 for a piccolo.
  public let transposition: Int
  /// Whether notes between the natural ones are named as sharps or as flats.
  public let spelling: NoteName.Spelling
  /// The deviation of each note from the temperament; nil: none.
  public let stretch: StretchCurve?
  /// The parts per million by which the sound card's clock is fast. A fast card takes more samples a second than it reports, and
  /// every tone seems lower: measured frequencies are multiplied by 1 + 1e-6 times this.
  public let clockCorrection: Double

  /// Creates a tuning.
  ///
  /// - Parameters:
  ///   - reference: the frequency of A4 in Hz, within ``referenceRange``.
  ///   - temperament: the steps above the tonic.
  ///   - tonic: the note on which it stands; without effect in equal temperament.
  ///   - transposition: from the sounding to the written note, in semitones within ``transpositionRange``.
  ///   - spelling: the naming of black keys.
  ///   - stretch: the deviation of notes from the temperament; nil: none.
  ///   - clockCorrection: the parts per million by which the sound card's clock is fast, within ``clockCorrectionRange``.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(
    reference: Double = 440, temperament: Temperament = Temperament(.equal), tonic: NoteName = NoteName(.c),
    transposition: Int = 0, spelling: NoteName.Spelling = .sharps, stretch: StretchCurve? = nil,
    clockCorrection: Double = 0
  ) throws(AudioError) {
    guard Self.referenceRange.contains(reference) else {
      throw .validation("reference", expected: Self.text(Self.referenceRange, "Hz"), got: "\(reference.plain)")
    }
    guard Self.transpositionRange.contains(transposition) else {
      throw .validation("transposition", expected: "-36 to 36 semitones", got: "\(transposition)")
    }
    guard Self.clockCorrectionRange.contains(clockCorrection) else {
      throw .validation(
        "clock correction", expected: Self.text(Self.clockCorrectionRange, "ppm"), got: "\(clockCorrection.plain)")
    }
    self.init(
      checked: reference, temperament, tonic, transposition, spelling, stretch, clockCorrection)
  }

  private init(
    checked reference: Double, _ temperament: Temperament, _ tonic: NoteName, _ transposition: Int,
    _ spelling: NoteName.Spelling, _ stretch: StretchCurve?, _ clockCorrection: Double
  ) {
    self.reference = reference
    self.temperament = temperament
    self.tonic = tonic
    self.transposition = transposition
    self.spelling = spelling
    self.stretch = stretch
    self.clockCorrection = clockCorrection
  }

  /// Equal temperament at 440 Hz.
  public static let standard = Self(checked: 440, Temperament(.equal), NoteName(.c), 0, .sharps, nil, 0)

  /// Returns the tuning with another reference.
  ///
  /// - Parameter reference: in Hz, within ``referenceRange``.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public func with(reference: Double) throws(AudioError) -> Self {
    try Self(
      reference: reference, temperament: temperament, tonic: tonic, transposition: transposition, spelling: spelling,
      stretch: stretch, clockCorrection: clockCorrection)
  }

  /// Returns the tuning with a higher or lower reference, in whole tenths of a hertz, so that steps up and down meet, and at most at
  /// an end of ``referenceRange``.
  ///
  /// - Parameter change: in Hz.
  public func movingReference(by change: Double) -> Self {
    let reference = ((reference + change) * 10).rounded() / 10
    let limited = min(max(reference, Self.referenceRange.lowerBound), Self.referenceRange.upperBound)
    return Self(checked: limited, temperament, tonic, transposition, spelling, stretch, clockCorrection)
  }

  /// Returns the tuning with another clock correction.
  ///
  /// - Parameter clockCorrection: in parts per million, within ``clockCorrectionRange``.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public func with(clockCorrection: Double) throws(AudioError) -> Self {
    try Self(
      reference: reference, temperament: temperament, tonic: tonic, transposition: transposition, spelling: spelling,
      stretch: stretch, clockCorrection: clockCorrection)
  }

  /// Returns the tuning with another stretch; nil for none.
  public func with(stretch: StretchCurve?) -> Self {
    Self(checked: reference, temperament, tonic, transposition, spelling, stretch, clockCorrection)
  }

  /// Returns the tuning with another temperament.
  public func with(temperament: Temperament) -> Self {
    Self(checked: reference, temperament, tonic, transposition, spelling, stretch, clockCorrection)
  }

  /// Returns the clock correction at which a tone of a known frequency reads as such, for the initialiser's `clockCorrection`.
  ///
  /// - Parameters:
  ///   - measured: the frequency measured without a correction, in Hz.
  ///   - actual: the tone's frequency in Hz, from a source more exact than the card.
  /// - Returns: in parts per million.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` when the two are further apart than a clock can be off.
  public static func clockCorrection(measured: Double, actual: Double) throws(AudioError) -> Double {
    let correction = 1e6 * (actual / measured - 1)
    guard measured > 0, actual > 0, clockCorrectionRange.contains(correction) else {
      throw .validation(
        "measured", expected: "within 500 ppm of \(actual.plain) Hz", got: "\(measured.plain) Hz",
        advice: "Pass the frequency of one and the same tone.")
    }
    return correction
  }

  /// Returns the reference at another temperature of a wind instrument whose tube keeps its length, such as an organ pipe: its
  /// frequencies are proportional to the speed of sound, which in air is proportional to the root of the absolute temperature.
  ///
  /// - Parameters:
  ///   - reference: in Hz at `from`.
  ///   - from: the temperature at which the reference holds, in degrees Celsius above -273.15.
  ///   - to: the temperature now, in degrees Celsius above -273.15.
  /// - Returns: in Hz; about 3 cents more for each degree more.
  public static func reference(_ reference: Double, from: Double, to: Double) -> Double {
    reference * ((273.15 + to) / (273.15 + from)).squareRoot()
  }

  /// The cents of a ratio of frequencies, which is above 0.
  public static func cents(_ ratio: Double) -> Double { 1_200 * log2(ratio) }

  /// The ratio of frequencies of an interval in cents.
  public static func ratio(cents: Double) -> Double { exp2(cents / 1_200) }

  static func text(_ range: ClosedRange<Double>, _ unit: String) -> String {
    "\(range.lowerBound.plain) to \(range.upperBound.plain) \(unit)"
  }
}

extension Tuning: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case reference = "reference_hz"
    case temperament, tonic, transposition, spelling, stretch
    case clockCorrection = "clock_ppm"
  }

  /// Reads the output of ``encode(to:)``; a missing key has the initialiser's default, and an unknown key is refused.
  /// `temperament` may be the name of a ``Temperament/Preset``.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(otherThan: Key.allCases.map(\.rawValue), of: "tuning")
    let values = try decoder.container(keyedBy: Key.self)
    let temperament: Temperament?
    if let name = try? values.decode(String.self, forKey: .temperament) {
      guard let preset = Temperament.Preset(rawValue: name) else {
        let presets = Temperament.Preset.allCases.map(\.rawValue).joined(separator: ", ")
        throw AudioError.validation(
          "temperament", expected: "one of \(presets), or a name with steps", got: name.excerpt)
      }
      temperament = Temperament(preset)
    } else {
      temperament = try values.decodeIfPresent(Temperament.self, forKey: .temperament)
    }
    try self.init(
      reference: values.decodeIfPresent(Double.self, forKey: .reference) ?? 440,
      temperament: temperament ?? Temperament(.equal),
      tonic: values.decodeIfPresent(NoteName.self, forKey: .tonic) ?? NoteName(.c),
      transposition: values.decodeIfPresent(Int.self, forKey: .transposition) ?? 0,
      spelling: values.decodeIfPresent(NoteName.Spelling.self, forKey: .spelling) ?? .sharps,
      stretch: values.decodeIfPresent(StretchCurve.self, forKey: .stretch),
      clockCorrection: values.decodeIfPresent(Double.self, forKey: .clockCorrection) ?? 0)
  }

  /// Writes everything: `{"reference_hz": 442, "temperament": {…}, "tonic": "C", "transposition": 0, …}`; a temperament of a
  /// preset by the preset's name.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(reference, forKey: .reference)
    if let preset = Temperament.Preset.allCases.first(where: { Temperament($0) == temperament }) {
      try values.encode(preset, forKey: .temperament)
    } else {
      try values.encode(temperament, forKey: .temperament)
    }
    try values.encode(tonic, forKey: .tonic)
    try values.encode(transposition, forKey: .transposition)
    try values.encode(spelling, forKey: .spelling)
    try values.encodeIfPresent(stretch, forKey: .stretch)
    try values.encode(clockCorrection, forKey: .clockCorrection)
  }
}

extension Tuning {
  /// Reads a tuning as ``init(from:)`` does: `{"reference_hz": 442, "temperament": "werckmeisterIII", "tonic": "D"}`.
  ///
  /// - Parameter json: UTF-8, at most 1 MiB.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the place: an unknown key, a value of another type or out
  ///   of range, and text that is not JSON.
  public init(json: Data) throws(AudioError) { self = try json.decoded(as: "tuning") }
}
