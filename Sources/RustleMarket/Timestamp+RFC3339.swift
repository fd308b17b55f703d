extension Timestamp: LosslessStringConvertible {
  /// The text of RFC 3339 in UTC with no fraction of the second, or one of 3, 6 or 9 digits: the fewest that hold the exact value.
  public var description: String { rfc3339(fractionDigits: Self.fractionDigits(of: nanosecondsSince1970)) }

  /// The fewest digits after the second's point, 0, 3, 6 or 9, that multiples of `nanoseconds` need.
  package static func fractionDigits(of nanoseconds: Int64) -> Int {
    [(1_000_000_000, 0), (1_000_000, 3), (1_000, 6)].first { nanoseconds.isMultiple(of: $0.0) }?.1 ?? 9
  }

  /// As ``init(rfc3339:)``.
  public init?(_ description: String) { self.init(rfc3339: description) }

  /// The text of RFC 3339 in UTC: `2026-01-30T21:00:00.250Z`, rounded down.
  ///
  /// - Parameter fractionDigits: the digits after the second's point; less than 0 counts as 0, more than 9 as 9.
  public func rfc3339(fractionDigits: Int) -> String {
    let (days, time) = nanosecondsSince1970.flooredQuotientAndRemainder(dividingBy: Self.day)
    let (year, month, day) = Self.date(daysSince1970: days)
    let (seconds, fraction) = time.quotientAndRemainder(dividingBy: Self.second)
    var text: [UInt8] = []
    text.reserveCapacity(30)
    text.append(year, digits: 4, after: nil)
    text.append(month, digits: 2, after: "-")
    text.append(day, digits: 2, after: "-")
    text.append(seconds / 3_600, digits: 2, after: "T")
    text.append(seconds / 60 % 60, digits: 2, after: ":")
    text.append(seconds % 60, digits: 2, after: ":")
    if fractionDigits > 0 {
      text.append(fraction, digits: 9, after: ".")
      text.removeLast(Swift.max(0, 9 - fractionDigits))
    }
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  /// The time of day in UTC: `21:00:00.250`, rounded down.
  ///
  /// - Parameter fractionDigits: as for ``rfc3339(fractionDigits:)``.
  public func timeOfDay(fractionDigits: Int = 0) -> String {
    String(rfc3339(fractionDigits: fractionDigits).dropFirst("2026-01-30T".count).dropLast())
  }

  /// Parses a timestamp of RFC 3339: `2026-01-30T09:30:00.25-05:00`. A space in place of `T`, and lower-case `t` and `z` are
  /// accepted.
  ///
  /// It is nil for any other text: without seconds or offset, with more than nine fractional digits, for dates and times that do not
  /// exist, the second 60 among them, and beyond ``min`` and ``max``.
  public init?(rfc3339 text: some StringProtocol) {
    var fields = FieldReader(rest: Array(text.utf8)[...])
    guard let year = fields.number(digits: 4, in: 0...9_999), fields.take("-") != nil,
      let month = fields.number(digits: 2, in: 1...12), fields.take("-") != nil,
      let day = fields.number(digits: 2, in: 1...Self.days(of: month, in: year)), fields.take("Tt ") != nil,
      let hour = fields.number(digits: 2, in: 0...23), fields.take(":") != nil,
      let minute = fields.number(digits: 2, in: 0...59), fields.take(":") != nil,
      let second = fields.number(digits: 2, in: 0...59), let fraction = fields.fraction(),
      let offset = fields.offset(), fields.rest.isEmpty
    else { return nil }
    let seconds = Self.daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    guard let nanoseconds = Int64(exactly: Int128(seconds) * Int128(Self.second) + Int128(fraction)) else { return nil }
    self.init(nanosecondsSince1970: nanoseconds)
  }
}

extension Timestamp {
  /// Reads a time as people write it.
  ///
  /// ```swift
  /// let begin = Timestamp(written: "2026-01-31")  // midnight in UTC
  /// ```
  ///
  /// - Parameter text: a time of RFC 3339, `2026-01-31T09:30:00.5Z`, also without seconds, or without an offset in UTC; a date for
  ///   its beginning; a whole number of milliseconds since 1970. It is nil for any other text, and beyond ``min`` and ``max``.
  public init?(written text: String) {
    if let milliseconds = Int64(text) {
      guard let nanoseconds = Int64(exactly: Int128(milliseconds) * 1_000_000) else { return nil }
      self.init(nanosecondsSince1970: nanoseconds)
      return
    }
    let pattern = /(\d{4}-\d\d-\d\d)(?:([Tt ]\d\d:\d\d)(:\d\d(?:\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?)?/
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    self.init(rfc3339: "\(match.1)\(match.2 ?? "T00:00")\(match.3 ?? ":00")\(match.4 ?? "Z")")
  }
}

extension Timestamp: Codable {
  /// Reads a text of RFC 3339, as ``init(rfc3339:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let timestamp = Self(rfc3339: text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "expected a timestamp of RFC 3339 from \(Self.min) to \(Self.max), got \(text.prefix(64))")
    }
    self = timestamp
  }

  /// Writes ``description``: a reader that takes JSON numbers for doubles would round nanoseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The Gregorian calendar, by H. Hinnant's "chrono-compatible low-level date algorithms". A year begins in March, so that the leap
/// day is its last; an era has 400 years.
extension Timestamp {
  private static let second: Int64 = 1_000_000_000
  private static let day: Int64 = 86_400 * second
  private static let daysOfAnEra: Int64 = 146_097
  /// From 0000-03-01 to 1970-01-01.
  private static let daysBefore1970: Int64 = 719_468

  /// - Parameter year: 0 or above.
  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let (march, year) = month > 2 ? (month - 3, year) : (month + 9, year - 1)
    let (era, yearOfEra) = year.flooredQuotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * march + 2) / 5 + day - 1
    return era * daysOfAnEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysBefore1970
  }

  private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + daysBefore1970).flooredQuotientAndRemainder(dividingBy: daysOfAnEra)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
  }

  private static func days(of month: Int64, in year: Int64) -> Int64 {
    if month == 2 {
      return year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    }
    return [4, 6, 9, 11].contains(month) ? 30 : 31
  }
}

