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

  /// What all trades of the symbol have.
  var name: String { "\(source)/\(epoch)/\(symbol)" }

  var description: String { "\(name)/\(number)" }
}

/// The numbers of trades that have come. Unlike the window of a feed, it knows each that is missing, so that a publisher that lags
/// behind another, or a stream that is read again, adds no trade twice.
struct ArrivedNumbers {
  enum Verdict: Hashable {
    /// It is to be delivered.
    case new
    /// It is the first one of a source that numbers anew, and to be delivered.
    case renumbered
    /// One of its symbol with a higher number has come before, so that it was reported missing.
    case late
    /// It came before, or precedes what came first.
    case duplicate
    /// Its source has begun a later epoch.
    case outdated
  }

  /// Gaps of a symbol that are remembered; trades that would fill an older one are duplicates.
  static let maximumGaps = 64

  /// Those of one symbol.
  struct Track {
    private var highest: UInt64?
    private var missing: [ClosedRange<UInt64>] = []

    mutating func take(_ number: UInt64) -> Verdict {
      guard let highest else {
        highest = number
        return .new
      }
      if number > highest {
        if number - highest > 1 {
          if missing.count == ArrivedNumbers.maximumGaps { missing.removeFirst() }
          missing.append(highest + 1...number - 1)
        }
        self.highest = number
        return .new
      }
      guard let place = missing.lastIndex(where: { $0.contains(number) }) else { return .duplicate }
      let gap = missing.remove(at: place)
      if number < gap.upperBound { missing.insert(number + 1...gap.upperBound, at: place) }
      if number > gap.lowerBound { missing.insert(gap.lowerBound...number - 1, at: place) }
      return .late
    }
  }

  /// The epoch of each source.
  private var epochs: [String: UInt64] = [:]
  /// The place of each symbol's track, by `SOURCE/EPOCH/SYMBOL`, of the present epochs.
  private var places: [String: Int] = [:]
  private var tracks: [Track] = []

  /// Takes an identifier; one of another form is new.
  mutating func take(_ text: [UInt8]) -> Verdict {
    if let end = text.lastIndex(of: UInt8(ascii: "/")), let number = UInt64(digits: text[(end + 1)...]),
      let place = places[String(decoding: text[..<end], as: UTF8.self)]
    {
      return tracks[place].take(number)
    }
    return TradeID(String(decoding: text, as: UTF8.self)).map { take($0) } ?? .new
  }

  mutating func take(_ id: TradeID) -> Verdict {
    if let place = places[id.name] { return tracks[place].take(id.number) }
    let known = epochs[id.source]
    if let known, known > id.epoch { return .outdated }
    if let known, known < id.epoch {
      // Their tracks stay, unused: a source numbers anew once in a while.
      for name in places.keys where name.hasPrefix("\(id.source)/") { places[name] = nil }
    }
    epochs[id.source] = id.epoch
    places[id.name] = tracks.count
    tracks.append(Track())
    _ = tracks[tracks.count - 1].take(id.number)
    return known == nil || known == id.epoch ? .new : .renumbered
  }
}
#endif
