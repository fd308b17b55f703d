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
}
