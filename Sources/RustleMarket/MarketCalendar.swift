internal import Foundation

/// The days, weeks and trading sessions of a market, in the time zone of its exchange.
///
/// ```swift
/// let calendar = try MarketCalendar(zone: "America/New_York", session: MarketSession("mon-fri/09:30-16:00"))
/// ```
public struct MarketCalendar: Sendable, Hashable {
  /// A duration of candles.
  public enum Period: Sendable, Hashable {
    /// Equal intervals: without a session since the day's begin, with one since its opening.
    case interval(Duration)
    /// A local day, or its session.
    case day
    /// A local week, from Monday, or its sessions: one that is open over midnight is part of the week in which it closes.
    case week
  }

  /// The name of the time zone in the IANA database.
  public let zone: String
  /// The hours of trading; nil: all.
  public let session: MarketSession?
  private let timeZone: TimeZone

  /// Creates a calendar.
  ///
  /// - Throws: ``FeedError/Code/valueOutOfRange``: the system knows no such zone.
  public init(zone: String = "UTC", session: MarketSession? = nil) throws(FeedError) {
    guard let timeZone = TimeZone(identifier: zone) else {
      throw FeedError(
        code: .valueOutOfRange, message: "zone: expected a name such as Europe/Berlin, got '\(zone.prefix(40))'")
    }
    (self.zone, self.session, self.timeZone) = (zone, session, timeZone)
  }

  /// The bounds of the period with this time; nil outside of the sessions.
  public func bounds(of time: Timestamp, _ period: Period) -> Range<Timestamp>? {
    let seconds = time.nanosecondsSince1970.flooredQuotient(1_000_000_000)
    let day = (seconds + offset(at: seconds)).flooredQuotient(Self.dayLength)
    // A clock set back over midnight repeats the end of a day whose successor has begun.
    guard let open = [day, day - 1, day + 1].lazy.compactMap({ session(of: $0, at: seconds) }).first else { return nil }
    switch period {
    case .day: return bounds(open.bounds)
    case .week:
      // The days from which on sessions of this week and of the next one open.
      let shift: Int64 = session?.isOvernight ?? false ? -1 : 0
      let monday = open.day - shift - Self.weekday(open.day - shift)
      let (first, next) = (firstSession(from: monday + shift), firstSession(from: monday + 7 + shift))
      return bounds(first.lowerBound..<min(next.lowerBound, instant(monday + 7, 0)))
    case .interval(let duration):
      let (begin, length) = (Timestamp(seconds: open.bounds.lowerBound), max(1, duration.wholeNanoseconds))
      let count = (time - begin).wholeNanoseconds / length
      let start = begin + .nanoseconds(count * length)
      return start..<min(start + .nanoseconds(length), Timestamp(seconds: open.bounds.upperBound))
    }
  }

  /// The interval of the candles of which those of a period are made: a divisor of every opening time and change of the clock.
  public static let step = Duration.seconds(60)

  private static let dayLength: Int64 = 86_400

  private func bounds(_ seconds: Range<Int64>) -> Range<Timestamp> {
    Timestamp(seconds: seconds.lowerBound)..<Timestamp(seconds: seconds.upperBound)
  }

  /// The bounds of the first session that opens on this day or later.
  private func firstSession(from day: Int64) -> Range<Int64> {
    let first = (day..<day + 7).first {
      session?.days.contains(MarketSession.Day.allCases[Int(Self.weekday($0))]) ?? true
    }
    return bounds(of: first ?? day)
  }

  /// The bounds of a day or of its session in seconds, if it has one and it contains the time.
  private func session(of day: Int64, at seconds: Int64) -> (day: Int64, bounds: Range<Int64>)? {
    if let session, !session.days.contains(MarketSession.Day.allCases[Int(Self.weekday(day))]) { return nil }
    let bounds = bounds(of: day)
    return bounds.contains(seconds) ? (day, bounds) : nil
  }

