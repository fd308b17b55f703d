import RustleCore
import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct NodeProvisionerTests {
  private let runtime: NativeRuntime
  private let demo: NodeRadioConfiguration
  private let settings = NodeSettings(
    name: "left", ssid: "stage", password: NodePassword("canary-7f3a91"), universe: 2, start: 401, footprint: 12)

  init() throws {
    runtime = try NativeRuntime(wallMilliseconds: 0)
    var demo = NodeRadioConfiguration()
    demo.adapter = NodeRadioConfiguration.demoAdapter
    self.demo = demo
  }

  /// Moves the clock beside a task until it ends.
  private func advancing<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await body() }
    let isOver = OneShot()
    Task {
      _ = await task.result
      isOver.fire()
    }
    while !isOver.isFired {
      runtime.advance(nanoseconds: 10_000_000)
      await Task.yield()
    }
    return try await task.value
  }

  @Test func attemptStreamsItsStatesAndEndsVerified() async throws {
    let provisioner = try NodeProvisioner(demo, runtime: runtime)
    let stream = try await provisioner.provision("ChromaDMX-0002", with: settings)
    let updates = try await advancing {
      await stream.reduce(into: [NodeUpdate]()) { $0 += $1.value.map { [$0] } ?? [] }
    }
    let names = ["SCANNING", "CONNECTING", "READING_CONFIG", "WRITING_CONFIG", "APPLYING", "VERIFYING", "SUCCESS"]
    #expect(updates.map(\.state.name) == names)
    let last = try #require(updates.last)
    #expect(last.state == .success && last.state.isLast && last.isDisconnected && last.progress == 1)
    #expect(last.node == "02:00:00:00:00:02" && last.advertisedName == "ChromaDMX-0002" && last.rssi == -54)
    let values = try #require(last.configuration)
    #expect(values.name == "left" && values.ssid == "stage" && values.universe == 2 && values.start == 401)
    #expect(values.flag == .provisioned && values.firmware == "1.4.2")
    #expect(!"\(updates)".contains("canary"))
    #expect(stream.outcome == .ended)
  }

  @Test func refusedValuesAreAllNamedAndNothingBegins() async throws {
    let provisioner = try NodeProvisioner(demo, runtime: runtime)
    var bad = settings
    (bad.name, bad.start) = ("", 510)
    let error = await #expect(throws: NodeError.self) { try await provisioner.provision(with: bad) }
    #expect(error?.code == .validation)
    #expect(
      error?.message
        == "name: expected 1 to 32 bytes, got 0; start: expected 12 slots up to 512, got 510 as the first")
    bad.universe = -1
    let negative = await #expect(throws: NodeError.self) { try await provisioner.provision(with: bad) }
    #expect(negative?.message == "universe: expected 0 to 32767, got -1")
    #expect(await provisioner.liveStreamCount == 0)
  }

  @Test func tableReportsEachNodeAndGoesOnAfterAFailure() async throws {
    let provisioner = try NodeProvisioner(demo, runtime: runtime)
    let table = "node,name,universe,start\nChromaDMX-0001,a,1,1\nnobody,b,1,20\nChromaDMX-0003,c,1,40\n"
    let stream = try await provisioner.provision(table: table, with: settings)
    let ends = try await advancing {
      await stream.reduce(into: [NodeUpdate]()) { $0 += $1.value.flatMap { $0.state.isLast ? [$0] : nil } ?? [] }
    }
    #expect(ends.map(\.index) == [0, 1, 2] && ends.allSatisfy { $0.nodeCount == 3 })
    #expect(ends.map { $0.state.error?.code } == [nil, .notFound, nil])
    let malformed = await #expect(throws: NodeError.self) {
      try await provisioner.provision(table: "node,name\n", with: settings)
    }
    #expect(malformed?.code == .malformedTable && malformed?.message.contains("line 1") == true)
  }

  @Test func valuesAreReadAndCommandsAreGiven() async throws {
    let provisioner = try NodeProvisioner(demo, runtime: runtime)
    let values = try await advancing { try await provisioner.readConfiguration(of: "ChromaDMX-0004") }
    #expect(values.name == "ChromaDMX-0004" && values.ssid == "rehearsal")
    #expect(values.universe == 2 && values.start == 101 && values.flag == .provisioned)
    try await advancing { try await provisioner.reboot("ChromaDMX-0001") }
    try await advancing { try await provisioner.factoryReset("02:00:00:00:00:01") }
    let error = await #expect(throws: NodeError.self) {
      try await advancing { try await provisioner.readConfiguration(of: "nobody") }
    }
    #expect(error?.code == .notFound && error?.message == "node: expected nobody within 10 s, got none")
    let empty = await #expect(throws: NodeError.self) { try await provisioner.factoryReset("") }
    #expect(empty?.code == .validation && empty?.message == "node: expected a name or an identifier, got none")
  }

  @Test func rowsOfATableAreEachAnotherNode() async throws {
    let provisioner = try NodeProvisioner(demo, runtime: runtime)
    let (first, second) = ("ChromaDMX-0001", "ChromaDMX-0002")
    let table = "node,name,universe,start\n\(first),\(second),1,1\n\(second),\(first),1,20\n02:00:00:00:00:01,c,1,40\n"
    let stream = try await provisioner.provision(table: table, with: settings)
    let ends = try await advancing {
      await stream.reduce(into: [NodeUpdate]()) { $0 += $1.value.flatMap { $0.state.isLast ? [$0] : nil } ?? [] }
    }
    #expect(ends.map(\.node) == ["02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:01"])
    #expect(ends.map { $0.state.error?.code } == [nil, nil, .ambiguous])
    #expect(ends.last?.state.error?.advice.contains("address") == true)
  }

  @Test func timeoutsAreTakenAndChecked() async throws {
    var timeouts = NodeTimeouts()
    timeouts.scan = .seconds(3)
    let provisioner = try NodeProvisioner(demo, timeouts: timeouts, runtime: runtime)
    let error = await #expect(throws: NodeError.self) { try await advancing { try await provisioner.reboot("nobody") } }
    #expect(error?.message == "node: expected nobody within 3 s, got none")
    for wrong in [Duration.zero, .seconds(3_601), .seconds(-1)] {
      timeouts.attempt = wrong
      let refusing = try NodeProvisioner(demo, timeouts: timeouts, runtime: runtime)
      let refusal = await #expect(throws: NodeError.self) { try await refusing.reboot() }
      #expect(refusal?.code == .validation && refusal?.message.hasPrefix("timeouts.attempt: expected") == true)
    }
  }

  @Test func cancelReturnsWhenTheNodeIsDisconnected() async throws {
    let provisioner = try NodeProvisioner(demo, runtime: runtime)
    let stream = try await provisioner.provision(with: settings)
    let iterator = Task {
      var last: NodeUpdate?
      for await element in stream { last = element.value ?? last }
      return last
    }
    // Past the scan's second of quiet: it is linked.
    for _ in 0..<115 {
      runtime.advance(nanoseconds: 10_000_000)
      await Task.yield()
    }
    try await advancing { await provisioner.cancel() }
    #expect(await provisioner.liveStreamCount == 0)
    #expect(await iterator.value?.state.isLast != true)
    #expect(stream.outcome == .cancelled)
  }

  @Test func scannerStreamsNodesUntilItIsStopped() async throws {
    let scanner = try NodeScanner(demo, runtime: runtime)
    let stream = try await scanner.nodes()
    let seen = try await advancing {
      var seen: [ScannedNode] = []
      for await element in stream {
        if let node = element.value { seen.append(node) }
        if seen.count == 8 { break }
      }
      return seen
    }
    #expect(seen.map(\.change) == Array(repeating: .appeared, count: 4) + Array(repeating: .changed, count: 4))
    let first = try #require(seen.first)
    #expect(first.id == "02:00:00:00:00:01" && first.name == "ChromaDMX-0001" && first.rssi == -47)
    #expect(first.flag == .unprovisioned && first.firmware == "1.4" && seen[3].flag == .provisioned)
    try await advancing { await scanner.stop() }
    await scanner.shutDown()
    let error = await #expect(throws: NodeError.self) { try await scanner.nodes() }
    #expect(error?.code == .shutDown)
  }

  @Test func passwordIsInNoDescription() {
    var text = "\(settings) \(String(reflecting: settings)) \(settings.password)"
    dump(settings, to: &text)
    #expect(!text.contains("canary"))
  }
}
