internal import Foundation
internal import RustleCore
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
  /// A change of what the node does for another.
  public struct Event: Sendable, Hashable {
    /// What it does.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// It sends the owner's universes at priority 90, beneath the owner's.
      case standby
      /// It sends them at 110: the owner is silent, or has been back for less than 5 s.
      case active
      /// It does not send them: the owner plays another show.
      case refused
      /// A datagram that is no heartbeat of the plan arrived; reported once.
      case foreign
    }

    /// The time since the start.
    public let time: Duration
    /// What the node does.
    public let kind: Kind
    /// The owner; nil for a foreign datagram.
    public let owner: String?
    /// The priority of its universes; nil: they are not sent.
    public let priority: Int?
    /// Why, in one clause.
    public let reason: String
  }

  /// What the node does for an owner.
  private struct Place {
    let owner: UniversePlan.Node
    let sender: DMXSender
    var failover: Failover
  }

  private enum Input: Sendable {
    case datagram([UInt8])
    case tick
  }

  /// The node.
  public nonisolated let node: UniversePlan.Node
  /// The senders of its universes, and of those for which it stands by: to be started with the show.
  public nonisolated let senders: [DMXSender]
  /// What it does for others, from the beginning on; the newest 64 wait.
  public nonisolated let events: AsyncStream<Event>

  private let plan: UniversePlan
  private let show: String
  private let own: DMXSender?
  private let standby: UniversePlan.Node?
  private var places: [Place]
  private let continuation: AsyncStream<Event>.Continuation
  private let start = ContinuousClock.now
  private let epoch = UInt64(Date.now.timeIntervalSince1970 * 1_000)
  private var beats: UInt64 = 0
  private var nextBeat = Duration.zero
  private var frames: UInt64 = 0
  private var hasReportedForeign = false

  /// Creates a node; nothing is opened.
  ///
  /// - Parameters:
  ///   - name: its name in the plan.
  ///   - plan: the plan.
  ///   - show: the show, the same one on all nodes.
  ///   - configuration: how it is played.
  ///   - followsClock: whether a clock has its beats.
  ///   - output: where and as whom its universes are sent; the name, the priority, the universes and the time of the frames are the plan's.
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation`` for a name that the plan does not have; as
  ///   ``DMXSender/init(_:)``.
  public init(
    _ name: String, of plan: UniversePlan, playing show: LightShow,
    configuration: LightingController.Configuration = LightingController.Configuration(), followsClock: Bool = false,
    output: DMXSenderConfiguration = DMXSenderConfiguration(.sacn)
  ) throws(LightingError) {
    guard let node = plan.node(name) else {
      let names = plan.nodes.map(\.name).joined(separator: ", ")
      throw .validation("node", expected: "one of \(names)", got: "'\(name)'", advice: "Name a node of the plan.")
    }
    (self.node, self.plan) = (node, plan)
    standby = node.standby.flatMap(plan.node)
    let hash = Self.hash(of: [
      plan.text, show.show, show.rig, show.demo.rawValue, "\(followsClock ? 0 : configuration.tempo)",
      "\(configuration.startsInBlackout)", "\(output.rate)",
    ])
    self.show = hash
    var output = output
    output.since = plan.start
    (output.name, output.priority, output.universes) = (name, 100, node.universes)
    own = node.universes.isEmpty ? nil : try DMXSender(output)
    var places: [Place] = []
    for owner in plan.owners(behind: name) where !owner.universes.isEmpty {
      var other = output
      (other.name, other.universes) = (Self.name(of: name, for: owner.name), owner.universes)
      other.priority = Failover.priority(of: .standby) ?? 0
      other.cid = Self.cid(output.cid, for: owner.name)
      places.append(
        Place(owner: owner, sender: try DMXSender(other), failover: Failover(show: hash, now: .zero)))
    }
    self.places = places
    senders = [own].compactMap(\.self) + places.map(\.sender)
    (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(64))
  }

  /// The name of a source that stands by for another node.
  static func name(of standby: String, for owner: String) -> String { "\(standby) for \(owner)" }

  /// Sends and hears heartbeats, and changes the priorities of a show that plays, until the task is cancelled.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/network``; as ``LightingController/add(_:)``.
  public func run(_ controller: LightingController) async throws(LightingError) {
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
    defer {
      hearing.cancel()
      ticking.cancel()
      self.continuation.finish()
    }
    for place in places.indices { places[place].failover = Failover(show: show, now: time) }
    for place in places { report(place, "the show begins") }
    for await input in inputs {
      switch input {
      case .datagram(let bytes): try await hear(bytes, controller)
      case .tick: try await tick(controller, socket)
      }
    }
  }

  private var time: Duration { ContinuousClock.now - start }

  private func hear(_ bytes: [UInt8], _ controller: LightingController) async throws(LightingError) {
    guard let heartbeat = Heartbeat(bytes, key: plan.key) else {
      guard !hasReportedForeign else { return }
      hasReportedForeign = true
      continuation.yield(
        Event(
          time: time, kind: .foreign, owner: nil, priority: nil,
          reason: "a datagram at \(node.address) is no heartbeat with the key of this plan"))
      return
    }
    guard let place = places.firstIndex(where: { $0.owner.name == heartbeat.node }) else { return }
    try await change(place, controller) { _ = $0.hear(heartbeat, at: $1) }
  }

  private func tick(_ controller: LightingController, _ socket: DatagramSocket) async throws(LightingError) {
    for place in places.indices { try await change(place, controller) { $0.advance(to: $1) } }
    guard time >= nextBeat, let own, let standby else { return }
    nextBeat = max(nextBeat + Failover.interval, time)
    // A node whose frames stand still is none that lives.
    let frames = await own.report?.frames ?? 0
    guard frames != self.frames else { return }
    (self.frames, beats) = (frames, beats + 1)
    let heartbeat = Heartbeat(node: node.name, epoch: epoch, number: beats, show: show)
    socket.send(heartbeat.bytes(key: plan.key), to: standby.socketAddress)
  }

  /// Changes what the node does for an owner.
  private func change(
    _ place: Int, _ controller: LightingController, _ step: (inout Failover, Duration) -> Void
  ) async throws(LightingError) {
    let before = places[place].failover.state
    step(&places[place].failover, time)
    let (now, state) = (places[place], places[place].failover.state)
    guard state != before else { return }
    if let priority = Failover.priority(of: state) {
      if before == .refused { try await controller.add(now.sender) }
      for universe in try await controller.levels().keys.sorted()
      where universe.protocol == .sacn && now.owner.owns(universe.number) {
        try await now.sender.setPriority(priority, of: universe)
      }
    } else {
      await controller.remove(now.sender)
    }
    let name = now.owner.name
    switch state {
    case .standby: report(now, "\(name) is heard")
    case .active: report(now, "\(name) is silent")
    case .refused: report(now, "\(name) plays another show or plan")
    }
  }

  private func report(_ place: Place, _ reason: String) {
    let state = place.failover.state
    let kind: Event.Kind =
      switch state {
      case .standby: .standby
      case .active: .active
      case .refused: .refused
      }
    continuation.yield(
      Event(
        time: time, kind: kind, owner: place.owner.name, priority: Failover.priority(of: state), reason: reason))
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
