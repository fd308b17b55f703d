import Foundation
import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct TimestampTests {
  private static func at(_ nanoseconds: Int64) -> Timestamp { Timestamp(nanosecondsSince1970: nanoseconds) }

  /// Times with their nanoseconds, from Python's datetime and its calendar.
  static let known: [(String, Int64)] = [
    ("1677-09-21T00:12:43.145224192Z", .min), ("1699-12-31T23:59:59Z", -8_520_336_001_000_000_000),
    ("1700-02-28T23:59:59.999Z", -8_515_238_400_001_000_000), ("1700-03-01T00:00:00Z", -8_515_238_400_000_000_000),
    ("1969-12-31T23:59:59.999999999Z", -1), ("1970-01-01T00:00:00Z", 0),
    ("1970-01-01T00:00:00.001500Z", 1_500_000), ("2000-02-29T00:00:00Z", 951_782_400_000_000_000),
    ("2023-12-31T23:59:59Z", 1_704_067_199_000_000_000), ("2024-02-29T23:59:59.999999Z", 1_709_251_199_999_999_000),
    ("2024-03-01T00:00:00Z", 1_709_251_200_000_000_000), ("2100-02-28T12:00:00Z", 4_107_499_200_000_000_000),
    ("2100-03-01T00:00:00Z", 4_107_542_400_000_000_000), ("2262-04-11T23:47:16.854775807Z", .max),
  ]

  @Test func theTimeOfDayIsRoundedDown() {
    #expect(Self.at(-1).timeOfDay(fractionDigits: 3) == "23:59:59.999")
    #expect(Self.at(61_001_000_000).timeOfDay() == "00:01:01")
    #expect(Self.at(61_001_000_000).timeOfDay(fractionDigits: 9) == "00:01:01.001000000")
    #expect([0, 7_000, 1_000_000, 3_000_000_000, 1].map(Timestamp.fractionDigits) == [0, 6, 3, 0, 9])
  }

  @Test(arguments: known) func textAndNanosecondsAreOneTime(text: String, nanoseconds: Int64) throws {
    let timestamp = Self.at(nanoseconds)
    #expect(timestamp.description == text)
    #expect(Timestamp(rfc3339: text) == timestamp)
    #expect(Timestamp(text) == timestamp)
    let json = try JSONEncoder().encode([timestamp])
    #expect(String(decoding: json, as: UTF8.self) == "[\"\(text)\"]")
    #expect(try JSONDecoder().decode([Timestamp].self, from: json) == [timestamp])
  }

  @Test(arguments: [
    ("0", 0), ("1700000000123", 1_700_000_000_123_000_000), ("-1", -1_000_000), ("1970-01-01", 0),
    ("2023-11-14T22:13:20Z", 1_700_000_000_000_000_000), ("2023-11-14 22:13:20", 1_700_000_000_000_000_000),
    ("2023-11-14T23:13:20.5+01:00", 1_700_000_000_500_000_000),
    ("2023-11-14T20:43:20.000000001-01:30", 1_700_000_000_000_000_001), ("1969-12-31T23:59:59Z", -1_000_000_000),
    ("2024-02-29t00:00z", 1_709_164_800_000_000_000),
  ])
  func timesAreReadAsPeopleWriteThem(text: String, nanoseconds: Int64) {
    #expect(Timestamp(written: text) == Timestamp(nanosecondsSince1970: nanoseconds))
  }

  @Test(arguments: [
    "", "now", "2023-02-30", "2023-13-01", "2023-11-14T24:00Z", "2023-11-14T22:60Z", "2023-11-14T22:13:20.1234567890Z",
    "2023-11-14T22Z", "2023-11-14Z", "2023-11-14T22:13+24:00", "0001-01-01", "2300-01-01", "9223372036854775807",
  ])
  func otherTextIsNoTimeThatPeopleWrite(text: String) { #expect(Timestamp(written: text) == nil) }

  /// Foundation's calendar has the Gregorian calendar of its own from 1582 on.
  @Test func everyDayIsThatOfFoundation() throws {
    let style = Date.ISO8601FormatStyle()
    for day in stride(from: -106_751, through: 106_751, by: 10 / Repetitions.of(10)) {
      let seconds = Int64(day) * 86_400 + Int64(day.magnitude % 86_400)
      let timestamp = Self.at(seconds * 1_000_000_000)
      let text = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
      guard timestamp.description == text, Timestamp(rfc3339: text) == timestamp else {
        Issue.record("\(timestamp) is \(text)")
        return
      }
    }
  }

  @Test(arguments: [
    ("2023-11-14T23:13:20.5+01:00", 1_700_000_000_500_000_000), ("2023-11-14 22:13:20z", 1_700_000_000_000_000_000),
    ("2023-11-14t20:43:20.000000001-01:30", 1_700_000_000_000_000_001),
    ("2023-11-15T22:12:20+23:59", 1_700_000_000_000_000_000), ("2023-11-14T22:13:20-00:00", 1_700_000_000_000_000_000),
    ("1677-09-20T00:13:43.145224192-23:59", Int64.min), ("2262-04-12T01:47:16.854775807+02:00", .max),
  ]) func offsetsAndOtherFormsAreRead(text: String, nanoseconds: Int64) {
    #expect(Timestamp(rfc3339: text) == Self.at(nanoseconds))
  }

  @Test(arguments: [
    "", "now", "1700000000", "2023-11-14", "2023-11-14T22:13:20", "2023-11-14T22:13Z", "2023-11-14T22:13:20,5Z",
    "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20.1234567890Z", "2023-11-14T22:13:20Z ", " 2023-11-14T22:13:20Z",
    "2023-11-14T22:13:20Zulu", "2023-11-14T22:13:20+0100", "2023-11-14T22:13:20+01", "2023-11-14T22:13:20+24:00",
    "2023-11-14T22:13:20+01:60", "2023-11-14T22:13:20 +01:00", "23-11-14T22:13:20Z", "+2023-11-14T22:13:20Z",
    "2023-00-14T22:13:20Z", "2023-13-14T22:13:20Z", "2023-11-00T22:13:20Z", "2023-11-31T22:13:20Z",
    "2023-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-02-30T00:00:00Z",
    "2023-11-14T24:00:00Z", "2023-11-14T22:60:00Z", "2016-12-31T23:59:60Z", "2023-1१-14T22:13:20Z",
    "1677-09-21T00:12:43.145224191Z", "2262-04-11T23:47:16.854775808Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
    "2262-04-11T23:47:16.854775807-00:01",
  ]) func otherTextsAreRejected(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Timestamp].self, from: Data("[\"\(text)\"]".utf8))
    }
  }

  @Test func anErrorOfDecodingHasTheTextAndTheRange() {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Timestamp].self, from: Data("[\"noon\"]".utf8))
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(
      context.debugDescription
        == "expected a timestamp of RFC 3339 from \(Timestamp.min) to \(Timestamp.max), got noon")
  }

  @Test func aFractionIsRoundedDown() {
    let last = Self.at(-1)
    #expect(last.rfc3339(fractionDigits: 0) == "1969-12-31T23:59:59Z")
    #expect(last.rfc3339(fractionDigits: 3) == "1969-12-31T23:59:59.999Z")
    #expect(last.rfc3339(fractionDigits: 10) == "1969-12-31T23:59:59.999999999Z")
    #expect(Self.at(5).rfc3339(fractionDigits: -1) == "1970-01-01T00:00:00Z")
    #expect(Self.at(1_000_000).rfc3339(fractionDigits: 1) == "1970-01-01T00:00:00.0Z")
  }

  @Test func timestampsAreOrderedAndMovedByDurations() {
    #expect(Timestamp.min < .unixEpoch && Timestamp.unixEpoch < .max)
    #expect(Timestamp.unixEpoch + .seconds(2) - .milliseconds(1) == Self.at(1_999_000_000))
    #expect(Self.at(5) - Self.at(1_000_000_007) == .nanoseconds(-1_000_000_002))
    #expect(Timestamp.max - .min == .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
    #expect(Timestamp.min + (Timestamp.max - .min) == .max)
    // Fractions of a nanosecond are left out, in both directions.
    let fraction = Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999)
    #expect(Timestamp.unixEpoch + fraction == Self.at(1) && Timestamp.unixEpoch - fraction == Self.at(-1))
  }

  @Test func theRangeIsNotLeft() {
    #expect(Timestamp.max + .nanoseconds(1) == .max && Timestamp.min - .nanoseconds(1) == .min)
    #expect(Timestamp.unixEpoch + .seconds(Int64.max) == .max && Timestamp.unixEpoch - .seconds(Int64.max) == .min)
  }

  @Test func datesAreRoundedToTheNearest() throws {
    #expect(Date(Timestamp.unixEpoch) == Date(timeIntervalSince1970: 0))
    #expect(Date(Self.at(-1_500_000_000)) == Date(timeIntervalSince1970: -1.5))
    #expect(Timestamp(Date(timeIntervalSinceReferenceDate: 0.25)) == Timestamp(rfc3339: "2001-01-01T00:00:00.250Z"))
    for (_, nanoseconds) in Self.known.dropFirst().dropLast() {
      // Half of the distance of two dates, at most 500 years from 2001.
      let timestamp = try #require(Timestamp(Date(Self.at(nanoseconds))))
      #expect((nanoseconds - timestamp.nanosecondsSince1970).magnitude <= 954)
      #expect(Date(timestamp) == Date(Self.at(nanoseconds)))
    }
  }

  @Test(arguments: [-9_223_372_037, 9_223_372_037, -1e300, .nan, .infinity])
  func datesOutOfRangeAreRejected(seconds: Double) { #expect(Timestamp(Date(timeIntervalSince1970: seconds)) == nil) }

  @Test func nowIsThatOfTheSystem() {
    let before = Date.now.timeIntervalSinceReferenceDate
    let now = Date(Timestamp.now).timeIntervalSinceReferenceDate
    #expect(before - 1e-6 <= now && now <= Date.now.timeIntervalSinceReferenceDate + 1e-6)
  }

  @Test(arguments: [
    ("250ms", 250_000_000, "250ms"), ("60s", 60_000_000_000, "1m"), ("90s", 90_000_000_000, "90s"),
    ("1d", 86_400_000_000_000, "1d"), ("48h", 172_800_000_000_000, "2d"), ("1ns", 1, "1ns"), ("7us", 7_000, "7us"),
  ])
  func intervalsAreReadAndWritten(text: String, nanoseconds: Int, short: String) {
    #expect(MarketInterval(text)?.duration == .nanoseconds(nanoseconds))
    #expect(MarketInterval(.nanoseconds(nanoseconds)).description == short)
  }

  @Test(arguments: ["", "0s", "1", "m", "-1s", "1.5s", "1w", "999999999999d", "1 m"])
  func otherTextIsNoInterval(text: String) { #expect(MarketInterval(text) == nil) }
}
