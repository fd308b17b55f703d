import RustleMarket
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct MarketTimeTests {
  @Test(arguments: [
    ("0", 0), ("1700000000123", 1_700_000_000_123_000_000), ("-1", -1_000_000), ("1970-01-01", 0),
    ("2023-11-14T22:13:20Z", 1_700_000_000_000_000_000), ("2023-11-14 22:13:20", 1_700_000_000_000_000_000),
    ("2023-11-14T23:13:20.5+01:00", 1_700_000_000_500_000_000),
    ("2023-11-14T20:43:20.000000001-01:30", 1_700_000_000_000_000_001), ("1969-12-31T23:59:59Z", -1_000_000_000),
    ("2024-02-29t00:00z", 1_709_164_800_000_000_000),
  ])
  func timesAreRead(text: String, nanoseconds: Int64) {
    #expect(MarketTime.timestamp(text) == Timestamp(nanosecondsSince1970: nanoseconds))
  }

  @Test(arguments: [
    "", "now", "2023-02-30", "2023-13-01", "2023-11-14T24:00Z", "2023-11-14T22:60Z", "2023-11-14T22:13:20.1234567890Z",
    "2023-11-14T22Z", "2023-11-14Z", "2023-11-14T22:13+24:00", "0001-01-01", "2300-01-01", "9223372036854775807",
  ])
  func otherTextIsNoTime(text: String) { #expect(MarketTime.timestamp(text) == nil) }

  @Test func timesAreWrittenInUTC() {
    func time(_ nanoseconds: Int64) -> Timestamp { Timestamp(nanosecondsSince1970: nanoseconds) }
    #expect(MarketTime.dateAndTime(time(1_700_000_000_999_999_999)) == "2023-11-14T22:13:20Z")
    #expect(MarketTime.dateAndTime(time(-1)) == "1969-12-31T23:59:59Z")
    #expect(MarketTime.dateAndTime(time(-1), unit: 1) == "1969-12-31T23:59:59.999999999Z")
    #expect(MarketTime.dateAndTime(time(1_700_000_000_250_000_000), unit: 250_000_000) == "2023-11-14T22:13:20.250Z")
    #expect(MarketTime.dateAndTime(time(1_700_000_000_000_007_000), unit: 7_000) == "2023-11-14T22:13:20.000007Z")
    #expect(MarketTime.timeOfDay(time(-1)) == "23:59:59.999Z")
    #expect(MarketTime.timeOfDay(time(61_001_000_000), hasMilliseconds: false) == "00:01:01")
  }

  @Test(arguments: [
    (0, "0 ms"), (-12_000_000, "-12 ms"), (999_400_000, "999 ms"), (999_600_000, "1.0 s"), (99_900_000_000, "99.9 s"),
    (120_000_000_000, "2 min"), (7_200_000_000_000, "2 h"), (864_000_000_000_000, "10 d"),
  ])
  func agesAreShort(nanoseconds: Int64, text: String) { #expect(MarketTime.age(.nanoseconds(nanoseconds)) == text) }
}
