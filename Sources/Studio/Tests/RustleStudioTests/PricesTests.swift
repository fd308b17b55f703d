import Rustle
import StudioCore
import Testing

@testable import RustleStudio

struct PricesTests {
  private static func trade(_ price: Int) -> StreamElement<Trade> {
    .value(Trade(symbol: "A", price: ExactDecimal(units: Int64(price), scale: 0) ?? .zero, time: .now))
  }

  /// The updates of each row.
  private static func received(_ value: SampleFrame) -> [JSON] {
    value.json["prices"].array?.map { $0["received"] } ?? []
  }

  /// What the engine had dropped was in no count.
  @Test func pricesThatTheEngineDropsAreToldWithTheNextValue() async {
    let table = PriceTable(hub: Hub(), Prices.Settings())
    let (trades, continuation) = AsyncStream<StreamElement<Trade>>.makeStream()
    for element in [Self.trade(1), .gap(3), Self.trade(2), .gap(4)] { continuation.yield(element) }
    continuation.finish()
    await table.read(trades)
    let value = await SampleFrame(.prices, sequence: 0, time: 0, payload: table.payload())
    #expect(value.json["missed"] == .integer(7) && Self.received(value) == [.integer(2)])
  }

  /// A page was sent 30 of 100 values a second, which reported the others as lost, whose prices the rows count.
  @Test func pricesComeNoMoreOftenThanAPageIsWrittenTo() async {
    let hub = Hub()
    let client = hub.join(canAct: true)
    client.withOutbox { $0.subscribe([.prices]) }
    let table = PriceTable(hub: hub, Prices.Settings())
    let (trades, continuation) = AsyncStream<StreamElement<Trade>>.makeStream()
    let start = ContinuousClock.now
    for price in 1...500 { continuation.yield(Self.trade(price)) }
    continuation.finish()
    await table.read(trades)
    let most = 2 + Int((ContinuousClock.now - start) / .milliseconds(40))
    #expect((1...most).contains(Int(hub.counts.frames)))
    #expect(client.take().values.map { Self.received($0.frame) } == [[.integer(500)]])
  }
}
