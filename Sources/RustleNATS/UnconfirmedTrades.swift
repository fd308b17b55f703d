#if NATS
/// The trades of a publication without a stream of which no server has said that it has read them, counted by their channels, and before
/// these are sent, those that wait for a connection. libnats would send the latter itself, but not say which of them a connection has taken
/// with it that was lost at once.
struct UnconfirmedTrades {
  /// Trades that wait for a connection; with more, later ones fail.
  static let waitingLimit = 65_536

  /// The number of those that were sent.
  private(set) var count: UInt64 = 0
  /// Why the server refuses channels, on this connection.
  private(set) var refusals: [Int: String] = [:]
  /// The number of servers that have accepted the connection again.
  private(set) var reconnects: UInt64 = 0
  private var sent: [Int: UInt64] = [:]
  /// Those that wait.
  private(set) var waiting: [NATSWriter.Message] = []
  /// Whether there was a connection at the last look.
  private var isConnected = false

  /// Whether a trade is sent now, and not behind those that wait.
  var isOpen: Bool { isConnected && waiting.isEmpty }

  /// The number of all.
  var total: UInt64 { count + UInt64(waiting.count) }

  /// The channels of those that were sent.
  var channels: some Collection<Int> { sent.keys }

  mutating func add(_ channel: Int) {
    count += 1
    sent[channel, default: 0] += 1
  }

  /// Takes a trade that waits; false: there is no room.
  mutating func wait(_ message: NATSWriter.Message) -> Bool {
    guard waiting.count < Self.waitingLimit else { return false }
    waiting.append(message)
    return true
  }

  /// Removes those that wait, if there was a connection at the last look: they are to be sent, before any later ones.
  mutating func due() -> [NATSWriter.Message] {
    guard isConnected else { return [] }
    defer { waiting = [] }
    return waiting
  }

  /// Takes the state of the connection. Returns the number of trades that a lost one may have taken with it.
  mutating func look(isConnected now: Bool, reconnects count: UInt64) -> UInt64 {
    let isAnother = count != reconnects
    if isAnother { refusals = [:] }
    (isConnected, reconnects) = (now, count)
    return isAnother || !isConnected ? confirm() : 0
  }

  /// Takes the end of the connection, in place of which another is made. Returns the number of trades that it may have taken with it.
  mutating func end() -> UInt64 {
    (isConnected, reconnects, refusals) = (false, 0, [:])
    return confirm()
  }

  /// Removes those that were sent, and returns their number.
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
