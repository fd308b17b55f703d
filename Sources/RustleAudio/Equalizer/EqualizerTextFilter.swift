internal import Foundation

/// The values after `Filter n: ON` in an equalizer's text.
struct EqualizerTextFilter {
  private let kind: EqualizerBand.Kind
  /// Whether a frequency beside a slope or a Q is the corner.
  private let hasCorner: Bool
  private let number: Int
  private var frequency: Double?
  private var gain: Double?
  private var q: Double?
  private var octaves: Double?
  /// In dB an octave.
  private var slope: Double?

  /// Reads to the end of the line.
  ///
  /// - Parameters:
  ///   - code: the word for the kind, in capitals.
  ///   - number: the line's number.
  ///   - values: the rest of the line.
  init(code: String, number: Int, reading values: inout EqualizerTextScanner) throws(AudioError) {
    self.number = number
    hasCorner = code == "LS" || code == "HS"
    kind = try Self.kind(code, number: number)
    let isShelf = kind == .lowShelf || kind == .highShelf
    if isShelf, let slope = values.number() {
      self.slope = try Self.checked("slope", slope, unit: "dB", number: number, reading: &values)
    }
    while !values.isAtEnd() {
      switch values.word() {
      case "FC" where frequency == nil:
        frequency = try Self.quantity("Fc", unit: "Hz", number: number, reading: &values)
      case "GAIN" where gain == nil:
        gain = try Self.quantity("Gain", unit: "dB", number: number, reading: &values)
      case "Q" where q == nil && octaves == nil && slope == nil:
        q = try Self.quantity("Q", unit: nil, number: number, reading: &values)
      case "BW" where !isShelf && q == nil && octaves == nil:
        guard values.word() == "OCT" else { throw .line(number, "BW", expected: "Oct and a width", got: values.rest()) }
        octaves = try Self.quantity("BW Oct", unit: nil, number: number, reading: &values)
      case "T" where code == "MODAL":
        try Self.skipDecay(number: number, reading: &values)
      case let word:
        let expected = "Fc, Gain and \(isShelf ? "Q" : "Q or BW Oct"), each once"
        throw .line(number, "Filter", expected: expected, got: word?.debugDescription ?? values.rest())
      }
    }
  }

  /// The band.
  func band() throws(AudioError) -> EqualizerBand {
    guard let frequency else { throw .line(number, "Filter", expected: "Fc and a frequency in Hz", got: "none") }
    if let octaves, !EqualizerSettings.bandwidthRange.contains(octaves) {
      let range = EqualizerSettings.bandwidthRange
      throw .line(
        number, "BW Oct", expected: "\(range.lowerBound.plain) to \(range.upperBound.plain)", got: octaves.plain)
    }
    let width = octaves.map(EqualizerBand.q(forBandwidth:)) ?? q
    switch kind {
    case .lowPass, .highPass:
      // EqualizerAPO's default, that of a Butterworth filter.
      return EqualizerBand(kind, frequency: frequency, gain: gain ?? 0, q: width ?? 0.5.squareRoot())
    case .peaking:
      guard let gain else { throw .line(number, "Filter", expected: "Gain and a number of dB", got: "none") }
      guard let width else { throw .line(number, "Filter", expected: "Q or BW Oct and a number", got: "none") }
      return EqualizerBand(kind, frequency: frequency, gain: gain, q: width)
    case .lowShelf, .highShelf:
      guard let gain else { throw .line(number, "Filter", expected: "Gain and a number of dB", got: "none") }
      return try shelf(frequency: frequency, gain: gain)
    }
  }

  /// A shelf by its quality or by its slope S, where 1 is the steepest that does not overshoot: 1/Q^2 = (A + 1/A) (1/S - 1) + 2
  /// with A the square root of the gain (R. Bristow-Johnson, "Cookbook formulae for audio equalizer biquad filter
  /// coefficients"). The steepest slope of EqualizerAPO is 12 dB an octave, and its default S is 0.9.
  private func shelf(frequency: Double, gain: Double) throws(AudioError) -> EqualizerBand {
    if let slope, !(slope > 0 && slope <= 12) {
      throw .line(number, "slope", expected: "above 0 and at most 12 dB", got: slope.plain)
    }
    let a = pow(10, gain / 40)
    let sum = a + 1 / a
    let quality = q ?? 1 / (sum * (1 / (slope.map { $0 / 12 } ?? 0.9) - 1) + 2).squareRoot()
    guard hasCorner, q != nil || slope != nil else {
      return EqualizerBand(kind, frequency: frequency, gain: gain, q: quality)
    }
    // From the corner, where the slope begins, to its middle: half of the gain at S times 40 dB a decade. This is EqualizerAPO's
    // rule for LS and HS (and why AutoEQ writes LSC and HSC, jaakkopasanen/AutoEq#586).
    let inverse = (1 / (quality * quality) - 2) / sum + 1
    let factor = pow(10, abs(gain) / 80 * inverse)
    let middle = kind == .lowShelf ? frequency * factor : frequency / factor
    return EqualizerBand(kind, frequency: middle, gain: gain, q: quality)
  }

  /// A number with its unit.
  ///
  /// - Parameters:
  ///   - name: its name in errors.
  ///   - unit: the word after it; nil for none.
  ///   - number: that of the line.
  ///   - values: where it stands.
  static func quantity(
    _ name: String, unit: String?, number: Int, reading values: inout EqualizerTextScanner
  ) throws(AudioError) -> Double {
    guard let found = values.number(isFrequency: unit == "Hz") else {
      throw .line(number, name, expected: "a number", got: values.rest())
    }
    return try checked(name, found, unit: unit, number: number, reading: &values)
  }

  private static func checked(
    _ name: String, _ found: EqualizerTextScanner.Number, unit: String?, number: Int,
    reading values: inout EqualizerTextScanner
  ) throws(AudioError) -> Double {
    guard let value = found.value, value.isFinite else {
      throw .line(number, name, expected: "a number", got: String(found.text.prefix(40)).debugDescription)
    }
    if let unit {
      let before = values.rest()
      guard values.word() == unit.uppercased() else { throw .line(number, name, expected: unit, got: before) }
    }
    return value
  }

  /// The decay that a modal filter is meant to give, `T60 target 300 ms`: a remark on the filter's purpose.
  private static func skipDecay(number: Int, reading values: inout EqualizerTextScanner) throws(AudioError) {
    let before = values.rest()
    guard values.number()?.value == 60, values.word() == "TARGET" else {
      throw .line(number, "T60", expected: "T60 target and a time in ms", got: "T" + before)
    }
    _ = try quantity("T60 target", unit: "ms", number: number, reading: &values)
  }

  /// The text's name of a band's field.
  static func word(for field: String) -> String {
    switch field {
    case "frequency": "Fc"
    case "gain": "Gain"
    default: "Q"
    }
  }

  private static func kind(_ code: String, number: Int) throws(AudioError) -> EqualizerBand.Kind {
    switch code {
    case "PK", "PEQ", "MODAL": return .peaking
    case "LS", "LSC", "LSQ": return .lowShelf
    case "HS", "HSC", "HSQ": return .highShelf
    case "LP", "LPQ": return .lowPass
    case "HP", "HPQ": return .highPass
    default: break
    }
    // The kinds of EqualizerAPO that no band here can stand in for.
    let others = [
      "BP": "a band-pass", "NO": "a notch", "AP": "an all-pass", "IIR": "coefficients",
    ]
    let got = code.prefix(40) + (others[code].map { " (\($0))" } ?? "")
    throw .line(number, "Filter", expected: "PK, LSC, HSC, LP, HP or one of their kin", got: String(got))
  }
}
