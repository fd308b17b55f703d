/// Who holds the lease of an owner's universes: the record `NODE INSTANCE TOKEN SHOW`.
struct LeaseHolder: Sendable, Hashable, CustomStringConvertible {
  /// The node.
  var node: String
  /// The epoch of its process; 0: any of the node, to which the lease was handed over.
  var instance: UInt64
  /// The fencing token: the revision with which it began; 0: that of the record.
  var token: UInt64
  /// What it plays.
  var show: String

  init(node: String, instance: UInt64, token: UInt64 = 0, show: String) {
    (self.node, self.instance, self.token, self.show) = (node, instance, token, show)
  }

  /// Reads a record; nil for another form.
  init?(_ text: String, revision: UInt64) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 4, let instance = UInt64(words[1]), let token = UInt64(words[2]) else { return nil }
    self.init(
      node: String(words[0]), instance: instance, token: token == 0 ? revision : token, show: String(words[3]))
  }

  var description: String { "\(node) \(instance) \(token) \(show)" }
}

/// What a node knows and does of the lease of an owner's universes: a value that changes by what the store answers, and by time.
///
/// The owner wants the lease from the beginning. Its standby takes it when the owner is silent, which counts as the owner's end, and
/// hands it back. A holder that cannot write it again holds it no longer than two thirds of the time to live, before another may.
struct Tenure: Sendable {
  enum Status: Sendable, Hashable {
    /// The store does not answer, or has not yet.
    case unknown
    /// Nobody holds it.
    case free
    /// This node holds it.
    case held
    /// Another one does.
    case other(LeaseHolder)
  }

  enum Action: Sendable, Hashable {
    case read
    case write(LeaseHolder, replacing: UInt64)
  }

  /// This process.
  let me: LeaseHolder
  /// The owner of the universes.
  let owner: String
  /// As the store says with its first answer.
  var timeToLive = Duration.seconds(3)
  /// Whether the store refused the last call, or did not answer.
  private(set) var hasFailed = false
  private var holder: LeaseHolder?
  private var revision: UInt64 = 0
  /// Until when the record is known, and until when this process holds it.
  private var knownUntil = Duration.zero
  private var heldUntil = Duration.zero
  private var due = Duration.zero
  private var hasToRead = true
  private var underWay: (action: Action, since: Duration)?

  init(_ me: LeaseHolder, of owner: String) { (self.me, self.owner) = (me, owner) }

  /// The fencing token; 0 for who does not hold the lease.
  func token(at now: Duration) -> UInt64 { now < heldUntil ? holder?.token ?? 0 : 0 }

  func status(at now: Duration) -> Status {
    if now < heldUntil { return .held }
    if now >= knownUntil { return .unknown }
    guard let holder, !isHandedOver else { return .free }
    return holder.instance == me.instance && holder.node == me.node ? .unknown : .other(holder)
  }

  private var isHandedOver: Bool { holder?.instance == 0 && holder?.node == me.node }

  /// Whether a heartbeat in the owner's name counts: one of an older holder, or of another process than the holder, does not; nor
  /// one with another show while this node holds the lease.
  func accepts(_ heartbeat: Heartbeat, at now: Duration) -> Bool {
    switch status(at: now) {
    case .held: heartbeat.show == me.show && (heartbeat.token == 0 || heartbeat.token > token(at: now))
    case .other(let holder) where holder.node == owner && holder.instance != 0: heartbeat.epoch == holder.instance
    default: true
    }
  }

  /// What is to be asked of the store now; nil: nothing.
  ///
  /// - Parameters:
  ///   - wants: whether this node is to hold the lease.
  ///   - replaces: whether it takes the lease from the owner.
  mutating func action(wants: Bool, replaces: Bool, at now: Duration) -> Action? {
    guard underWay == nil else { return nil }
    let isDue = now >= due
    var action: Action?
    if hasToRead {
      if isDue { action = .read }
    } else if now < heldUntil, !wants {
      let next = LeaseHolder(node: owner, instance: 0, show: me.show)
      action = .write(next, replacing: revision)
    } else if now < heldUntil {
      if isDue { action = .write(mine, replacing: revision) }
    } else if wants, now < knownUntil, isMine || mayTake(replaces: replaces) {
      action = .write(isMine ? mine : me, replacing: revision)
    } else if isDue {
      action = .read
    }
    if let action { underWay = (action, now) }
    return action
  }

  private var isMine: Bool { holder?.node == me.node && holder?.instance == me.instance }

  /// This process with the token that it has.
  private var mine: LeaseHolder {
    var mine = me
    mine.token = holder?.token ?? 0
    return mine
  }

  private func mayTake(replaces: Bool) -> Bool {
    guard let holder else { return true }
    return isHandedOver || replaces && holder.node == owner
  }

  /// Takes the answer to a read.
  mutating func read(_ record: LeaseRecord?, at now: Duration) {
    guard let (_, since) = underWay else { return }
    underWay = nil
    (hasToRead, hasFailed) = (false, false)
    let read = record.flatMap { LeaseHolder($0.text, revision: $0.revision) }
    // What is no record of ours is nobody's; it is replaced by its revision.
    (holder, revision) = (read, record?.revision ?? 0)
    knownUntil = since + timeToLive
    if !isMine { heldUntil = min(heldUntil, since) }
    due = isMine ? now : now + pause
  }

  /// Takes the revision of a write.
  mutating func wrote(_ new: UInt64, at now: Duration) {
    guard case .write(var written, _)? = underWay?.action, let since = underWay?.since else { return }
    underWay = nil
    hasFailed = false
    if written.token == 0 { written.token = new }
    (holder, revision) = (written, new)
    knownUntil = since + timeToLive
    heldUntil = isMine ? since + timeToLive * 2 / 3 : min(heldUntil, since)
    due = now + pause
  }

  /// The store refused, or did not answer: what it has is read.
  mutating func failed(at now: Duration) {
    guard let (action, _) = underWay else { return }
    underWay = nil
    (hasToRead, hasFailed) = (true, true)
    // A refusal of a write is read about at once.
    due = action == .read ? now + pause : now
  }

  private var pause: Duration { timeToLive / 6 }
}
