/// A revision of the gains on the server.
struct SavedGains: Sendable, Hashable {
  var revision: Int64
  var gains: EqualizerGains
}

/// The gains of one device: the newest revision that it knows, and what it has changed on top.
///
/// A newer revision keeps the bands that this device changed, and takes the others. A band that both changed is asked about; nothing is
/// sent before it is answered.
struct GainDraft: Sendable, Hashable {
  /// The newest revision that is known.
  private(set) var saved: SavedGains
  /// What is not saved yet; nil: nothing.
  private(set) var local: EqualizerGains?
  /// The bands that two devices changed to different gains.
  private(set) var asked: Set<Int> = []
  /// What was sent and has no answer: the server may have it. It goes again before anything newer does, so that it is one value.
  private var sent: EqualizerGains?
  /// Whether it was sent more than once.
  private var isRepeated = false

  init(_ saved: SavedGains) { self.saved = saved }

  /// What this device shows.
  var gains: EqualizerGains { local ?? saved.gains }
  /// What is to be sent; nil: nothing, or there is a question.
  var due: EqualizerGains? { asked.isEmpty ? local : nil }

  /// The user changes the gains.
  mutating func change(_ gains: EqualizerGains) {
    local = gains
    settle()
  }

  /// The user changed what was shown before a revision was known; without `shown` all bands.
  mutating func change(_ gains: EqualizerGains, over shown: EqualizerGains?) {
    guard let shown else { return change(gains) }
    let moved = gains.differences(from: shown)
    change(self.gains.replacing(moved, by: gains))
    // Before the first save no other device has changed anything.
    guard saved.revision > 0 else { return }
    asked = moved.intersection(saved.gains.differences(from: shown))
    settle()
  }

  /// What goes to the server now; nil: nothing does.
  mutating func send() -> EqualizerGains? {
    guard let due else { return nil }
    isRepeated = sent != nil
    sent = sent ?? due
    return sent
  }

  /// The server saved what was sent.
  mutating func accept(_ revision: Int64, _ gains: EqualizerGains) {
    (saved, sent) = (SavedGains(revision: revision, gains: gains), nil)
    settle()
  }

  /// The server refuses what was sent last: it does not have it, unless it has it of another time. What is unfit it would have refused then
  /// as well.
  mutating func withdraw(isUnfit: Bool) {
    if isUnfit || !isRepeated { sent = nil }
    settle()
  }

  /// Puts what this device changed on top of a newer revision; ignores others.
  mutating func rebase(_ newer: SavedGains) {
    guard newer.revision > saved.revision else { return }
    refuse(newer)
  }

  /// Puts what this device changed on top of the revision that the server named when it refused a save. It may be an older one: of a backup.
  mutating func refuse(_ newer: SavedGains) {
    if sent == newer.gains { return accept(newer.revision, newer.gains) }
    let (before, known, mine) = (saved.gains, sent ?? saved.gains, local)
    (saved, sent) = (newer, nil)
    guard let mine else { return }
    // A band that went back to where it was may have been sent elsewhere meanwhile.
    let moved = mine.differences(from: before).union(mine.differences(from: known))
    local = newer.gains.replacing(moved, by: mine)
    asked.formUnion(moved.intersection(newer.gains.differences(from: before)))
    settle()
  }

  /// Answers the question: this device's gains, or the server's.
  mutating func resolve(keepingOwn: Bool) {
    if !keepingOwn { local = local?.replacing(asked, by: saved.gains) }
    asked = []
    settle()
  }

  /// Forgets what the server has too, unless it may have something else by now.
  private mutating func settle() {
    let open = local?.differences(from: saved.gains) ?? []
    asked.formIntersection(open)
    if open.isEmpty, sent == nil { local = nil }
  }
}
