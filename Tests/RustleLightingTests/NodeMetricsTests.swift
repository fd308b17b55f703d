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
  /// Two nodes, of which the right one has a port that no program has.
  private static func plan() throws -> UniversePlan {
    let text = """
      {"v": 1, "start": "2026-01-01T00:00:00Z", "key": "a key", "nodes": [
        {"name": "left", "address": "127.0.0.1:9", "universes": "1", "standby": "right"},
        {"name": "right", "address": "127.0.0.1:\(try unusedPort())", "universes": "2", "standby": "left"}]}
      """
    return try UniversePlan(Data(text.utf8))
  }

  private static func unusedPort() throws -> UInt16 {
    #if canImport(Glibc) || canImport(Musl)
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_DGRAM, 0)
    #endif
    defer { close(descriptor) }
    var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let bound = unsafe bind(descriptor, address, length)
        return unsafe bound == 0 ? getsockname(descriptor, address, &length) : bound
      }
    }
    try #require(status == 0)
    return UInt16(bigEndian: address.sin_port)
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
