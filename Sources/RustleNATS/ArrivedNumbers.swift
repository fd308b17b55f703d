#if NATS
/// The name of a trade among those of a prefix, the header `Nats-Msg-Id`: `SOURCE/EPOCH/SYMBOL/NUMBER`.
struct TradeID: Hashable, CustomStringConvertible {
  /// What numbers its trades: publishers that number alike have the same source and epoch.
  let source: String
  /// A source that numbers anew has a higher one.
  let epoch: UInt64
  /// The symbol as a word of a subject.
  let symbol: String
  let number: UInt64

  init(source: String, epoch: UInt64, symbol: String, number: UInt64) {
    (self.source, self.epoch, self.symbol, self.number) = (source, epoch, symbol, number)
  }

  /// nil for another form.
  init?(_ text: String) {
    // A symbol may have slashes.
    guard let first = text.firstIndex(of: "/"), let last = text.lastIndex(of: "/"),
      let second = text[text.index(after: first)...].firstIndex(of: "/"), second < last,
      let epoch = UInt64(text[text.index(after: first)..<second]), let number = UInt64(text[text.index(after: last)...])
    else { return nil }
    self.init(
      source: String(text[..<first]), epoch: epoch, symbol: String(text[text.index(after: second)..<last]),
      number: number)
  }

  var description: String { "\(source)/\(epoch)/\(symbol)/\(number)" }
}

/// The numbers of trades that have come. Unlike the window of a feed, it knows each that is missing, so that a publisher that lags
/// behind another, or a stream that is read again, adds no trade twice.
struct ArrivedNumbers {
  enum Verdict: Hashable {
    /// It is to be delivered.
    case new
    /// It is the first one of a source that numbers anew, and to be delivered.
    case renumbered
    /// It came before, or precedes what came first.
    case duplicate
    /// Its source has begun a later epoch.
    case outdated
  }

  /// Gaps of a symbol that are remembered; trades that would fill an older one are duplicates.
  static let maximumGaps = 64

  private struct Track {
    var highest: UInt64
    var missing: [ClosedRange<UInt64>] = []

    mutating func take(_ number: UInt64) -> Verdict {
      if number > highest {
        if number - highest > 1 {
          if missing.count == ArrivedNumbers.maximumGaps { missing.removeFirst() }
          missing.append(highest + 1...number - 1)
        }
        highest = number
        return .new
      }
      guard let place = missing.lastIndex(where: { $0.contains(number) }) else { return .duplicate }
      let gap = missing.remove(at: place)
      if number < gap.upperBound { missing.insert(number + 1...gap.upperBound, at: place) }
      if number > gap.lowerBound { missing.insert(gap.lowerBound...number - 1, at: place) }
      return .new
    }
  }

  private struct Source {
    var epoch: UInt64
    var tracks: [String: Track] = [:]
  }

  private var sources: [String: Source] = [:]

  mutating func take(_ id: TradeID) -> Verdict {
    var verdict = Verdict.new
    let known = sources[id.source]?.epoch
    if known != id.epoch {
      if let known, known > id.epoch { return .outdated }
      sources[id.source] = Source(epoch: id.epoch)
      if known != nil { verdict = .renumbered }
    }
    if let taken = sources[id.source]?.tracks[id.symbol]?.take(id.number) { return taken }
    sources[id.source]?.tracks[id.symbol] = Track(highest: id.number)
    return verdict
  }
}
#endif
