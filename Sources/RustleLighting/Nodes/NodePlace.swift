extension LightingNode {
  /// What the node does for an owner, or for itself.
  struct Place {
    let owner: UniversePlan.Node
    let sender: DMXSender
    /// nil: it is the owner.
    var failover: Failover?
    /// nil: there are no leases.
    var tenure: Tenure?
    /// What is sent; at the beginning what the sender was made with.
    var kind: Event.Kind?
    /// The last report's.
    var reported: (time: Duration, reason: String)?
    /// The heartbeats of another time.
    var mistimed: UInt64 = 0

    /// What is to be done, and why in one clause.
    func target(at now: Duration) -> (kind: Event.Kind, reason: String)? {
      let (name, status) = (owner.name, tenure?.status(at: now))
      guard let failover else {
        switch status {
        case nil: return nil
        case .held: return (.leased, "it holds the lease")
        case .free: return tenure?.lack(at: now).map { (.unleased, $0) }
        case .unknown: return (tenure?.failure ?? tenure?.lack(at: now)).map { (.unleased, $0) }
        case .other(let holder):
          let isOther = holder.show != tenure?.me.show
          return (
            isOther ? .refused : .fenced,
            "\(holder.node) holds the lease\(isOther ? " and plays another show or plan" : "")"
          )
        }
      }
      let isSilent = failover.state == .active
      switch failover.state {
      case .refused:
        return (.refused, "\(name) plays another show or plan, or \(tenure == nil ? "with" : "without") leases")
      case .active where tenure == nil || status == .held: return (.active, "\(name) is silent")
      case .standby, .active:
        let heard = "\(name) is \(isSilent ? "silent" : "heard")"
        if let lack = tenure?.lack(at: now) { return (.unleased, "\(heard), and \(lack)") }
        guard isSilent else { return (.standby, heard) }
        guard case .other(let holder) = status else { return (.standby, "\(heard), and the lease is not known") }
        return (.standby, "\(heard), and \(holder.node) has the lease")
      }
    }

    /// The priority of what is sent here; nil: nothing is.
    func priority(of kind: Event.Kind) -> Int? {
      kind == .unleased && failover != nil ? Failover.priority(of: .standby) : Self.priority(of: kind)
    }

    /// Whether what a lease lacks, or who holds it, is not what was reported; not more often than a time to live.
    func isNews(_ reason: String, at now: Duration) -> Bool {
      guard let tenure, let reported, kind != .standby, reason != reported.reason else { return false }
      return now - reported.time >= tenure.timeToLive
    }

    /// The priority of what is sent, of its own where a kind may be both; nil: nothing is.
    static func priority(of kind: Event.Kind) -> Int? {
      switch kind {
      case .standby: Failover.priority(of: .standby)
      case .active: Failover.priority(of: .active)
      case .leased, .unleased: 100
      case .fenced: 80
      case .refused, .foreign, .mistimed, .unowned: nil
      }
    }
  }
}
