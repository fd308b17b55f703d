/// The interval of candles or statistics as text: `250ms`, `5s`, `1m`, `1h`, `1d`.
///
/// ```swift
/// let candles = try await feed.candles(every: MarketInterval("5m")?.duration ?? .seconds(60))
/// ```
public struct MarketInterval: Sendable, Hashable, LosslessStringConvertible {
  /// The duration.
  public let duration: Duration

  private static let units: [(name: Substring, nanoseconds: Int64)] = [
    ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000),
    ("us", 1_000), ("ns", 1),
  ]

  /// Creates an interval of a duration.
  public init(_ duration: Duration) { self.duration = duration }

  /// Parses a whole number above 0 and `ns`, `us`, `ms`, `s`, `m`, `h` or `d`; nil for any other text, and for more than 292 years.
  public init?(_ description: String) {
    guard let match = description.wholeMatch(of: /(\d+)(ns|us|ms|s|m|h|d)/), let number = Int64(match.1), number > 0,
      let unit = Self.units.first(where: { $0.name == match.2 }),
      let nanoseconds = Int64(exactly: Int128(number) * Int128(unit.nanoseconds))
    else { return nil }
    duration = .nanoseconds(nanoseconds)
  }

  /// The text in the largest unit without a fraction: `1m`, `90s`.
  public var description: String {
    let nanoseconds = duration.wholeNanoseconds
    let unit = Self.units.first { nanoseconds.isMultiple(of: $0.nanoseconds) } ?? ("ns", 1)
    return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
  }
}
