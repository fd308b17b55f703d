#if NATS
/// The trades of a publication without a stream of which no server has said that it has read them, counted by their channels.
struct UnconfirmedTrades {
  /// Their number.
  private(set) var count: UInt64 = 0
  /// Why the server refuses channels, on this connection.
  private(set) var refusals: [Int: String] = [:]
  /// The number of servers that have accepted the connection again.
  private(set) var reconnects: UInt64 = 0
  private var sent: [Int: UInt64] = [:]

  /// The channels of those that were sent.
  var channels: some Collection<Int> { sent.keys }

  mutating func add(_ channel: Int) {
    count += 1
    sent[channel, default: 0] += 1
  }

  /// Takes the state of the connection. Returns the number of trades that a lost one may have taken with it.
  mutating func look(isConnected: Bool, reconnects now: UInt64) -> UInt64 {
    let isAnother = now != reconnects
    if isAnother { refusals = [:] }
    reconnects = now
    return isAnother || !isConnected ? confirm() : 0
  }

  /// Removes all, and returns their number.
  mutating func confirm() -> UInt64 {
    sent.removeAll(keepingCapacity: true)
    defer { count = 0 }
    return count
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
