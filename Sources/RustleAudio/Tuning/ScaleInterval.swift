internal import Foundation

/// The interval of a scale's step above its first: a ratio of whole numbers, or cents.
///
/// Ratios are not reduced, so that a scale is written as it was read.
public enum ScaleInterval: Sendable, Hashable {
  /// A ratio of frequencies, `numerator` to `denominator`; both are above 0.
  case ratio(UInt64, UInt64)
  /// Cents; finite, and below 0 for a step lower than the first.
  case cents(Double)

  /// The octave, 2/1.
  public static let octave = Self.ratio(2, 1)

  /// The size in cents: 1200 times the binary logarithm of a ratio.
  public var cents: Double {
    switch self {
    // Each number's own logarithm would lose the digits in which two large numbers differ; the quotient keeps them.
    case .ratio(let numerator, let denominator): Tuning.cents(Double(numerator) / Double(denominator))
    case .cents(let cents): cents
    }
  }

  /// Whether it can stand in a scale.
  var isUsable: Bool {
    switch self {
    case .ratio(let numerator, let denominator): numerator > 0 && denominator > 0
    case .cents(let cents): abs(cents) <= Temperament.maximumInterval
    }
  }

  /// Parses an interval in a Scala file's notation: cents with a point, otherwise a ratio or a whole number. Text after white
  /// space is a remark.
  /// - Returns: nil for another text, and for an interval beyond a scale's range.
  init?(scala text: String) {
    let word = text.prefix { !$0.isWhitespace && $0 != "!" }
    guard word.unicodeScalars.allSatisfy(\.isASCII) else { return nil }
    let interval: Self?
    if word.contains(".") {
      let digits = word.drop { $0 == "-" || $0 == "+" }
      guard word.count - digits.count <= 1, digits.count > 1, digits.allSatisfy({ $0.isNumber || $0 == "." }) else {
        return nil
      }
      interval = Double(word).map(Self.cents)
    } else {
      let whole = text.drop(while: \.isWhitespace)
      interval = Self.ratio(scala: whole)
    }
    guard let interval, interval.isUsable, interval.cents.isFinite else { return nil }
    self = interval
  }

  /// White space may stand on both sides of the slash.
  private static func ratio(scala text: Substring) -> Self? {
    var rest = text
    func number() -> Substring? {
      rest = rest.drop(while: \.isWhitespace)
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest[digits.endIndex...]
      return digits.isEmpty || digits.count > 300 ? nil : digits
    }
    guard let numerator = number() else { return nil }
    var denominator: Substring = "1"
    if rest.drop(while: \.isWhitespace).first == "/" {
      rest = rest.drop(while: \.isWhitespace).dropFirst()
      guard let second = number() else { return nil }
      denominator = second
    }
    guard rest.first.map({ $0.isWhitespace || $0 == "!" }) ?? true else { return nil }
    if let numerator = UInt64(numerator), let denominator = UInt64(denominator) {
      return .ratio(numerator, denominator)
    }
    // Beyond 64 bits, as in long chains of fifths: cents are exact enough for hearing.
    guard let numerator = Double(numerator), let denominator = Double(denominator), numerator > 0, denominator > 0
    else {
      return nil
    }
    return .cents(Tuning.cents(numerator / denominator))
  }
}

extension ScaleInterval: CustomStringConvertible {
  /// The notation of a Scala file: `3/2`, or cents with a point. It reads back as the same interval, cents to 30 decimals.
  public var description: String {
    switch self {
    case .ratio(let numerator, let denominator): "\(numerator)/\(denominator)"
    case .cents(let cents): Self.decimal(cents)
    }
  }

  /// The shortest decimal that reads back the same, always with a point and without an exponent, which the format lacks.
  private static func decimal(_ value: Double) -> String {
    let text = value.description
    guard text.contains("e") else { return text }
    // Only numbers below 1e-4 are written with an exponent here: those beyond 1e16 are not intervals.
    return String(format: "%.30f", value)
  }
}

extension ScaleInterval: Codable {
  /// Decodes a text in the form of ``description``.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let interval = Self(scala: text) else {
      throw AudioError.validation(
        "interval", expected: "a ratio such as 3/2 or cents with a point such as 701.955", got: text.excerpt)
    }
    self = interval
  }

  /// Writes ``description``.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(description)
  }
}
