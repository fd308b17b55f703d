public import RustleCore

/// How long the parts of an attempt may take; nil: the default.
public struct NodeTimeouts: Sendable, Hashable {
  /// The whole attempt, without the disconnection: 20 s.
  public var attempt: Duration?
  /// Until the node is seen: 10 s.
  public var scan: Duration?
  /// A try to connect, of three: 5 s.
  public var connection: Duration?
  /// Until all characteristics are there: 5 s.
  public var services: Duration?
  /// A read or a write: 5 s.
  public var operation: Duration?
  /// From the command until the node is provisioned: 15 s.
  public var application: Duration?
  /// The verification: 5 s.
  public var verification: Duration?
  /// The disconnection: 5 s. BlueZ drops a link two to three seconds after it is asked to.
  public var disconnection: Duration?

  /// The defaults.
  public init() {}
}

/// Gives nodes their values over Bluetooth LE, and verifies them.
///
/// ```swift
/// let provisioner = try NodeProvisioner()
/// let settings = NodeSettings(name: "left", ssid: "stage", password: .open, universe: 1, start: 1)
/// for await element in try await provisioner.provision("ChromaDMX-0001", with: settings) {
///   if let update = element.value { print(update.state.name, update.state.error?.message ?? "") }
/// }
/// ```
///
/// An attempt succeeds when the node says that it is provisioned and every value that can be read is what was written. It is
/// disconnected on every way out: ``cancel()`` returns when the link is down.
public actor NodeProvisioner: NativeStreamEngine {
  /// The radio.
  public nonisolated let configuration: NodeRadioConfiguration
  /// How long the parts of an attempt may take.
  public nonisolated let timeouts: NodeTimeouts
  /// Whether the link is to be encrypted: the node is paired with first, or nothing is done.
  public nonisolated let requiresEncryption: Bool

  private let radio: SharedNodeRadio
  private let driver: NodeRadioDriver?
  /// The streams that it has returned.
  package let streams = EngineStreams()

  /// Creates a provisioner; nothing is opened.
  ///
  /// - Throws: ``NodeError`` with ``NodeError/Code/validation`` or ``NodeError/Code/native``.
  public init(
    _ configuration: NodeRadioConfiguration = NodeRadioConfiguration(), timeouts: NodeTimeouts = NodeTimeouts(),
    requiresEncryption: Bool = false
  ) throws(NodeError) {
    try self.init(configuration, timeouts: timeouts, requiresEncryption: requiresEncryption, runtime: nil)
  }

  /// Creates a provisioner with a radio of the program's.
  ///
  /// - Parameter radio: makes one for each stream.
  /// - Throws: ``NodeError`` with ``NodeError/Code/native``.
  public init(
    radio: @escaping @Sendable () -> any NodeRadio, timeouts: NodeTimeouts = NodeTimeouts(),
    requiresEncryption: Bool = false
  ) throws(NodeError) {
    try self.init(.program, timeouts: timeouts, requiresEncryption: requiresEncryption, runtime: nil, making: radio)
  }

  /// Creates a provisioner on the caller's runtime.
  package init(
    _ configuration: NodeRadioConfiguration, timeouts: NodeTimeouts = NodeTimeouts(),
    requiresEncryption: Bool = false, runtime: NativeRuntime?, making make: (@Sendable () -> any NodeRadio)? = nil
  ) throws(NodeError) {
    (self.configuration, self.timeouts) = (configuration, timeouts)
    self.requiresEncryption = requiresEncryption
    let radio = try SharedNodeRadio(configuration.native(isProgram: make != nil), runtime: runtime)
    self.radio = radio
    driver = try make.map { make throws(NodeError) in NodeRadioDriver(radio, try radio.requests(), make) }
  }

  deinit { driver?.release() }

  /// Gives a node its values, and streams the states of the attempt: the last one is ``NodeUpdate/State/success`` or
  /// ``NodeUpdate/State/failed(_:)``.
  ///
  /// - Parameter node: the node's name or identifier; nil: the one with the strongest signal. A name that several nodes in range have is
  ///   refused.
  /// - Throws: ``NodeError`` with ``NodeError/Code/validation``, whose message names all values that no node takes, or
  ///   ``NodeError/Code/noBluetooth``.
  public func provision(_ node: String? = nil, with settings: NodeSettings) throws(NodeError) -> EngineStream<
    NodeUpdate
  > {
    try updates(.provision, of: node, with: settings)
  }

  /// Gives the nodes of a table their values, one after the other, and goes on after a failure. Each row is another node, also where
  /// nodes take each other's names.
  ///
  /// - Parameters:
  ///   - table: CSV with the columns `node` (a name or an identifier), `name`, `universe`, `start`, and if wanted `ssid` and
  ///     `footprint`.
  ///   - settings: the password of all, and the network of those without one; the other values are not used.
  /// - Throws: ``NodeError`` with ``NodeError/Code/malformedTable``, or ``NodeError/Code/validation`` where it has nothing but values that
  ///   no node takes, whose message has what is wrong with which lines, or ``NodeError/Code/noBluetooth``.
  public func provision(
    table: String, with settings: NodeSettings
  ) throws(NodeError) -> EngineStream<NodeUpdate> {
    try updates(.table, of: nil, with: settings, table: table)
  }

  /// Reads the values of a node, or of the one with the strongest signal.
  ///
  /// - Throws: ``NodeError``.
  public func readConfiguration(of node: String? = nil) async throws(NodeError) -> NodeConfiguration {
    let last = try await last(of: try updates(.read, of: node))
    guard let configuration = last.configuration else {
      throw NodeError(.native, "the node: expected values, got none")
    }
    return configuration
  }

  /// Restarts a node, or the one with the strongest signal.
  ///
  /// - Throws: ``NodeError``.
  public func reboot(_ node: String? = nil) async throws(NodeError) {
    _ = try await last(of: try updates(.reboot, of: node))
  }

  /// Makes a node forget its values.
  ///
  /// - Throws: ``NodeError``.
  public func factoryReset(_ node: String) async throws(NodeError) {
    _ = try await last(of: try updates(.factoryReset, of: node))
  }

  /// The states of an attempt.
  package func updates(
    _ order: NativeNodeOrder, of node: String?, with settings: NodeSettings? = nil, table: String = ""
  ) throws(NodeError) -> EngineStream<NodeUpdate> {
    let request = try request(order, node, settings, table)
    return try started(orThrow: NodeError.self) { () throws(NativeError) in
      try radio.native.start(request, reader: ElementReader { NodeUpdate($0) })
    }
  }

  /// Reads a stream to its end; cancelling the task ends the attempt.
  private func last(of stream: EngineStream<NodeUpdate>) async throws(NodeError) -> NodeUpdate {
    var last: NodeUpdate?
    for await element in stream { last = element.value ?? last }
    guard let last, last.state.isLast else {
      // Nothing is delivered after a cancellation; the release comes when the link is down.
      throw NodeError(.cancelled, "the attempt was cancelled")
    }
    if let error = last.state.error { throw error }
    return last
  }

  private func request(
    _ order: NativeNodeOrder, _ node: String?, _ settings: NodeSettings?, _ table: String
  ) throws(NodeError) -> NativeNodeTaskRequest {
    func nanoseconds(_ name: String, _ timeout: Duration?) throws(NodeError) -> UInt64 {
      guard let timeout else { return 0 }
      guard timeout > .zero, timeout <= .seconds(3_600) else {
        throw NodeError(.validation, "\(name): expected more than 0 to 3600 s, got \(timeout)")
      }
      return UInt64(max(1, timeout / .nanoseconds(1)))
    }
    // An empty name is a mistake, a variable without a value: it does not stand for the strongest.
    guard node != "" else { throw NodeError(.validation, "node: expected a name or an identifier, got none") }
    let numbers = [settings?.universe ?? 0, settings?.start ?? 1, settings?.footprint ?? 0]
    for (name, number) in zip(["universe", "start", "footprint"], numbers) where UInt32(exactly: number) == nil {
      throw NodeError(.validation, "\(name): expected 0 to 32767, got \(number)")
    }
    return NativeNodeTaskRequest(
      node: node ?? "", name: settings?.name ?? "", ssid: settings?.ssid ?? "",
      password: settings?.password.text ?? "", table: table,
      attemptNanoseconds: try nanoseconds("timeouts.attempt", timeouts.attempt),
      scanNanoseconds: try nanoseconds("timeouts.scan", timeouts.scan),
      connectNanoseconds: try nanoseconds("timeouts.connection", timeouts.connection),
      servicesNanoseconds: try nanoseconds("timeouts.services", timeouts.services),
      operationNanoseconds: try nanoseconds("timeouts.operation", timeouts.operation),
      applyNanoseconds: try nanoseconds("timeouts.application", timeouts.application),
      verifyNanoseconds: try nanoseconds("timeouts.verification", timeouts.verification),
      disconnectNanoseconds: try nanoseconds("timeouts.disconnection", timeouts.disconnection),
      // The states of a table of 4,096 nodes, three tries each.
      capacity: 65_536, order: order, universe: numbers[0], start: numbers[1], footprint: numbers[2],
      mustEncrypt: requiresEncryption)
  }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  package func refuseStreams() { radio.native.shutDown() }
}
