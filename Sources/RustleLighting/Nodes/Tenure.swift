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
/// hands it back. A holder that cannot write it again holds it no longer than two thirds of the time to live, before another may. A
/// process takes it from those of its node before it, which are gone: it has their address. Records of other nodes, and what is no
/// record, count as none.
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
  private let standby: String?
  /// As the store says with its first answer.
  var timeToLive = Duration.seconds(3)
  /// Why the store did not do what it was asked for, in one clause; nil: it did.
  private(set) var failure: String?
  private var failedSince: Duration?
  /// The writes in a row that it did not do.
  private var refusals = 0
  private var holder: LeaseHolder?
  private var revision: UInt64 = 0
  /// Until when the record is known, and until when this process holds it.
  private var knownUntil = Duration.zero
  private var heldUntil = Duration.zero
  private var due = Duration.zero
  private var hasToRead = true
  private var underWay: (action: Action, since: Duration)?

  init(_ me: LeaseHolder, of owner: String, standby: String?) {
    (self.me, self.owner, self.standby) = (me, owner, standby)
  }

  /// The fencing token; 0 for who does not hold the lease.
  func token(at now: Duration) -> UInt64 { now < heldUntil ? holder?.token ?? 0 : 0 }

  func status(at now: Duration) -> Status {
    if now < heldUntil { return .held }
    if now >= knownUntil { return .unknown }
    guard let holder, !isOfBefore else { return .free }
    return isMine ? .unknown : .other(holder)
  }

  /// What has kept the store from what it was asked for, for longer than a time to live.
  func lack(at now: Duration) -> String? {
    guard let since = failedSince ?? underWay?.since, now - since > timeToLive else { return nil }
    return failure ?? "the store of the lease does not answer"
  }

  /// Whether the record was handed over to this node, or is that of a process of it before.
  private var isOfBefore: Bool { holder.map { $0.node == me.node && $0.instance < me.instance } ?? false }

  /// Whether a heartbeat in the owner's name counts: one of an older holder, or of a process before the holder's, does not; nor one
  /// with another show while this node holds the lease.
  func accepts(_ heartbeat: Heartbeat, at now: Duration) -> Bool {
    switch status(at: now) {
    case .held: heartbeat.show == me.show && (heartbeat.token == 0 || heartbeat.token > token(at: now))
    case .other(let holder) where holder.node == owner && holder.instance != 0: heartbeat.epoch >= holder.instance
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
    if !wants, !isMine { refusals = 0 }
    let isDue = now >= due
    var action: Action?
    if hasToRead {
      if isDue { action = .read }
    } else if isMine, !wants {
      action = .write(handedOver, replacing: revision)
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

  /// What hands over a lease that this process holds when it ends in order: the owner, or its standby, takes it at once; nil: it holds none.
  mutating func release(at now: Duration) -> Action? {
    // What an earlier call wrote is not known: the time to live ends that.
    guard underWay == nil, now < heldUntil else { return nil }
    let action = Action.write(handedOver, replacing: revision)
    underWay = (action, now)
    return action
  }

  private var handedOver: LeaseHolder { LeaseHolder(node: owner, instance: 0, show: me.show) }

  private var isMine: Bool { holder?.node == me.node && holder?.instance == me.instance }

  /// This process with the token that it has.
  private var mine: LeaseHolder {
    var mine = me
    mine.token = holder?.token ?? 0
    return mine
  }

  private func mayTake(replaces: Bool) -> Bool {
    guard let holder else { return true }
    return isOfBefore || replaces && holder.node == owner
  }

  /// Takes the answer to a read.
  mutating func read(_ record: LeaseRecord?, at now: Duration) {
    guard let (_, since) = underWay else { return }
    underWay = nil
    hasToRead = false
    var read = record.flatMap { LeaseHolder($0.text, revision: $0.revision) }
    // What is no record of ours is nobody's; it is replaced by its revision.
    if let node = read?.node, node != owner, node != standby { read = nil }
    let isAnother = record?.revision ?? 0 != revision
    (holder, revision) = (read, record?.revision ?? 0)
    // A write that came too late was no failure.
    if refusals == 0 || isAnother { (failure, failedSince) = (nil, nil) }
    knownUntil = since + timeToLive
    if !isMine { heldUntil = min(heldUntil, since) }
    due = isMine ? now : now + pause
  }

  /// Takes the revision of a write.
  mutating func wrote(_ new: UInt64, at now: Duration) {
    guard case .write(var written, _)? = underWay?.action, let since = underWay?.since else { return }
    underWay = nil
    (failure, failedSince, refusals) = (nil, nil, 0)
    if written.token == 0 { written.token = new }
    (holder, revision) = (written, new)
    knownUntil = since + timeToLive
    heldUntil = isMine ? since + timeToLive * 2 / 3 : min(heldUntil, since)
    due = now + pause
  }

  /// The store refused, or did not answer: what it has is read.
  mutating func failed(_ reason: String, at now: Duration) {
    guard let (action, _) = underWay else { return }
    underWay = nil
    hasToRead = true
    if action != .read { refusals += 1 }
    failure = "the lease cannot be \(action == .read ? "read" : "written"): \(reason)"
    failedSince = failedSince ?? now
    // The first write that is refused may have come too late.
    due = action != .read && refusals == 1 ? now : now + pause
  }

  private var pause: Duration { min(timeToLive / 6, .seconds(1)) }
}
