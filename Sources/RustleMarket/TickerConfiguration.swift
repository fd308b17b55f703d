/// The settings of a ticker's simulated prices.
public struct TickerConfiguration: Sendable, Hashable {
  /// Updates per second of each symbol: 0.001 to 10,000,000. The symbols of a stream take turns at equal intervals.
  public var updatesPerSecond: Double
  /// The seed of the random walk. The same seed and the same symbols give the same prices, bit for bit; nil draws a seed
  /// for each stream.
  public var seed: UInt64?
  /// The number of updates, over all symbols, after which a stream ends; nil: no limit.
  public var updateLimit: UInt64?

  /// Creates settings; by default two updates per second of each symbol, a drawn seed and no limit. They are checked when a
  /// ``TickerController`` is created.
  public init(updatesPerSecond: Double = 2, seed: UInt64? = nil, updateLimit: UInt64? = nil) {
    self.updatesPerSecond = updatesPerSecond
    self.seed = seed
    self.updateLimit = updateLimit
  }
}
