import Foundation
import RustleCore
import RustleLighting
import TestSupport
import Testing

/// Leases in memory.
private actor Leases: LeaseStore {
  struct OtherRevision: Error {}

  let timeToLive = Duration.seconds(3)
  private var records: [String: LeaseRecord] = [:]
  private var revision: UInt64 = 0

  func record(of key: String) -> LeaseRecord? { records[key] }

  func write(_ text: String, to key: String, replacing last: UInt64) throws -> UInt64 {
    guard records[key]?.revision ?? 0 == last else { throw OtherRevision() }
    revision += 1
    records[key] = LeaseRecord(text, revision: revision)
    return revision
  }
}

@Suite(.releasesNativeObjects) struct NodeMetricsTests {
  /// Two nodes. On Linux every address of 127.0.0.0/8 is this machine's: that of the process is no other one's.
  private static func plan() throws -> UniversePlan {
    #if os(Linux)
    let process = getpid()
    let host = "127.\(process >> 16 & 255).\(process >> 8 & 255).\(process & 255)"
    #else
    let host = "127.0.0.1"
    #endif
    let text = """
      {"v": 1, "start": "2026-01-01T00:00:00Z", "key": "a key", "nodes": [
        {"name": "left", "address": "\(host):25571", "universes": "1", "standby": "right"},
        {"name": "right", "address": "\(host):25572", "universes": "2", "standby": "left"}]}
      """
    return try UniversePlan(Data(text.utf8))
  }

  /// The values of a node's metric by its labels.
  private static func values(_ name: String, of node: LightingNode) async -> [[String]: Double] {
    let samples = await node.metrics.first { $0.name == "rustle_node_\(name)" }?.samples ?? []
    return Dictionary(uniqueKeysWithValues: samples.map { ($0.labels.map(\.value), $0.value) })
  }

  @Test func prioritiesLeasesAndReportsAreOfTheMoment() async throws {
    let (plan, show) = (try Self.plan(), try LightShow(demo: .pars))
    var output = DMXSenderConfiguration(.sacn)
    output.interface = DMXSenderConfiguration.demoInterface
    let without = try LightingNode("right", of: plan, playing: show, output: output)
    #expect(await Self.values("priority", of: without) == [["left"]: 90])
    #expect(await Self.values("holds_lease", of: without).isEmpty)

    let node = try LightingNode("right", of: plan, playing: show, leases: Leases(), output: output)
    #expect(await Self.values("priority", of: node) == [["left"]: 90, ["right"]: 100])
    #expect(await Self.values("holds_lease", of: node) == [["left"]: 0, ["right"]: 0])
    let controller = LightingController(show)
    try await controller.start(outputs: node.senders)
    let run = Task { try await node.run(controller) }
    // Nobody is the left node.
    for await event in node.events where event.kind == .active { break }
    #expect(await Self.values("priority", of: node) == [["left"]: 110, ["right"]: 100])
    #expect(await Self.values("holds_lease", of: node) == [["left"]: 1, ["right"]: 1])
    #expect(await Self.values("mistimed_heartbeats_total", of: node) == [["left"]: 0])
    let reports = await Self.values("reports_total", of: node)
    #expect(reports[["left", "active"]] == 1 && reports[["right", "leased"]] == 1)
    #expect(reports[["left", "standby"]] != nil)
    run.cancel()
    try await run.value
    await controller.stop()
  }
}
