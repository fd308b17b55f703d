import RustleMarket
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct MarketTimeTests {
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
