internal import Foundation
internal import Rustle
internal import StudioCore

/// Gives nodes their values over Bluetooth LE: one scan and one attempt at a time, however many clients there are.
@MainActor
final class Provisioning {
  /// What is done with a node, or with those of a table.
  struct Attempt {
    enum Order: String {
      case set, read, reboot, reset
    }

    let order: Order
    /// The wanted name or address; empty: the node with the strongest signal.
    let node: String
    /// The adapter that reaches the node.
    let adapter: String
    /// Whether nothing is written without pairing.
    let isEncrypted: Bool
    var isRunning = true
    /// Whether a person has ended it.
    var isCancelled = false
    /// The latest update of each node that is given values, in the table's order.
    var updates: [NodeUpdate] = []
    /// The last state of each of them that was no end.
    var steps: [NodeUpdate.State] = []
    /// What the one node had before it was written to; no password, since nodes do not return it. Nil: nothing was written, or to a table.
    var former: NodeConfiguration?
    /// The values that were read.
    var values: NodeConfiguration?
    /// The error that ended it; those of nodes are in their updates.
    var error: NodeError?

    fileprivate mutating func show(_ update: NodeUpdate) {
      // A later try reads what an earlier one has written.
      if update.state == .writingConfiguration, update.nodeCount == 1, former == nil { former = update.configuration }
      guard updates.indices.contains(update.index) else {
        updates.append(update)
        return steps.append(update.state)
      }
      updates[update.index] = update
      if !update.state.isLast { steps[update.index] = update.state }
    }
  }

  /// How an attempt is made.
  struct Options {
    var adapter = ""
    /// The time for the whole attempt; nil: the default.
    var time: Duration?
    /// Whether the node has to pair first.
    var isEncrypted = false
  }

  /// The most nodes of a table: each is in the state that clients are sent.
  static let maximumTableCount = 200
  /// The time between two states with other signals.
  private static let pause = Duration.milliseconds(250)

  /// The adapter that is or was scanned.
  private(set) var adapter = ""
  private(set) var isScanning = false
  /// The nodes in range; those of a scan stay after its end.
  private(set) var nodes: [String: ScannedNode] = [:]
  /// The ids of the nodes that were given values here, which some go on to advertise as new.
  private var doneNodes: Set<String> = []
  /// The error that ended the scan.
  private(set) var scanError: NodeError?
  /// The newest attempt; nil: there was none.
  private(set) var attempt: Attempt?
  /// Is called when the state has changed by itself.
  var onChange: @MainActor () -> Void = {}

  private var scanner: NodeScanner?
  private var reading: Task<Void, Never>?
  private var reporting: Task<Void, Never>?
  private var provisioner: NodeProvisioner?
  private var attempting: Task<Void, Never>?
  /// The end of a scan: of BlueZ it takes a moment, for which no other action waits.
  private var closing: Task<Void, Never>?

  /// Scans with an adapter; one that scans goes on.
  func scan(_ adapter: String) async throws(NodeError) {
    if isScanning, adapter == self.adapter { return }
    var radio = NodeRadioConfiguration()
    radio.adapter = adapter
    let scanner = try NodeScanner(radio)
    stopScan()
    await closing?.value
    let found = try await scanner.nodes()
    (self.adapter, self.scanner, isScanning, nodes, scanError) = (adapter, scanner, true, [:], nil)
    reading = Task { [weak self] in
      for await element in found { if let node = element.value { self?.show(node) } }
      self?.ended(scanner, NodeError(endOf: found))
    }
  }

  /// Ends the scan.
  func stopScan() {
    guard let scanner else { return }
    let reading = reading
    (self.scanner, isScanning) = (nil, false)
    closing = Task {
      await scanner.stop()
      await reading?.value
    }
  }

  /// Gives a node its values, or those of a table.
  func provision(
    _ node: String, table: String?, with settings: NodeSettings, _ options: Options
  ) async throws(NodeError) {
    let provisioner = try provisioner(options)
    let updates =
      if let table {
        try await provisioner.provision(table: table, with: settings)
      } else {
        try await provisioner.provision(node.isEmpty ? nil : node, with: settings)
      }
    begin(.set, node, options, provisioner) { [weak self] () throws(NodeError) in
      for await element in updates { if let update = element.value { self?.show(update) } }
    }
  }

  /// Reads the values of a node.
  func read(_ node: String, _ options: Options) throws(NodeError) {
    let provisioner = try provisioner(options)
    begin(.read, node, options, provisioner) { [weak self] () throws(NodeError) in
      let values = try await provisioner.readConfiguration(of: node.isEmpty ? nil : node)
      self?.attempt?.values = values
    }
  }

