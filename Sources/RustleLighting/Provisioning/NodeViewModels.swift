public import Observation
internal import RustleCore

/// The nodes of a scan for a view.
@MainActor
@Observable
public final class NodeScannerViewModel {
  /// The nodes in range, by descending signal.
  public private(set) var nodes: [ScannedNode] = []
  /// Whether it scans.
  public private(set) var isRunning = false
  /// The error that prevented the start or ended the scan; nil: none did.
  public private(set) var error: NodeError?

  /// The scanner.
  @ObservationIgnored public let scanner: NodeScanner
  @ObservationIgnored private let runs = Runs()

  /// Creates a model of a scanner that is not started.
  public init(_ scanner: NodeScanner) { self.scanner = scanner }

  /// Scans; does nothing while it does. Nodes of an earlier run are forgotten.
  public func start() {
    if isRunning { return }
    let run = runs.overtake()
    (nodes, isRunning, error) = ([], true, nil)
    runs.perform(run) { [scanner] () async throws(NodeError) in
      try await scanner.nodes()
    } show: { [weak self] node in
      self?.show(node)
    } end: { [weak self] result in
      guard let self else { return }
      isRunning = false
      switch result {
      case .success(let scan): error = NodeError(endOf: scan)
      case .failure(let refusal): error = refusal
      }
    }
  }

  /// Ends the scan and returns when it has ended; the nodes stay.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await runs.finished()
  }

  private func show(_ node: ScannedNode) {
    nodes.removeAll { $0.id == node.id }
    if node.change == .gone { return }
    let row = nodes.firstIndex { $0.rssi < node.rssi } ?? nodes.endIndex
    nodes.insert(node, at: row)
  }
}

/// An attempt with a node for a view.
@MainActor
@Observable
public final class NodeProvisionerViewModel {
  /// The latest update of each node, in the table's order; of a single node one.
  public private(set) var updates: [NodeUpdate] = []
  /// Whether it works.
  public private(set) var isRunning = false
  /// The error that prevented the start; nil: none did. That of an attempt is its update's.
  public private(set) var error: NodeError?

  /// The provisioner.
  @ObservationIgnored public let provisioner: NodeProvisioner
  @ObservationIgnored private let runs = Runs()

  /// Creates a model of a provisioner.
  public init(_ provisioner: NodeProvisioner) { self.provisioner = provisioner }

  /// Gives a node its values, or the one with the strongest signal; does nothing while it works.
  public func provision(_ node: String? = nil, with settings: NodeSettings) {
    start { provisioner throws(NodeError) in try await provisioner.provision(node, with: settings) }
  }

  /// Gives the nodes of a table their values; does nothing while it works.
  public func provision(table: String, with settings: NodeSettings) {
    start { provisioner throws(NodeError) in try await provisioner.provision(table: table, with: settings) }
  }

  private func start(
    _ stream: @escaping @Sendable (NodeProvisioner) async throws(NodeError) -> EngineStream<NodeUpdate>
  ) {
    if isRunning { return }
    let run = runs.overtake()
    (updates, isRunning, error) = ([], true, nil)
    runs.perform(run) { [provisioner] () async throws(NodeError) in
      try await stream(provisioner)
    } show: { [weak self] update in
      self?.updates.place(update, by: \.index)
    } end: { [weak self] result in
      self?.isRunning = false
      if case .failure(let error) = result { self?.error = error }
    }
  }

  /// Ends the attempt and returns when the node is disconnected; what is shown stays.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await runs.finished()
    await provisioner.cancel()
  }
}
