#if NATS
/// The trades of a publication without a stream of which no server has said that it has read them, counted by their channels.
struct UnconfirmedTrades {
  /// Their number.
  private(set) var count: UInt64 = 0
  /// Why the server refuses channels, on this connection.
  private(set) var refusals: [Int: String] = [:]
  /// The number of times that the connection was re-established.
  private(set) var reconnects: UInt64 = 0
  private var sent: [Int: UInt64] = [:]
  /// Those that libnats sends once it has a connection.
  private var queued: [Int: UInt64] = [:]
  private var isQueued = false

  /// The channels of those that were sent.
  var channels: some Collection<Int> { sent.keys }

  mutating func add(_ channel: Int) {
    count += 1
    if isQueued { queued[channel, default: 0] += 1 } else { sent[channel, default: 0] += 1 }
  }

  /// Takes the state of the connection. Returns the number of trades that a lost one may have taken with it.
  mutating func look(isConnected: Bool, reconnects now: UInt64) -> UInt64 {
    let isAnother = now != reconnects
    var lost = isAnother || !isConnected ? confirm() : 0
    if isAnother { refusals = [:] }
    if isAnother || isConnected {
      sent.merge(queued, uniquingKeysWith: +)
      queued.removeAll(keepingCapacity: true)
      // That one is lost too.
      if !isConnected || now > reconnects + 1 { lost += confirm() }
    }
    (reconnects, isQueued) = (now, !isConnected)
    return lost
  }

  /// Removes those that were sent, and returns their number.
  @discardableResult
  mutating func confirm() -> UInt64 {
    let number = sent.values.reduce(0, +)
    sent.removeAll(keepingCapacity: true)
    count -= number
    return number
  }

  /// Removes those of a channel that the server refuses, and returns their number; nil: its refusal is known.
  mutating func refuse(_ channel: Int, _ reason: String) -> UInt64? {
    guard refusals.updateValue(reason, forKey: channel) == nil else { return nil }
    let number = sent.removeValue(forKey: channel) ?? 0
    count -= number
    return number
  }
}
#endif
