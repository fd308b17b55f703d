internal import Rustle
internal import StudioCore

/// Simulated prices, for as long as they run.
@MainActor
final class Prices {
  private(set) var symbols = ["BTC", "ETH", "SOL"]
  /// Updates a second of each symbol.
  private(set) var rate = 2.0
  private(set) var isRunning = false

  private let hub: Hub
  private var controller: TickerController?
  private var reading: Task<Void, Never>?

  init(hub: Hub) { self.hub = hub }

  /// Streams prices, in place of those before, which go on if these are refused.
  func start(symbols: [String], rate: Double) async throws(TickerError) {
    let controller = try TickerController(configuration: TickerConfiguration(updatesPerSecond: rate))
    let prices = try await controller.prices(for: symbols)
    await stop()
    (self.symbols, self.rate, self.controller, isRunning) = (symbols, rate, controller, true)
    let hub = hub
    reading = Task.detached {
      var table = [Row?](repeating: nil, count: symbols.count)
      for await update in prices {
        guard let place = symbols.firstIndex(of: update.symbol) else { continue }
        table[place] = Row(update, first: table[place]?.first, received: (table[place]?.received ?? 0) + 1)
        hub.publish(.prices, Self.payload(table, symbols))
      }
    }
  }

  /// Ends the stream.
  func stop() async {
    isRunning = false
    await controller?.cancel()
    await reading?.value
    (controller, reading) = (nil, nil)
  }

  private struct Row: Sendable {
    let price: Double
    let first: Double
    let time: Int64
    let received: UInt64

    init(_ update: PriceUpdate, first: Double?, received: UInt64) {
      (price, time, self.received) = (update.price, update.timestampMilliseconds, received)
      self.first = first ?? update.price
    }
  }

  /// The number of rows, then of each symbol with a price: its name, after its length in one byte, its price, its change since the start
  /// as a fraction, the time in milliseconds of the Unix epoch, and the updates received.
  private nonisolated static func payload(_ table: [Row?], _ symbols: [String]) -> [UInt8] {
    var payload: [UInt8] = []
    payload.append(integer: UInt16(table.count { $0 != nil }))
    for (row, symbol) in zip(table, symbols) {
      guard let row else { continue }
      let name = symbol.utf8.prefix(255)
      payload.append(UInt8(name.count))
      payload += name
      payload.append(number: row.price)
      payload.append(number: row.first == 0 ? 0 : row.price / row.first - 1)
      payload.append(integer: row.time)
      payload.append(integer: row.received)
    }
    return payload
  }
}