  /// Makes a node forget its values, or restarts it.
  func reset(_ node: String, restartsOnly: Bool, _ options: Options) throws(NodeError) {
    let provisioner = try provisioner(options)
    begin(restartsOnly ? .reboot : .reset, node, options, provisioner) { [weak self] () throws(NodeError) in
      if restartsOnly { return try await provisioner.reboot(node) }
      try await provisioner.factoryReset(node)
      self?.forget(node)
    }
  }

  /// Ends the attempt; its state says when the node is disconnected.
  func cancel() {
    guard let provisioner, attempt?.isRunning == true else { return }
    attempt?.isCancelled = true
    Task { await provisioner.cancel() }
  }

  /// Ends everything.
  func stop() async {
    stopScan()
    cancel()
    await closing?.value
    await attempting?.value
    reporting?.cancel()
  }

  private func provisioner(_ options: Options) throws(NodeError) -> NodeProvisioner {
    var radio = NodeRadioConfiguration()
    radio.adapter = options.adapter
    var timeouts = NodeTimeouts()
    timeouts.attempt = options.time
    return try NodeProvisioner(radio, timeouts: timeouts, requiresEncryption: options.isEncrypted)
  }

  private func begin(
    _ order: Attempt.Order, _ node: String, _ options: Options, _ provisioner: NodeProvisioner,
    _ work: @escaping @MainActor () async throws(NodeError) -> Void
  ) {
    attempt = Attempt(order: order, node: node, adapter: options.adapter, isEncrypted: options.isEncrypted)
    self.provisioner = provisioner
    attempting = Task { [weak self] in
      do throws(NodeError) {
        try await work()
      } catch {
        if self?.attempt?.isCancelled == false { self?.attempt?.error = error }
      }
      self?.attempt?.isRunning = false
      self?.provisioner = nil
      self?.onChange()
    }
  }

  private func show(_ update: NodeUpdate) {
    attempt?.show(update)
    if update.state == .success { doneNodes.insert(update.node) }
    onChange()
  }

  /// A node by its id or name is new again.
  private func forget(_ node: String) {
    doneNodes = doneNodes.filter { $0 != node && nodes[$0]?.name != node }
  }

  private func show(_ node: ScannedNode) {
    nodes[node.id] = node.change == .gone ? nil : node
    guard reporting == nil else { return }
    reporting = Task { [weak self] in
      try? await Task.sleep(for: Self.pause)
      self?.reporting = nil
      self?.onChange()
    }
  }

  private func ended(_ scanner: NodeScanner, _ error: NodeError?) {
    guard scanner === self.scanner else { return }
    (self.scanner, isScanning, scanError) = (nil, false, error)
    onChange()
  }
}

extension Provisioning {
  /// The state that clients are sent. No password is in it: nodes do not return it, and nothing here keeps it.
  var json: JSON {
    let sorted = nodes.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    return [
      "adapter": .string(adapter), "scanning": .bool(isScanning),
      "nodes": .array(sorted.map { $0.json(isDone: doneNodes.contains($0.id)) }),
      "error": scanError?.json ?? .null, "attempt": attempt?.json ?? .null,
    ]
  }
}

extension Provisioning.Attempt {
  fileprivate var json: JSON {
    [
      "order": .string(order.rawValue), "node": .string(node), "adapter": .string(adapter),
      "encrypt": .bool(isEncrypted),
      "running": .bool(isRunning), "cancelled": .bool(isCancelled),
      "updates": .array(zip(updates, steps).map { $0.json(after: $1) }), "former": former?.json ?? .null,
      "values": values?.json ?? .null, "error": error?.json ?? .null,
    ]
  }
}

extension ScannedNode {
  fileprivate func json(isDone: Bool) -> JSON {
    [
      "id": .string(id), "name": .string(name), "signal": .number(rssi.rounded()), "flag": .optional(flag?.name),
      "firmware": .optional(firmware), "done": .bool(isDone),
    ]
  }
}

extension NodeUpdate {
  fileprivate func json(after step: State) -> JSON {
    [
      "state": .string(state.name), "step": .string(step.name), "node": .string(node), "name": .string(advertisedName),
      "signal": rssi.map { .integer($0) } ?? .null, "index": .integer(index), "count": .integer(nodeCount),
      "try": .integer(attempt), "progress": .number(progress), "values": configuration?.json ?? .null,
      "error": state.error?.json ?? .null, "disconnected": .bool(isDisconnected),
    ]
  }
}

extension NodeConfiguration {
  fileprivate var json: JSON {
    [
      "name": .string(name), "ssid": .string(ssid), "universe": universe.map { .integer($0) } ?? .null,
      "start": start.map { .integer($0) } ?? .null, "firmware": .string(firmware), "flag": .optional(flag?.name),
    ]
  }
}

extension CodedError {
  /// The error in states and answers.
  var json: JSON { ["code": .string(code.name), "message": .string(message), "advice": .string(advice)] }
}
