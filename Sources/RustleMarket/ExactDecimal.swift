internal import RustleFiles

/// A decimal number with the digits of its text: an integer of at most 18 digits and the number of digits after the point.
///
/// Text survives a round trip: `65000.10` is read and written as `65000.10`. Equality, order and hash compare values: 1.0
/// equals 1.00.
public struct ExactDecimal: Sendable {
  /// The digits as an integer, below 10^18 in magnitude.
  public let units: Int64
  /// The number of digits after the point: 0 to 18.
  public let scale: Int

  /// 0, without digits after the point.
  public static let zero = Self(checked: 0, 0)

  /// `units` × 10^-`scale`, or nil when `units` has more than 18 digits or `scale` is not 0 to 18.
  public init?(units: Int64, scale: Int) {
    guard units.magnitude < Self.unitsEnd, (0...18).contains(scale) else { return nil }
    self.init(checked: units, scale)
  }

  /// Parses digits with at most one point among them and an optional leading minus; nil for any other text, and for more than
  /// 18 digits, leading zeros not counted, or more than 18 after the point.
  public init?(_ text: some StringProtocol) {
    var units: Int64 = 0
    var scale = 0
    var digits = 0
    var hasPoint = false
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    for byte in text.utf8.dropFirst(isNegative ? 1 : 0) {
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), units < Int64(Self.unitsEnd) / 10, scale < 18 {
        units = units * 10 + Int64(byte - UInt8(ascii: "0"))
        scale += hasPoint ? 1 : 0
        digits += 1
      } else {
        return nil
      }
    }
    guard digits > 0 else { return nil }
    self.init(checked: isNegative ? -units : units, scale)
  }

  init(checked units: Int64, _ scale: Int) {
    self.units = units
    self.scale = scale
  }

  /// The number as a double, correctly rounded.
  public var doubleValue: Double {
    // Two exact doubles have a correctly rounded quotient.
    if units.magnitude <= 1 << 53 { return Double(units) / Double(Self.powers[scale]) }
    return Double(description) ?? .nan
  }

  /// The exact difference of this number and another, with the larger of the two scales; nil when it has more than 18 digits.
  public func subtracting(_ other: Self) -> Self? {
    let scale = max(scale, other.scale)
    func units(_ number: Self) -> Int128 { Int128(number.units) * Int128(Self.powers[scale - number.scale]) }
    return Int64(exactly: units(self) - units(other)).flatMap { Self(units: $0, scale: scale) }
  }

  /// The exact sum of this number and another, with the larger of the two scales; nil when it has more than 18 digits.
  func adding(_ other: Self) -> Self? { subtracting(Self(checked: -other.units, other.scale)) }

  /// The exact middle between this number and another, with the larger of the two scales or one digit more; nil when it has more
  /// than 18 digits.
  func midpoint(to other: Self) -> Self? {
    let scale = max(scale, other.scale)
    func units(_ number: Self) -> Int128 { Int128(number.units) * Int128(Self.powers[scale - number.scale]) }
    let sum = units(self) + units(other)
    let isEven = sum.isMultiple(of: 2)
    return Int64(exactly: isEven ? sum / 2 : sum * 5).flatMap { Self(units: $0, scale: isEven ? scale : scale + 1) }
  }

  /// The change from `first` to this number, divided by the magnitude of `first`, so that a rise is positive for negative numbers
  /// too; not finite when `first` is 0.
  package func relativeChange(since first: ExactDecimal) -> Double {
    (doubleValue - first.doubleValue) / abs(first.doubleValue)
  }

  private static let unitsEnd: UInt64 = 1_000_000_000_000_000_000
  static let powers: [Int64] = (0...18).map { exponent in (0..<exponent).reduce(1) { power, _ in power * 10 } }
}

extension ExactDecimal: Comparable, Hashable {
  /// By value.
  public static func == (left: Self, right: Self) -> Bool {
    left.scale == right.scale ? left.units == right.units : left.scaled(as: right) == right.scaled(as: left)
  }

  /// By value.
  public static func < (left: Self, right: Self) -> Bool {
    left.scale == right.scale ? left.units < right.units : left.scaled(as: right) < right.scaled(as: left)
  }

  /// By value.
  public func hash(into hasher: inout Hasher) {
    var (units, scale) = (units, scale)
    while scale > 0, units.isMultiple(of: 10) {
      units /= 10
      scale -= 1
    }
    hasher.combine(units)
    hasher.combine(scale)
  }

  /// The units, scaled for a comparison with the other's.
  private func scaled(as other: Self) -> Int128 { Int128(units) * Int128(Self.powers[other.scale]) }
}

extension ExactDecimal: CustomStringConvertible, LosslessStringConvertible {
  /// All digits, trailing zeros included; no exponent.
  public var description: String {
    var text = ByteText()
    text.append(self)
    return text.string
  }

  /// All digits, with a separator between thousands: `1,234,567.80`.
  public func grouped(by separator: Character = ",") -> String {
    let text = description
    let whole = text.prefix { $0 != "." }
    var grouped = ""
    for (index, character) in whole.enumerated() {
      // Not after the minus sign.
      if index > 0, (whole.count - index).isMultiple(of: 3), grouped != "-" { grouped.append(separator) }
      grouped.append(character)
    }
    return grouped + text.dropFirst(whole.count)
  }

  /// As ``init(_:)-(StringProtocol)``.
  public init?(_ description: String) { self.init(description[...]) }
}

extension ExactDecimal: ExpressibleByIntegerLiteral {
  /// A whole number, in code: `let level: ExactDecimal = 65_000`. The compiler refuses one that does not fit `Int64`.
  ///
  /// - Precondition: at most 18 digits.
  public init(integerLiteral units: Int64) {
    precondition(units.magnitude < Self.unitsEnd, "expected a number of at most 18 digits, got \(units)")
    self.init(checked: units, 0)
  }
}

extension ExactDecimal: Codable {
  /// Reads the text of a number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription:
          "expected a decimal number of at most 18 digits, at most 18 of them after the point, without plus "
          + "and exponent, got '\(text.prefix(32))'")
    }
    self = value
  }

  /// Writes ``description``: a JSON number would lose digits in a conversion to a double.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
