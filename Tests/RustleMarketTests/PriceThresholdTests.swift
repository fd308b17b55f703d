import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct PriceThresholdTests {
  @Test func alertsAreRead() throws {
    func threshold(
      _ symbol: String, _ side: PriceThreshold.Direction, _ level: String, _ hysteresis: String = "0"
    ) throws -> PriceThreshold {
      PriceThreshold(
        symbol: symbol, side, try #require(ExactDecimal(level)), hysteresis: try #require(ExactDecimal(hysteresis)))
    }
    #expect(PriceThreshold("BTC>70000") == (try threshold("BTC", .above, "70000")))
    #expect(PriceThreshold("BTC/EUR<=-0.5~0.25") == (try threshold("BTC/EUR", .below, "-0.5", "0.25")))
    for text in ["", "BTC", ">1", "BTC>", "BTC>x", "BTC>1~", "BTC>1~-1", "BTC=1", "BTC>1e5"] {
      #expect(PriceThreshold(text) == nil, "\(text)")
    }
  }

  @Test(arguments: ["BTC>=70000.0", "BTC/EUR<=-0.5~0.25", "A>B<=1"]) func theTextIsReadBack(text: String) throws {
    #expect(try #require(PriceThreshold(text)).description == text)
  }
}
