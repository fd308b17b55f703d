public import RustleCore

/// The radio of a scanner or a provisioner.
public struct NodeRadioConfiguration: Sendable, Hashable {
  /// The adapter of the demonstration: nodes come without a radio.
  public static let demoAdapter = "demo"
  /// That of a ``NodeRadio``.
  static let programAdapter = "program"

  /// The adapter, by its name (`hci1`) or address; empty: the first that is on; ``demoAdapter``.
  public var adapter = ""
  /// The sightings of each node a second with ``demoAdapter``, 0.001 to 10,000,000.
  public var demoRate = 4.0
  /// The number of sightings after which a scan ends; nil: no limit.
  public var sightingsLimit: Int?

  /// The first adapter that is on.
  public init() {}

  /// That of a ``NodeRadio``.
  static var program: Self {
    var configuration = Self()
    configuration.adapter = programAdapter
    return configuration
  }

  func native(isProgram: Bool) throws(NodeError) -> NativeNodeRadioConfiguration {
    guard isProgram == (adapter == Self.programAdapter) else {
      throw NodeError(.validation, "adapter: expected a name or an address, got '\(adapter)'")
    }
    if let limit = sightingsLimit, limit < 1 {
      throw NodeError(.validation, "sightingsLimit: expected 1 or more, got \(limit)")
    }
    return NativeNodeRadioConfiguration(
      adapter: adapter, changesPerSecond: demoRate, changesLimit: sightingsLimit.map(UInt64.init) ?? 0)
  }
}

/// A scanner for nodes that advertise their service over Bluetooth LE.
///
/// ```swift
/// var configuration = NodeRadioConfiguration()
/// configuration.adapter = NodeRadioConfiguration.demoAdapter
/// let scanner = try NodeScanner(configuration)
/// for await element in try await scanner.nodes() {
///   if let node = element.value { print(node.id, node.name, node.rssi) }
/// }
/// ```
///
/// When the adapter or the service goes, a running scan goes on as soon as it is back.
public actor NodeScanner: NativeStreamEngine {
  /// The radio.
  public nonisolated let configuration: NodeRadioConfiguration

  private let radio: SharedNodeRadio
  private let driver: NodeRadioDriver?
  /// The streams that it has returned.
  package let streams = EngineStreams()

  /// Creates a scanner; nothing is opened.
  ///
  /// - Throws: ``NodeError`` with ``NodeError/Code/validation`` or ``NodeError/Code/native``.
  public init(_ configuration: NodeRadioConfiguration = NodeRadioConfiguration()) throws(NodeError) {
    try self.init(configuration, runtime: nil)
  }

  /// Creates a scanner with a radio of the program's.
  ///
  /// - Parameter radio: makes one for each stream.
  /// - Throws: ``NodeError`` with ``NodeError/Code/native``.
  public init(radio: @escaping @Sendable () -> any NodeRadio) throws(NodeError) {
    try self.init(.program, runtime: nil, making: radio)
  }

  /// Creates a scanner on the caller's runtime.
  package init(
    _ configuration: NodeRadioConfiguration, runtime: NativeRuntime?,
    making make: (@Sendable () -> any NodeRadio)? = nil
  ) throws(NodeError) {
    self.configuration = configuration
    let radio = try SharedNodeRadio(configuration.native(isProgram: make != nil), runtime: runtime)
    self.radio = radio
    driver = try make.map { make throws(NodeError) in NodeRadioDriver(radio, try radio.requests(), make) }
  }

  deinit { driver?.release() }

  /// Scans, and streams the nodes in range: each when it appears, and then its changes. A scan that cannot begin, without an adapter
  /// that is on, ends the stream; ``NodeError/init(endOf:)`` says why.
  ///
  /// - Throws: ``NodeError`` with ``NodeError/Code/noBluetooth``.
  public func nodes(
    buffering: StreamBuffering = .batched(capacity: 1_024, overflow: .dropOldest)
  ) throws(NodeError) -> EngineStream<ScannedNode> {
    try nodes(buffering: buffering, reader: ElementReader { ScannedNode($0) }, sequenceNumber: \.sequence)
  }

  /// As ``nodes(buffering:)``, for values of the caller's type.
  package func nodes<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativeNodeSighting, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(NodeError) -> EngineStream<Value> {
    try started(orThrow: NodeError.self) { () throws(NativeError) in
      try radio.native.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
    }
  }

  /// Ends the scans, as ``cancel()``.
  public func stop() async { await cancel() }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  package func refuseStreams() { radio.native.shutDown() }
}
