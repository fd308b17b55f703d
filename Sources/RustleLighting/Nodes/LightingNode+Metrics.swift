public import RustleCore

extension LightingNode {
  /// For Prometheus, with the label `owner`: at which priorities the node sends for others, and for itself with leases; whether it holds
  /// their leases; heartbeats of another time; and its reports by kind.
  public var metrics: [EngineMetric] {
    let now = time
    func samples(_ places: [Place], _ value: (Place) -> some BinaryInteger) -> [EngineMetric.Sample] {
      places.map { EngineMetric.Sample(value($0), [.init("owner", $0.owner.name)]) }
    }
    let reports = reports.sorted { $0.key < $1.key }.flatMap { owner, counts in
      counts.sorted { $0.key.rawValue < $1.key.rawValue }.map {
        EngineMetric.Sample($0.value, [.init("owner", owner), .init("kind", $0.key.rawValue)])
      }
    }
    return [
      EngineMetric(
        "rustle_node_priority", .gauge, "Priority at which an owner's universes are sent here; 0: they are not.",
        samples(places) { place in place.kind.map { place.priority(of: $0) ?? 0 } ?? place.sender.configuration.priority
        }),
      EngineMetric(
        "rustle_node_holds_lease", .gauge, "1: this node holds the lease of an owner's universes; 0: it does not.",
        samples(places.filter { $0.tenure != nil }) { $0.tenure?.status(at: now) == .held ? 1 : 0 }),
      EngineMetric(
        "rustle_node_mistimed_heartbeats_total", .counter, "Heartbeats refused because they are of another time.",
        samples(places.filter { $0.failover != nil }) { $0.mistimed }),
      EngineMetric("rustle_node_reports_total", .counter, "Changes and refusals that the node has reported.", reports),
    ]
  }
}
