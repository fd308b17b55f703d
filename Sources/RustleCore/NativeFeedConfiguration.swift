internal import CRustle

/// How one symbol's price moves in geometric Brownian motion.
package struct NativeGbmParameters: Sendable {
  let price: NativeDecimal
  let drift: Double
  let volatility: Double

  package init(price: NativeDecimal, drift: Double, volatility: Double) {
    self.price = price
    self.drift = drift
    self.volatility = volatility
  }
}

/// A source at the other end of a socket; times are in nanoseconds.
package struct NativeLiveFeed: Sendable {
  let address, schema: String
  let connecting, silence, base, cap, healthy: UInt64
  let restartsNumbers, subscribes: Bool

  /// `schema`: empty for the default one. `silence`: 0 for ever.
  package init(
    address: String, schema: String, connecting: UInt64, silence: UInt64, base: UInt64, cap: UInt64, healthy: UInt64,
    restartsNumbers: Bool, subscribes: Bool
  ) {
    self.address = address
    self.schema = schema
    self.connecting = connecting
    self.silence = silence
    self.base = base
    self.cap = cap
    self.healthy = healthy
    self.restartsNumbers = restartsNumbers
    self.subscribes = subscribes
  }
}

/// Where a feed's quotes come from. The ranges are those of the header.
package enum NativeFeedSource: Sendable {
  /// `parameters`: nil for the random walk. `updateLimit`: nil for none.
  case simulated(
    symbols: [String], updatesPerSecond: Double, seed: UInt64, updateLimit: UInt64?, parameters: [NativeGbmParameters]?)
  /// `schema`: empty for the default one. `speed`: 0 for no waiting. `format`: its number in the header.
  case replay(path: String, schema: String, speed: Double, from: Int64?, format: UInt32, repeats: Bool)
  case live(NativeLiveFeed)
  /// `schema` and `format` as for a replay. `messageLimit`: in bytes; 0 for the default one.
  case pushed(schema: String, format: UInt32, restartsNumbers: Bool, messageLimit: Int)

  /// Makes a feed, and returns the number of its handle.
  func makeFeed(on runtime: NativeRuntime?) throws(NativeError) -> UInt64 {
    let runtime = runtime?.raw ?? 0
    var raw: UInt64 = 0
    switch self {
    case .simulated(let symbols, let updatesPerSecond, let seed, let updateLimit, let parameters):
      let records = (parameters ?? []).map {
        RustleGbmParameters(
          price_units: $0.price.units, drift: $0.drift, volatility: $0.volatility, price_scale: UInt32($0.price.scale),
          reserved: 0)
      }
      let model = UInt32(parameters == nil ? RUSTLE_MODEL_WALK : RUSTLE_MODEL_GBM)
      try unsafe withNativeStrings(symbols) { names throws(NativeError) in
        try unsafe records.span.withUnsafeBufferPointer { parameters throws(NativeError) in
          var configuration = unsafe RustleSimulatedFeed(
            symbols: names.baseAddress, symbol_count: names.count, parameters: parameters.baseAddress,
            parameter_count: parameters.count, updates_per_second: updatesPerSecond, seed: seed,
            update_limit: updateLimit ?? 0, runtime: runtime, model: model, reserved: 0)
          try unsafe NativeError.check { unsafe rustle_feed_new_simulated(&configuration, &raw, $0) }
        }
      }
    case .replay(let path, let schema, let speed, let from, let format, let repeats):
      try unsafe withNativeStrings([path, schema]) { texts throws(NativeError) in
        var configuration = unsafe RustleReplayFeed(
          path: texts[0], schema: texts[1], speed: speed, from_ns: from ?? 0, runtime: runtime, format: format,
          repeats: repeats ? 1 : 0, has_from: from == nil ? 0 : 1, reserved: 0)
        try unsafe NativeError.check { unsafe rustle_feed_new_replay(&configuration, &raw, $0) }
      }
    case .live(let live):
      try unsafe withNativeStrings([live.address, live.schema]) { texts throws(NativeError) in
        var configuration = unsafe RustleLiveFeed(
          address: texts[0], schema: texts[1], connecting_ns: live.connecting, silence_ns: live.silence,
          base_ns: live.base, cap_ns: live.cap, healthy_ns: live.healthy, runtime: runtime,
          restarts_numbers: live.restartsNumbers ? 1 : 0, subscribes: live.subscribes ? 1 : 0)
        try unsafe NativeError.check { unsafe rustle_feed_new_live(&configuration, &raw, $0) }
      }
    case .pushed(let schema, let format, let restartsNumbers, let messageLimit):
      try unsafe withNativeStrings([schema]) { texts throws(NativeError) in
        var configuration = unsafe RustlePushedFeed(
          schema: texts[0], runtime: runtime, message_limit: messageLimit, format: format,
          restarts_numbers: restartsNumbers ? 1 : 0)
        try unsafe NativeError.check { unsafe rustle_feed_new_pushed(&configuration, &raw, $0) }
      }
    }
    return raw
  }
}

/// What becomes of records that a consumer does not take in time.
package enum NativeFeedPolicy: Sendable {
  case all(capacity: Int, overflow: LaneOverflow)
  case latest
  case sampled(nanoseconds: UInt64)
  case awaited(capacity: Int)

  var record: RustleFeedPolicy {
    let (kind, capacity, interval): (Int32, Int, UInt64) =
      switch self {
      case .all(let capacity, .dropOldest): (RUSTLE_POLICY_DROP_OLDEST, capacity, 0)
      case .all(let capacity, .dropNewest): (RUSTLE_POLICY_DROP_NEWEST, capacity, 0)
      case .all(_, .keepLatest), .latest: (RUSTLE_POLICY_KEEP_LATEST, 0, 0)
      case .sampled(let nanoseconds): (RUSTLE_POLICY_SAMPLED, 0, nanoseconds)
      case .awaited(let capacity): (RUSTLE_POLICY_AWAITED, capacity, 0)
      }
    return RustleFeedPolicy(kind: UInt32(kind), reserved: 0, capacity: max(0, capacity), interval_ns: interval)
  }
}

/// A price that an alert watches for.
package struct NativeThreshold: Sendable {
  let symbol: String
  let level: NativeDecimal
  let hysteresis: NativeDecimal
  let isAbove: Bool

  package init(symbol: String, level: NativeDecimal, hysteresis: NativeDecimal, isAbove: Bool) {
    self.symbol = symbol
    self.level = level
    self.hysteresis = hysteresis
    self.isAbove = isAbove
  }
}

/// Calls `body` with the thresholds as native records, which are valid during the call.
func withNativeThresholds(
  _ thresholds: [NativeThreshold], _ body: (UnsafeBufferPointer<RustleFeedThreshold>) throws(NativeError) -> Void
) throws(NativeError) {
  try unsafe withNativeStrings(thresholds.map(\.symbol)) { names throws(NativeError) in
    let records = unsafe thresholds.indices.map { index in
      let threshold = thresholds[index]
      return unsafe RustleFeedThreshold(
        symbol: names[index], level_units: threshold.level.units, hysteresis_units: threshold.hysteresis.units,
        direction: UInt32(threshold.isAbove ? RUSTLE_DIRECTION_ABOVE : RUSTLE_DIRECTION_BELOW),
        level_scale: threshold.level.scale, hysteresis_scale: threshold.hysteresis.scale, reserved: (0, 0))
    }
    try unsafe records.span.withUnsafeBufferPointer(body)
  }
}
