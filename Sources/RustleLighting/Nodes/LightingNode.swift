internal import Foundation
public import RustleCore
internal import RustleFiles

/// A node of a plan: its senders, the heartbeats to its standby, and the places that it takes when others fall silent.
///
/// ```swift
/// let show = try LightShow(demo: .festival)
/// let plan = try UniversePlan(Data(contentsOf: URL(filePath: "plan.json")))
/// let node = try LightingNode("left", of: plan, playing: show)
/// let controller = LightingController(show)
/// try await controller.start(outputs: node.senders)
/// try await node.run(controller)
/// ```
///
/// All nodes play the same show with the same plan, tempo and clock: what they send for a universe is equal. Inputs (cues by hand, faders,
/// sound) reach one node alone.
public actor LightingNode {
  private enum Input: Sendable {
    case datagram([UInt8])
    case tick
  }

  /// The node.
  public nonisolated let node: UniversePlan.Node
  /// The senders of its universes, and of those for which it stands by: to be started with the show.
  public nonisolated let senders: [DMXSender]
  /// Its reports from the beginning on; the newest 64 wait.
  public nonisolated let events: AsyncStream<Event>

  private let plan: UniversePlan
  private let show: String
  private let leases: (any LeaseStore)?
  private let own: DMXSender?
  private let standby: UniversePlan.Node?
  private(set) var places: [Place]
  private let continuation: AsyncStream<Event>.Continuation
  private let start = ContinuousClock.now
  private let epoch = LightingNode.calendar
  private var beats: UInt64 = 0
  private var nextBeat = Duration.zero
  private var frames: UInt64 = 0
  private var hasReportedForeign = false
  /// How often each kind was reported, by the owner; "": without one.
  private(set) var reports: [String: [Event.Kind: UInt64]] = [:]

  /// Creates a node; nothing is opened.
  ///
  /// - Parameters:
  ///   - name: its name in the plan.
  ///   - plan: the plan.
  ///   - show: the show, the same one on all nodes.
  ///   - configuration: how it is played.
  ///   - followsClock: whether a clock has its beats.
  ///   - leases: where the leases of the universes are; nil: there are none. All nodes have them, or none.
  ///   - output: where and as whom its universes are sent; the name, the priority, the universes and the time of the frames are the plan's.
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation`` for a name that the plan does not have; as
  ///   ``DMXSender/init(_:)``.
  public init(
    _ name: String, of plan: UniversePlan, playing show: LightShow,
    configuration: LightingController.Configuration = LightingController.Configuration(), followsClock: Bool = false,
    leases: (any LeaseStore)? = nil, output: DMXSenderConfiguration = DMXSenderConfiguration(.sacn)
  ) throws(LightingError) {
    guard let node = plan.node(name) else {
      let names = plan.nodes.map(\.name).joined(separator: ", ")
      throw .validation("node", expected: "one of \(names)", got: "'\(name)'", advice: "Name a node of the plan.")
    }
    (self.node, self.plan) = (node, plan)
    standby = node.standby.flatMap(plan.node)
    self.leases = leases
    var texts = [
      plan.text, show.show, show.rig, show.demo.rawValue, "\(followsClock ? 0 : configuration.tempo)",
      "\(configuration.startsInBlackout)", "\(output.rate)",
    ]
    if leases != nil { texts.append("leases") }
    let hash = Self.hash(of: texts)
    self.show = hash
    var output = output
    output.since = plan.start
    (output.name, output.priority, output.universes) = (name, 100, node.universes)
    own = node.universes.isEmpty ? nil : try DMXSender(output)
    var places: [Place] = []
    if leases != nil, let own { places.append(Place(owner: node, sender: own, failover: nil)) }
    for owner in plan.owners(behind: name) where !owner.universes.isEmpty {
      var other = output
      (other.name, other.universes) = (Self.name(of: name, for: owner.name), owner.universes)
      other.priority = Failover.priority(of: .standby) ?? 0
      other.cid = Self.cid(output.cid, for: owner.name)
      places.append(
        Place(
          owner: owner, sender: try DMXSender(other), failover: Failover(show: hash, now: .zero), kind: .standby))
    }
    if leases != nil {
      let me = LeaseHolder(node: name, instance: epoch, show: hash)
      for place in places.indices {
        let owner = places[place].owner
        places[place].tenure = Tenure(me, of: owner.name, standby: owner.standby)
      }
    }
    self.places = places
    senders = [own].compactMap(\.self) + places.filter { $0.failover != nil }.map(\.sender)
    (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(64))
  }

  /// At which a node may send its own universes: with their lease or without one, or beneath another holder.
  static let ownPriorities = [Event.Kind.leased, .unleased, .fenced].compactMap(Place.priority)

  /// The name of a source that stands by for another node.
  static func name(of standby: String, for owner: String) -> String { "\(standby) for \(owner)" }

  /// Sends and hears heartbeats, and changes the priorities of a show that plays, until the task is cancelled.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/network``; as ``LightingController/add(_:)``.
  public func run(_ controller: LightingController) async throws(LightingError) {
    let host = node.socketAddress.host
    // A socket would open at it, and hear others' heartbeats.
    if let network = try NetworkInterface.all().first(where: {
      DatagramAddress.host($0.broadcast) == host && DatagramAddress.host($0.address) != host
    }) {
      throw LightingError(
        .network, "\(node.address): it is the broadcast address of \(network.name)",
        advice: "Name an address of this machine in the plan.")
    }
    let socket = try DatagramSocket(node.socketAddress)
    let (inputs, continuation) = AsyncStream.makeStream(of: Input.self, bufferingPolicy: .bufferingNewest(256))
    let datagrams = socket.datagrams
    let hearing = Task {
      for await datagram in datagrams { continuation.yield(.datagram(datagram)) }
    }
    let ticking = Task {
      while !Task.isCancelled {
        continuation.yield(.tick)
        try? await Task.sleep(for: Failover.interval / 4)
      }
    }
    let keeping = leases.map { leases in
      Task {
        await withDiscardingTaskGroup { tasks in
          for place in places.indices { tasks.addTask { await self.keep(place, leases) } }
        }
      }
    }
    defer { self.continuation.finish() }
    for place in places.indices where places[place].failover != nil {
      places[place].failover = Failover(show: show, now: time)
      report(place, .standby, "the show begins")
    }
    do throws(LightingError) {
      try await reportUnowned(controller)
      for await input in inputs {
        switch input {
        case .datagram(let bytes): try await hear(bytes, controller)
        case .tick: try await tick(controller, socket)
        }
      }
    } catch {
      await end([hearing, ticking, keeping], socket)
      throw error
    }
    await end([hearing, ticking, keeping], socket)
  }

  /// Hands over the leases that the node holds, and reports its end to its standby.
  private func end(_ tasks: [Task<Void, Never>?], _ socket: DatagramSocket) async {
    for task in tasks { task?.cancel() }
    for task in tasks { await task?.value }
    if let leases {
      for place in places.indices {
        guard case .write(let holder, let revision)? = places[place].tenure?.release(at: time) else { continue }
        // This task is cancelled, and what a store does with that is its own affair. Without an answer the lease ends by itself.
        let key = places[place].owner.name
        _ = await Task { try? await leases.write(holder.description, to: key, replacing: revision) }.value
      }
    }
    if let standby, beats > 0 { socket.send(heartbeat(Heartbeat.last).bytes(key: plan.key), to: standby.socketAddress) }
  }

  private func reportUnowned(_ controller: LightingController) async throws(LightingError) {
    let numbers = try await controller.levels().keys.filter { $0.protocol == .sacn }.map(\.number).sorted()
    let unowned = UniversePlan.ranges(of: plan.unowned(of: numbers))
    guard !unowned.isEmpty else { return }
    let list = unowned.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
    report(nil, .unowned, "no node of the plan owns the universes \(list.joined(separator: ",")) of the show")
  }

  /// The time since the start.
  var time: Duration { ContinuousClock.now - start }
  /// Milliseconds since 1970.
  private static var calendar: UInt64 { UInt64(max(0, Date.now.timeIntervalSince1970 * 1_000)) }

  private func hear(_ bytes: [UInt8], _ controller: LightingController) async throws(LightingError) {
    guard let heartbeat = Heartbeat(bytes, key: plan.key) else {
      guard !hasReportedForeign else { return }
      hasReportedForeign = true
      report(nil, .foreign, "a datagram at \(node.address) is no heartbeat with the key of this plan")
      return
    }
    guard let place = places.firstIndex(where: { $0.owner.name == heartbeat.node && $0.failover != nil }),
      places[place].tenure?.accepts(heartbeat, at: time) ?? true
    else { return }
    if case .mistimed(let offset)? = places[place].failover?.hear(heartbeat, at: time, calendar: Self.calendar) {
      noteMistimed(place, offset)
    }
    try await change(place, controller)
  }

  private func noteMistimed(_ place: Int, _ offset: Duration) {
    places[place].mistimed += 1
    let count = places[place].mistimed
    // As many as a second brings would fill the reports.
    guard count.nonzeroBitCount == 1 else { return }
    let seconds = (abs(offset / .seconds(1)) * 10).rounded() / 10
    let direction = offset < .zero ? "behind" : "ahead of"
    report(
      places[place].owner.name, .mistimed,
      "its heartbeat is \(seconds) s \(direction) this clock: number \(count) that is refused")
  }

  private func tick(_ controller: LightingController, _ socket: DatagramSocket) async throws(LightingError) {
    for place in places.indices {
      places[place].failover?.advance(to: time)
      try await change(place, controller)
    }
    guard time >= nextBeat, let own, let standby else { return }
    nextBeat = max(nextBeat + Failover.interval, time)
    // A node whose frames stand still is none that lives.
    let frames = await own.report?.frames ?? 0
    guard frames != self.frames else { return }
    (self.frames, beats) = (frames, beats + 1)
    socket.send(heartbeat(beats).bytes(key: plan.key), to: standby.socketAddress)
  }

  private func heartbeat(_ number: UInt64) -> Heartbeat {
    let token = places.first { $0.failover == nil }?.tenure?.token(at: time) ?? 0
    return Heartbeat(node: node.name, epoch: epoch, number: number, sent: Self.calendar, show: show, token: token)
  }

  /// Keeps, takes and hands over the lease of an owner's universes until the task is cancelled.
  private func keep(_ place: Int, _ leases: any LeaseStore) async {
    let key = places[place].owner.name
    while !Task.isCancelled {
      guard let action = nextAction(of: place) else {
        try? await Task.sleep(for: Failover.interval / 4)
        continue
      }
      do {
        switch action {
        case .read:
          places[place].tenure?.timeToLive = try await leases.timeToLive
          let record = try await leases.record(of: key)
          places[place].tenure?.read(record, at: time)
        case .write(let holder, let revision):
          let new = try await leases.write(holder.description, to: key, replacing: revision)
          places[place].tenure?.wrote(new, at: time)
        }
      } catch {
        places[place].tenure?.failed("\(error)", at: time)
      }
    }
  }

  private func nextAction(of place: Int) -> Tenure.Action? {
    let failover = places[place].failover
    // An owner wants its lease; its standby while the owner is silent.
    return places[place].tenure?.action(
      wants: failover.map { $0.state == .active } ?? true, replaces: failover != nil, at: time)
  }

  /// Does what is to be done for an owner, or for the node itself.
  private func change(_ place: Int, _ controller: LightingController) async throws(LightingError) {
    let now = places[place]
    guard let (kind, reason) = now.target(at: time) else { return }
    guard kind != now.kind else {
      if now.isNews(reason, at: time) { report(place, kind, reason) }
      return
    }
    places[place].kind = kind
    if let priority = now.priority(of: kind) {
      if now.kind == .refused { try await controller.add(now.sender) }
      for universe in try await controller.levels().keys.sorted()
      where universe.protocol == .sacn && now.owner.owns(universe.number) {
        try await now.sender.setPriority(priority, of: universe)
      }
    } else {
      await controller.remove(now.sender)
    }
    report(place, kind, reason)
  }

  private func report(_ place: Int, _ kind: Event.Kind, _ reason: String) {
    places[place].reported = (time, reason)
    report(places[place].owner.name, kind, reason, priority: places[place].priority(of: kind))
  }

  private func report(_ owner: String?, _ kind: Event.Kind, _ reason: String, priority: Int? = nil) {
    reports[owner ?? "", default: [:]][kind, default: 0] += 1
    continuation.yield(Event(time: time, kind: kind, owner: owner, priority: priority, reason: reason))
  }

  /// The hash of texts, each with its length.
  private static func hash(of texts: [String]) -> String {
    var hash = SHA256()
    for text in texts {
      hash.update(Array("\(text.utf8.count) ".utf8))
      hash.update(Array(text.utf8))
    }
    return hash.finish()
  }

  /// The identity of the source that stands by for an owner: of this node, and the same one after a restart.
  private static func cid(_ own: UUID, for owner: String) -> UUID {
    let digits = Array(hash(of: [own.uuidString, owner]))
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
    return UUID(uuidString: parts.joined(separator: "-")) ?? UUID()
  }
}
