import RustleMarket

/// What a ticker's view shows beside the prices.
struct TickerStatus: Equatable, Sendable {
  /// Seconds since the start.
  var seconds = 0.0
  /// The time now, in nanoseconds since 1970.
  var now: Int64 = 0
  /// What became of updates that were not taken in time, as the policy has it.
  var lostWord = "lost"
  /// Where the prices come from: `simulated`, `replay x 10`.
  var source = ""
  /// Updates in the last second.
  var updatesPerSecond: Double?
  /// What the source met with; nil before it was asked.
  var counts: FeedCounts?
  /// Quotes that came too late for their candle.
  var late: UInt64 = 0
  /// The state of the source's connection; nil for a source that has none.
  var connection: FeedConnection?
  /// Where the source is given to others; nil: nowhere.
  var server: Server?
  /// Alerts that were not taken in time.
  var lostAlerts: UInt64 = 0
  /// The newest alert.
  var alert: PriceAlert?
  /// What was wrong with the newest message that could not be read.
  var fault: String?
  /// The first row that is shown, from 0.
  var offset = 0
  var isPaused = false
  /// Whether keys are read: without them they are not offered.
  var hasKeys = false
  var showsHelp = false

  /// A server, as a view shows it.
  struct Server: Equatable, Sendable {
    var address: FeedAddress
    var clients = 0

    /// In words, for example `serving 127.0.0.1:7000, 2 clients`.
    var text: String { "serving \(address), \(clients) \(clients == 1 ? "client" : "clients")" }
  }

  /// How much was lost, left out or not understood, in words; nothing where there is nothing to tell.
  func troubles(lost: UInt64) -> [String] {
    var parts: [String] = []
    func add(_ count: UInt64, _ what: String) { if count > 0 { parts.append("\(TickerNumbers.count(count)) \(what)") } }
    add(lost, lostWord)
    add(lostAlerts, lostAlerts == 1 ? "alert lost" : "alerts lost")
    add(late, "late")
    if let counts {
      add(counts.malformed + counts.oversized, "unreadable")
      add(counts.skipped, "skipped by the source")
      add(counts.duplicates, "duplicates")
      add(counts.outOfOrder, "out of order")
    }
    return parts
  }
}
