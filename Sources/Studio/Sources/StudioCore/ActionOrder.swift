/// The order of actions: one after the other, but what darkens lamps waits for none, and takes back what came before and would light them.
public struct ActionOrder: Sendable {
  /// What an action does to lamps.
  public enum Kind: Sendable, Hashable {
    /// Nothing, or nothing that a blackout does not cover.
    case other
    case blackout
    /// Ends a blackout.
    case restore
    case disarm
    /// Disarms at once, and ends the show in its turn: after a start before it.
    case stop
    case arm
  }

  /// Where an action stands.
  public struct Place: Sendable {
    fileprivate let number: Int
    fileprivate let kind: Kind

    /// Whether it waits for none before it.
    public var overtakes: Bool { kind == .blackout || kind == .disarm }
    /// Whether it disarms before its turn.
    public var disarms: Bool { kind == .stop }
  }

  private var count = 0
  private var newest: [Kind: Int] = [:]

  /// Creates an order without actions.
  public init() {}

  /// Puts an action after the others.
  public mutating func enter(_ kind: Kind) -> Place {
    count += 1
    newest[kind] = count
    return Place(number: count, kind: kind)
  }

  /// Whether a later one has taken it back: a blackout the end of one before, a disarming or a stop an arming.
  public func isTakenBack(_ place: Place) -> Bool {
    let opposites: [Kind] =
      switch place.kind {
      case .restore: [.blackout]
      case .arm: [.disarm, .stop]
      case .other, .blackout, .disarm, .stop: []
      }
    return opposites.contains { (newest[$0] ?? 0) > place.number }
  }
}
