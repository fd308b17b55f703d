/// How a ticker makes prices.
public struct TickerConfiguration: Sendable, Hashable {
  /// Updates a second of each symbol: 0.001 to 10,000,000. The symbols of a stream take turns at even distances.
  public var updatesPerSecond: Double
  /// The seed of the random walk. The same seed and the same symbols give the same prices, bit for bit; nil draws a seed
  /// for each stream.
  public var seed: UInt64?
  /// The number of updates, over all symbols, after which a stream ends by itself; nil: it runs until it is ended.
  public var updateLimit: UInt64?

  /// Two updates a second of each symbol, a drawn seed, no limit, unless said otherwise. The values are checked when a
  /// ``TickerController`` is made.
  public init(updatesPerSecond: Double = 2, seed: UInt64? = nil, updateLimit: UInt64? = nil) {
    self.updatesPerSecond = updatesPerSecond
    self.seed = seed
    self.updateLimit = updateLimit
  }
}