/// Takes the fields of a timestamp from the beginning of a text.
private struct FieldReader {
  var rest: ArraySlice<UInt8>

  /// Takes a number; nil where another text stands, or a number out of range.
  mutating func number(digits: Int, in range: ClosedRange<Int64>) -> Int64? {
    var number: Int64 = 0
    for _ in 0..<digits {
      guard let digit = take("0123456789") else { return nil }
      number = number * 10 + digit
    }
    return range.contains(number) ? number : nil
  }

  /// Takes one of these characters; nil where another stands.
  ///
  /// - Returns: its index.
  mutating func take(_ characters: String) -> Int64? {
    guard let next = rest.first, let index = Array(characters.utf8).firstIndex(of: next) else { return nil }
    rest.removeFirst()
    return Int64(index)
  }

  /// Takes a fraction of a second in nanoseconds: 0 where none stands; nil for none or more than nine digits after a point.
  mutating func fraction() -> Int64? {
    guard take(".") != nil else { return 0 }
    guard var number = take("0123456789") else { return nil }
    for _ in 1..<9 { number = number * 10 + (take("0123456789") ?? 0) }
    return number
  }

  /// Takes an offset from UTC in seconds, positive in the east.
  mutating func offset() -> Int64? {
    if take("Zz") != nil { return 0 }
    guard let sign = take("+-"), let hours = number(digits: 2, in: 0...23), take(":") != nil,
      let minutes = number(digits: 2, in: 0...59)
    else { return nil }
    return (sign == 0 ? 1 : -1) * (hours * 3_600 + minutes * 60)
  }
}

extension Int64 {
  /// The quotient rounded down and the remainder, 0 or above, for a divisor above 0.
  fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension [UInt8] {
  /// Appends a separator and a number of 0 or above with leading zeros.
  fileprivate mutating func append(_ number: Int64, digits: Int, after separator: Unicode.Scalar?) {
    if let separator { append(UInt8(ascii: separator)) }
    var divisor: Int64 = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }
}
