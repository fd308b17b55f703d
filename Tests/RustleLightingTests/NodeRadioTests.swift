import RustleCore
import TestSupport
import Testing

@testable import RustleLighting

/// Nodes of a script behind a radio of the program's, on the system's time.
@Suite(.releasesNativeObjects) struct NodeRadioTests {
  private let password = "canary-7f3a91"
  private var settings: NodeSettings {
    NodeSettings(name: "left", ssid: "stage", password: NodePassword(password), universe: 2, start: 401)
  }
  private let node = "6E1F3C9A-0000-4000-8000-000000000001"

  /// Runs `body` with a provisioner of the radio, and waits until that is closed.
  private func provisioning(
    _ radio: ScriptedNodeRadio, timeouts: NodeTimeouts = NodeTimeouts(),
    _ body: (NodeProvisioner) async throws -> Void
  ) async throws {
    let provisioner = try NodeProvisioner(radio: { radio }, timeouts: timeouts)
    try await body(provisioner)
    await provisioner.shutDown()
    await radio.closed()
  }

  private func updates(_ stream: EngineStream<NodeUpdate>) async -> [NodeUpdate] {
    await stream.reduce(into: []) { $0 += $1.value.map { [$0] } ?? [] }
  }

  @Test func attemptOfTheMachineGoesThroughTheProgramsRadio() async throws {
    let radio = ScriptedNodeRadio(node)
    try await provisioning(radio) { provisioner in
      let updates = await updates(try await provisioner.provision(node, with: settings))
      let names = ["SCANNING", "CONNECTING", "READING_CONFIG", "WRITING_CONFIG", "APPLYING", "VERIFYING", "SUCCESS"]
      #expect(updates.map(\.state.name) == names)
      #expect(updates.last?.node == node && updates.last?.rssi == -40 && updates.last?.isDisconnected == true)
      #expect(updates.last?.configuration?.flag == .provisioned)
      #expect(!"\(updates)".contains(password))
    }
    let read = ["read name", "read ssid", "read universe", "read start"]
    let written = ["write name", "write ssid", "write password", "write universe", "write start"]
    let link = ["scan", "stopScan", "connect \(node)", "characteristics"]
    #expect(
      radio.calls
        == link + read + ["read firmware", "subscribe", "read flag"] + written + read + ["write command", "read flag"]
        + read + ["unsubscribe", "disconnect", "close"])
    #expect(radio.values[.password] == Array(password.utf8) && radio.values[.universe] == [2, 0])
  }

  @Test func whatARadioThrowsIsTheErrorOfTheAttempt() async throws {
    // A system that repeats the password in its text.
    let refused = NodeRadioFailure(.other, "value \(password) is not allowed")
    for (call, failure, code, text) in [
      ("write password", refused, NodeError.Code.failed, "the write of password failed: value … is not allowed"),
      ("write password", NodeRadioFailure(.other, "Not paired"), .failed, "Not paired"),
      ("scan", NodeRadioFailure(.adapterOff, "powered off"), .adapterOff, "powered off"),
      ("scan", NodeRadioFailure(.notAuthorized, "denied"), .notAuthorized, "denied"),
      ("read ssid", NodeRadioFailure(.notConnected, "gone"), .linkLost, "READING_CONFIG"),
      ("connect \(node)", NodeRadioFailure(.other, "busy"), .notConnected, "3 tries: busy"),
    ] {
      let radio = ScriptedNodeRadio(node, failures: [call: failure])
      try await provisioning(radio) { provisioner in
        let last = await updates(try await provisioner.provision(node, with: settings)).last
        let error = try #require(last?.state.error)
        #expect(error.code == code && error.message.contains(text), "\(call): \(error)")
        #expect(!"\(error)".contains(password))
        #expect(error.advice.contains("--encrypt") == (text == "Not paired"))
        #expect(last?.isDisconnected == true)
      }
      #expect(radio.isLinked == false, "\(call)")
    }
  }

  @Test(arguments: NodeCharacteristic.allCases.filter { ![.flag, .firmware].contains($0) })
  func refusedWriteAndLostLinkEndTheAttemptAtEachValue(_ value: NodeCharacteristic) async throws {
    let call = "write \(value)"
    for radio in [
      ScriptedNodeRadio(node, failures: [call: NodeRadioFailure(.other, "refused")]),
      ScriptedNodeRadio(node, losesLinkAt: call),
    ] {
      try await provisioning(radio) { provisioner in
        let last = await updates(try await provisioner.provision(node, with: settings)).last
        #expect(last?.state.error != nil && last?.isDisconnected == true, "\(String(describing: last))")
      }
      #expect(!radio.isLinked)
      // Nothing is written after it, and nothing twice.
      #expect(radio.calls.last { $0.hasPrefix("write") } == call && radio.calls.count { $0 == call } == 1)
    }
  }

  @Test(arguments: [NodeCharacteristic.name, .ssid, .universe, .start])
  func valueThatIsKeptOtherwiseIsNeverApplied(_ value: NodeCharacteristic) async throws {
    let radio = ScriptedNodeRadio(node, garbles: value)
    try await provisioning(radio) { provisioner in
      let last = await updates(try await provisioner.provision(node, with: settings)).last
      #expect(last?.state.error?.code == .readBackDiffers && last?.isDisconnected == true)
    }
    #expect(!radio.isLinked && !radio.calls.contains("write command"))
  }

  @Test func linkThatGoesEndsTheAttempt() async throws {
    let radio = ScriptedNodeRadio(node, losesLinkAt: "write ssid")
    try await provisioning(radio) { provisioner in
      let last = await updates(try await provisioner.provision(node, with: settings)).last
      #expect(last?.state.error?.code == .linkLost && last?.isDisconnected == true)
    }
    #expect(!radio.calls.contains("write password"))
  }

  @Test func cancelReturnsWhenTheRadioHasDisconnected() async throws {
    let radio = ScriptedNodeRadio(node, silentAt: "write ssid")
    try await provisioning(radio) { provisioner in
      let stream = try await provisioner.provision(node, with: settings)
      await radio.called("write ssid")
      #expect(radio.isLinked)
      await provisioner.cancel()
      #expect(!radio.isLinked && stream.outcome == .cancelled)
    }
  }

  /// As in an app that the system held back meanwhile.
  @Test func writeThatIsHandledAfterTheCancellationWritesNothing() async throws {
    let configuration = try NodeRadioConfiguration.program.native(isProgram: true)
    let shared = try SharedNodeRadio(configuration, runtime: nil)
    let radio = ScriptedNodeRadio(node)
    let written = radio.values
    // The driver gets its requests here, not from a radio that nobody uses.
    let driver = NodeRadioDriver(shared, try SharedNodeRadio(configuration, runtime: nil).requests()) { radio }
    let (requests, settings) = (try shared.requests(), settings)
    var attempt: EngineStream<NodeUpdate>? = try shared.native.start(
      NativeNodeTaskRequest(
        node: node, name: settings.name, ssid: settings.ssid, password: password, table: "", attemptNanoseconds: 0,
        scanNanoseconds: 0, connectNanoseconds: 0, servicesNanoseconds: 0, operationNanoseconds: 0,
        applyNanoseconds: 0, verifyNanoseconds: 0, disconnectNanoseconds: 0, capacity: 64, order: .provision,
        universe: settings.universe, start: settings.start, footprint: 0, mustEncrypt: false),
      reader: ElementReader { NodeUpdate($0) })
    var held: NativeNodeRequest?
    for await element in requests {
      guard let request = element.value else { continue }
      if request.ask == .write {
        held = request
        attempt = nil
        continue
      }
      if request.ask == .disconnect { await driver.perform(try #require(held), with: radio) }
      await driver.take(request)
      if request.ask == .close { break }
    }
    await radio.closed()
    #expect(!radio.calls.contains { $0.hasPrefix("write") } && radio.values == written && !radio.isLinked)
    driver.release()
    _ = attempt
  }

  @Test func provisionerThatIsDroppedDisconnects() async throws {
    let radio = ScriptedNodeRadio(node, silentAt: "write ssid")
    var provisioner: NodeProvisioner? = try NodeProvisioner(radio: { radio })
    let stream = try await provisioner?.provision(node, with: settings)
    await radio.called("write ssid")
    provisioner = nil
    await radio.closed()
    #expect(!radio.isLinked && radio.calls.suffix(2) == ["disconnect", "close"])
    _ = stream
  }

  @Test func nodeWithoutACharacteristicIsAnother() async throws {
    var timeouts = NodeTimeouts()
    timeouts.services = .milliseconds(100)
    let radio = ScriptedNodeRadio(node, lacks: .command)
    try await provisioning(radio, timeouts: timeouts) { provisioner in
      let last = await updates(try await provisioner.provision(node, with: settings)).last
      #expect(last?.state.error?.code == .notOurService && last?.state.error?.message.contains("command") == true)
    }
  }

  @Test func scannerListsWhatTheRadioSees() async throws {
    let radio = ScriptedNodeRadio(node)
    let scanner = try NodeScanner(radio: { radio })
    for await element in try await scanner.nodes() {
      guard let seen = element.value else { continue }
      #expect(seen.id == node && seen.name == "ChromaDMX-0001" && seen.rssi == -40)
      #expect(seen.flag == .unprovisioned && seen.firmware == "1.4")
      break
    }
    await scanner.stop()
    await radio.closed()
    #expect(radio.calls == ["scan", "close"])
  }

  @Test func adapterOfTheProgramIsNoName() {
    var configuration = NodeRadioConfiguration()
    configuration.adapter = "program"
    let error = #expect(throws: NodeError.self) { try NodeProvisioner(configuration) }
    #expect(error?.code == .validation)
  }
}

/// A node, and the radio that hears it. A call of the name `silentAt` does not return before the disconnection; the node keeps `garbles`
/// otherwise than it is written.
private final class ScriptedNodeRadio: NodeRadio {
  let events: AsyncStream<NodeRadioEvent>
  private let report: AsyncStream<NodeRadioEvent>.Continuation
  private let id: String
  private let failures: [String: NodeRadioFailure]
  private let silentAt: String?
  private let losesLinkAt: String?
  private let lacks: NodeCharacteristic?
  private let garbles: NodeCharacteristic?
  private let state = SeenMutex(State())

  private struct State {
    var calls: [String] = []
    var isLinked = false
    var isNotifying = false
    var values: [NodeCharacteristic: [UInt8]] = [
      .name: Array("ChromaDMX-0001".utf8), .ssid: [], .universe: [0, 0], .start: [1, 0], .flag: [0],
      .firmware: Array("1.4.2".utf8),
    ]
  }

  init(
    _ id: String, failures: [String: NodeRadioFailure] = [:], silentAt: String? = nil, losesLinkAt: String? = nil,
    lacks: NodeCharacteristic? = nil, garbles: NodeCharacteristic? = nil
  ) {
    (events, report) = AsyncStream.makeStream()
    (self.id, self.failures, self.silentAt) = (id, failures, silentAt)
    (self.losesLinkAt, self.lacks, self.garbles) = (losesLinkAt, lacks, garbles)
  }

  var calls: [String] { state.withLock { $0.calls } }
  var isLinked: Bool { state.withLock { $0.isLinked } }
  var values: [NodeCharacteristic: [UInt8]] { state.withLock { $0.values } }

  func called(_ name: String) async { while !calls.contains(name) { await Task.yield() } }
  func closed() async { await called("close") }

  private func note(_ call: String) async throws(NodeRadioFailure) {
    state.withLock { $0.calls.append(call) }
    if call == losesLinkAt {
      state.withLock { $0.isLinked = false }
      report.yield(.disconnected)
      throw NodeRadioFailure(.notConnected, "the link is down")
    }
    if call == silentAt { await called("disconnect") }
    if let failure = failures[call] { throw failure }
  }

  func scan() async throws(NodeRadioFailure) {
    try await note("scan")
    report.yield(.seen(id: id, name: "ChromaDMX-0001", rssi: -40, manufacturerData: [0, 1, 4]))
  }

  func stopScan() async throws(NodeRadioFailure) { try await note("stopScan") }

  func connect(to node: String) async throws(NodeRadioFailure) {
    try await note("connect \(node)")
    state.withLock { $0.isLinked = true }
  }

  func characteristics() async throws(NodeRadioFailure) -> [NodeCharacteristic] {
    try await note("characteristics")
    return NodeCharacteristic.allCases.filter { $0 != lacks }
  }

  func pair() async throws(NodeRadioFailure) { try await note("pair") }

  func read(_ characteristic: NodeCharacteristic) async throws(NodeRadioFailure) -> [UInt8] {
    try await note("read \(characteristic)")
    guard let value = values[characteristic] else { throw NodeRadioFailure(.other, "not readable") }
    return value
  }

  func write(_ value: [UInt8], to characteristic: NodeCharacteristic) async throws(NodeRadioFailure) {
    try await note("write \(characteristic)")
    guard characteristic == .command else {
      let kept = characteristic == garbles ? value.map { $0 ^ 1 } : value
      return state.withLock { $0.values[characteristic] = kept }
    }
    for flag: UInt8 in [3, 4, 1] {
      state.withLock { $0.values[.flag] = [flag] }
      report.yield(.notified([flag]))
    }
  }

  func subscribe() async throws(NodeRadioFailure) { try await note("subscribe") }
  func unsubscribe() async throws(NodeRadioFailure) { try await note("unsubscribe") }

  func disconnect() async throws(NodeRadioFailure) {
    state.withLock { $0.isLinked = false }
    try await note("disconnect")
    report.yield(.disconnected)
  }

  func close() async {
    state.withLock { $0.calls.append("close") }
    report.finish()
  }
}
