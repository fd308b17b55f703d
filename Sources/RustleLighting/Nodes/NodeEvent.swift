extension LightingNode {
  /// A report of a node: a change of what it sends, for itself or for another one, or what it refuses.
  public struct Event: Sendable, Hashable {
    /// What is reported.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// It sends the owner's universes at priority 90, beneath the owner's.
      case standby
      /// It sends them at 110: the owner is silent, or has been back for less than 5 s.
      case active
      /// It does not send them: the owner plays another show; or, of its own, the holder of their lease does.
      case refused
      /// It holds the lease of its own universes.
      case leased
      /// Another holds it, and plays the same: it sends its own universes beneath both nodes, at 80.
      case fenced
      /// The lease cannot be read or written: the node sends its own universes at 100, those of the owner at 90.
      case unleased
      /// A datagram that is no heartbeat of the plan arrived; reported once.
      case foreign
      /// An owner's heartbeat of another time, more than 2 s off, does not count: clocks differ, or it was recorded. Reported with the
      /// first one, the second, the fourth, and so on.
      case mistimed
      /// The show has universes of sACN that no node of the plan owns: none sends them; reported at the start.
      case unowned
    }

    /// The time since the start.
    public let time: Duration
    /// What is reported.
    public let kind: Kind
    /// The owner; nil for a foreign datagram and for universes without one.
    public let owner: String?
    /// The priority of its universes; nil: they are not sent.
    public let priority: Int?
    /// Why, in one clause.
    public let reason: String
  }
}
