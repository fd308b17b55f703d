internal import Foundation

/// Compares the sources of sACN on a network with a plan: a value that changes by what is heard, and by time.
public struct PlanMonitor: Sendable {
  /// A difference between plan and network.
  public struct Fault: Sendable, Hashable, Comparable {
    /// What differs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// Nobody sends the universe.
      case noSource = "no_source"
      /// Its owner does not send it.
      case noOwner = "no_owner"
      /// Its standby does not send it.
      case noStandby = "no_standby"
      /// A source of the plan sends it at a priority that the plan does not give it: a node sends its own universes at 100, without
      /// their lease at 80, and those of another at 90 or 110.
      case otherPriority = "other_priority"
      /// Two sources send it at the same priority.
      case samePriority = "same_priority"
      /// A source sends it, or says that it does, that is not to.
      case notInPlan = "not_in_plan"
      /// The show has it, and no node owns it.
      case unowned
    }

    /// The universe.
    public let universe: Int
    /// What differs.
    public let kind: Kind
    /// The owner in the plan; nil: it has none.
    public let owner: String?
    /// The names of the sources that it is about, or that are there instead.
    public let sources: [String]
    /// That of the source, where it is the fault; nil otherwise.
    public private(set) var priority: Int?

    /// By universe, then by kind.
    public static func < (left: Self, right: Self) -> Bool {
      (left.universe, left.kind.rawValue, left.sources.joined(), left.priority ?? 0) < (
        right.universe, right.kind.rawValue, right.sources.joined(), right.priority ?? 0
      )
    }
  }

  /// What a source says that it sends.
  private struct List: Sendable {
    var name: String
    var universes: Set<Int>
    var time: Duration
  }

  /// How long a list counts: two of its intervals (ANSI E1.31-2018, appendix A: 10 s), and some room.
  static let patience = Duration.seconds(25)

  /// The plan.
  public let plan: UniversePlan
  /// Universes of the show without an owner.
  private let unowned: [Int]
  private let owners: [Int: UniversePlan.Node]
  private var lists: [UUID: List] = [:]
  private var pages: [UUID: [Int: DiscoveryPage]] = [:]

  /// Creates a monitor that has heard nothing.
  ///
  /// - Parameter universes: those of sACN that the show has.
  public init(_ plan: UniversePlan, of universes: [Int] = []) {
    self.plan = plan
    unowned = plan.unowned(of: universes)
    var owners: [Int: UniversePlan.Node] = [:]
    for node in plan.nodes { for universe in node.universes.joined() { owners[universe] = node } }
    self.owners = owners
  }

  /// The universes of the plan, in ascending order.
  public var universes: [Int] { owners.keys.sorted() }

  /// Takes a page of universe discovery; a list counts when its last page has come.
  mutating func hear(_ page: DiscoveryPage, at now: Duration) {
    var all = pages[page.cid] ?? [:]
    // A list of another length is another one.
    if page.page == 0 || all.values.contains(where: { $0.last != page.last }) { all = [:] }
    all[page.page] = page
    let isWhole = all.count == page.last + 1
    pages[page.cid] = isWhole ? nil : all
    if isWhole {
      lists[page.cid] = List(name: page.name, universes: Set(all.values.flatMap(\.universes)), time: now)
    }
    // Identities that are invented do not fill the memory.
    if pages.count > 4_096 { pages = [:] }
    if lists.count > 4_096 { lists = lists.filter { now - $0.value.time <= .seconds(1) } }
  }

  /// The differences, in ascending order.
  ///
  /// - Parameter heard: the sources whose data arrive, by universe.
  func faults(_ heard: [Int: [Source]], at now: Duration) -> [Fault] {
    var faults: Set<Fault> = []
    for (universe, owner) in owners {
      let sources = heard[universe] ?? []
      let names = sources.map(\.name).sorted()
      func add(_ kind: Fault.Kind, _ about: [String], at priority: Int? = nil) {
        faults.insert(
          Fault(universe: universe, kind: kind, owner: owner.name, sources: about, priority: priority))
      }
      if sources.isEmpty {
        add(.noSource, [])
      } else {
        if !names.contains(owner.name) { add(.noOwner, names) }
        if let standby = owner.standby, !names.contains(LightingNode.name(of: standby, for: owner.name)) {
          add(.noStandby, names)
        }
      }
      for (_, equal) in Dictionary(grouping: sources, by: \.priority) where equal.count > 1 {
        add(.samePriority, equal.map(\.name).sorted())
      }
      for source in sources {
        let planned = Self.priorities(of: source.name, owner)
        if planned.isEmpty {
          add(.notInPlan, [source.name])
        } else if !planned.contains(source.priority) {
          add(.otherPriority, [source.name], at: source.priority)
        }
      }
    }
    for universe in unowned { faults.insert(Fault(universe: universe, kind: .unowned, owner: nil, sources: [])) }
    for list in lists.values where now - list.time <= Self.patience {
      for universe in list.universes where owners[universe].map({ Self.priorities(of: list.name, $0) }) ?? [] == [] {
        faults.insert(
          Fault(universe: universe, kind: .notInPlan, owner: owners[universe]?.name, sources: [list.name]))
      }
    }
    return faults.sorted()
  }

  /// A source whose data arrive.
  struct Source: Sendable, Hashable {
    let name: String
    let priority: Int
  }

  /// At which priorities a source of a name may send the universes of an owner; empty: it is not to.
  private static func priorities(of name: String, _ owner: UniversePlan.Node) -> [Int] {
    if name == owner.name { return LightingNode.ownPriorities }
    guard let standby = owner.standby, name == LightingNode.name(of: standby, for: owner.name) else { return [] }
    return Failover.State.allCases.compactMap(Failover.priority)
  }
}

/// A page of universe discovery (ANSI E1.31-2018, table 4-3).
struct DiscoveryPage: Sendable, Hashable {
  let cid: UUID
  let name: String
  let page: Int
  let last: Int
  let universes: [Int]

  init(cid: UUID, name: String, page: Int, last: Int, universes: [Int]) {
    (self.cid, self.name, self.page, self.last, self.universes) = (cid, name, page, last, universes)
  }

  /// Reads a packet; nil for another one.
  init?(_ bytes: [UInt8]) {
    let word = { (place: Int) in Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
    // The preamble, and the lengths and vectors of the three layers.
    guard bytes.count >= 120, (bytes.count - 120).isMultiple(of: 2), bytes.count <= 120 + 2 * 512,
      Array(bytes[..<16]) == [0, 0x10, 0, 0] + Array("ASC-E1.17\0\0\0".utf8),
      [16, 38, 112].allSatisfy({ word($0) & 0xFFF == bytes.count - $0 }),
      [18, 40, 114].map({ word($0) << 16 | word($0 + 2) }) == [8, 2, 1], bytes[118] <= bytes[119]
    else { return nil }
    let half = { (place: Int) in bytes[place..<place + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    self.init(
      cid: UUID(high: half(22), low: half(30)),
      name: String(decoding: bytes[44..<108].prefix { $0 != 0 }, as: UTF8.self), page: Int(bytes[118]),
      last: Int(bytes[119]), universes: stride(from: 120, to: bytes.count, by: 2).map(word))
  }
}