  private func bounds(of day: Int64) -> Range<Int64> {
    guard let session else { return instant(day, 0)..<instant(day + 1, 0) }
    let begin = instant(day, session.opens)
    // A session that closes at or before its opening ends on the next day.
    return begin..<max(begin, instant(session.closes <= session.opens ? day + 1 : day, session.closes))
  }

  /// 0 for a Monday; 1970-01-01 was a Thursday.
  private static func weekday(_ day: Int64) -> Int64 { (day + 3) - (day + 3).flooredQuotient(7) * 7 }

  /// The offset from UTC in seconds.
  private func offset(at seconds: Int64) -> Int64 {
    Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
  }

  /// The instant of a local time, in seconds since 1970: the first where the clock shows it twice, that of the change where it is
  /// skipped.
  private func instant(_ day: Int64, _ minute: Int) -> Int64 {
    let local = day * Self.dayLength + Int64(minute) * 60
    // No zone changes twice within two days, except in years of war.
    let offsets = (before: offset(at: local - Self.dayLength), after: offset(at: local + Self.dayLength))
    for offset in [offsets.before, offsets.after] where self.offset(at: local - offset) == offset {
      return local - offset
    }
    let before = Date(timeIntervalSince1970: Double(local - Self.dayLength))
    let change = timeZone.nextDaylightSavingTimeTransition(after: before)
    return change.map { Int64($0.timeIntervalSince1970) } ?? local - offsets.before
  }
}

/// The hours of trading on some days of the week: `mon-fri/09:30-16:00`.
public struct MarketSession: Sendable, Hashable, LosslessStringConvertible {
  /// A day of the week.
  public enum Day: String, Sendable, Hashable, CaseIterable {
    /// The days from Monday on.
    case mon, tue, wed, thu, fri, sat, sun
  }

  /// The days on which it opens.
  public let days: Set<Day>
  /// The local time of the opening, in minutes after midnight.
  public let opens: Int
  /// The local time of the close, in minutes after midnight; at or before the opening: on the next day.
  public let closes: Int

  /// Whether it is open over midnight.
  var isOvernight: Bool { closes > 0 && closes <= opens }

  /// Parses days, separated by commas or in a range, and local times: `mon-fri/09:30-16:00`, `sun,mon/18:00-17:00`. Without days
  /// it is every day.
  public init?(_ description: String) {
    guard let match = description.wholeMatch(of: /(?:([a-z,-]+)\/)?(\d\d):(\d\d)-(\d\d):(\d\d)/),
      let times = Self.minutes(match.2, match.3).flatMap({ opens in Self.minutes(match.4, match.5).map { (opens, $0) } }
      ),
      times.0 < 1_440
    else { return nil }
    var days = Set<Day>()
    for part in match.1?.split(separator: ",", omittingEmptySubsequences: false) ?? ["mon-sun"] {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Day(rawValue: String($0)) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
        let from = Day.allCases.firstIndex(of: first), let to = Day.allCases.firstIndex(of: last)
      else { return nil }
      let week = Day.allCases + Day.allCases
      days.formUnion(week[from...(to < from ? to + 7 : to)])
    }
    (self.days, opens, closes) = (days, times.0, times.1)
  }

  /// The text that ``init(_:)`` parses.
  public var description: String {
    func text(_ minutes: Int) -> String {
      "\(minutes < 600 ? "0" : "")\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }
    let names = Day.allCases.filter(days.contains).map(\.rawValue).joined(separator: ",")
    return "\(names)/\(text(opens))-\(text(closes))"
  }

  /// Minutes after midnight, up to 24:00.
  private static func minutes(_ hours: Substring, _ minutes: Substring) -> Int? {
    guard let hours = Int(hours), let minutes = Int(minutes), minutes < 60, hours * 60 + minutes <= 1_440 else {
      return nil
    }
    return hours * 60 + minutes
  }
}

extension Timestamp {
  fileprivate init(seconds: Int64) { self.init(clamping: Int128(seconds) * 1_000_000_000) }
}

extension Int64 {
  fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 { self / divisor - (self % divisor < 0 ? 1 : 0) }
}
