public import Foundation
public import RustleCore

/// The nodes of Art-Net that are polled.
public struct DMXNodesConfiguration: Sendable, Hashable {
  /// The interface, by name or address; empty: that of the default route; `demo`: nodes come without a network.
  public var interface = ""
  /// The IPv4 addresses to poll, with or without a port, at most 1,024. None: the interface's directed broadcast.
  public var addresses: [String] = []
  /// Our short name for those who poll, at most 17 bytes of UTF-8.
  public var name = "rustle"
  /// Our long name, at most 63 bytes of UTF-8.
  public var longName = "rustle controller"
  /// The port; nil: 6454.
  public var port: Int?
  /// The changes of each node a second with the interface `demo`, 0.001 to 10,000,000.
  public var demoRate = 1.0
  /// The number of changes after which a stream ends; nil: no limit.
  public var changesLimit: Int?

  /// The network of the default route.
  public init() {}

  func native() throws(LightingError) -> NativeDMXNodesConfiguration {
    for (argument, value, range) in [("port", port ?? 1, 1...65_535), ("changesLimit", changesLimit ?? 1, 1...Int.max)]
    where !range.contains(value) {
      throw .validation(argument, expected: "\(range.lowerBound) to \(range.upperBound)", got: "\(value)")
    }
    return NativeDMXNodesConfiguration(
      interface: interface, addresses: addresses.joined(separator: ","), shortName: name, longName: longName,
      changesPerSecond: demoRate, changesLimit: changesLimit.map(UInt64.init) ?? 0, port: port ?? 0)
  }
}

/// A node of Art-Net, after a change.
public struct DMXNode: Sendable, Hashable {
  /// What happened to a node.
  public enum Change: String, Sendable, Hashable, CaseIterable {
    /// It is new, or was there when the stream began.
    case appeared
    /// Its names or Port-Addresses changed.
    case changed
    /// It left a poll unanswered for 3 s.
    case late
    /// It left three such polls unanswered.
    case lost
    /// It answers again.
    case returned
  }

  /// Whether a node answers.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// It answered the last poll, or has time to.
    case online
    /// It left a poll unanswered for 3 s.
    case late
    /// It left three such polls unanswered.
    case lost
  }

  /// The number in the stream, from 0.
  public let sequence: UInt64
  /// The time.
  public let time: Date
  /// What happened.
  public let change: Change
  /// Whether it answers.
  public let state: State
  /// The IPv4 address from which it answers.
  public let address: String
  /// Its MAC address, `02:00:00:00:00:01`; nil: unknown.
  public let mac: String?
  /// Its short name.
  public let name: String
  /// Its long name.
  public let longName: String
  /// The code of its style: 0 a node, 1 a controller, 2 a media server.
  public let style: Int
  /// Its firmware's version.
  public let firmware: Int
  /// Its OEM code.
  public let oem: Int
  /// Its maker's ESTA code.
  public let esta: Int
  /// The first 64 of its Port-Addresses, in the order of its replies.
  public let ports: [DMXUniverse]
  /// The number of its Port-Addresses.
  public let portCount: Int
  /// Its index in the table, 0 to 1,023. In a full table a new node gets the index of the one that has been lost longest.
  public let index: Int

  init(_ native: NativeDMXNode) {
    sequence = native.sequence
    time = Date(nanoseconds: native.timeNanoseconds)
    change = native.change.flatMap { Change(rawValue: "\($0)") } ?? .changed
    state = native.state.flatMap { State(rawValue: "\($0)") } ?? .online
    address = ipv4Text(native.address)
    mac =
      native.mac == 0
      ? nil
      : stride(from: 40, through: 0, by: -8).map { String(format: "%02x", native.mac >> UInt64($0) & 255) }
        .joined(separator: ":")
    name = native.shortName
    longName = native.longName
    style = native.style
    firmware = native.firmware
    oem = native.oem
    esta = native.esta
    ports = native.ports.map { DMXUniverse(received: Int($0), of: .artNet) }
    portCount = native.portCount
    index = native.index
  }
}

/// The counts of a browser of nodes since its socket was opened.
public struct DMXNodesCounts: Sendable, Hashable {
  /// Polls that were sent, one for all addresses.
  public let polls: UInt64
  /// Datagrams that the system refused to send.
  public let refused: UInt64
  /// Replies of nodes.
  public let replies: UInt64
  /// Malformed datagrams.
  public let malformed: UInt64

  init(_ native: NativeDMXNodesCounts) {
    polls = native.polls
    refused = native.refused
    replies = native.replies
    malformed = native.malformed
  }
}

/// The browser of Art-Net's nodes: a controller that polls every 2.5 to 3 s, and reports who answers.
///
/// ```swift
/// let browser = try DMXNodes(DMXNodesConfiguration())
/// for await element in try await browser.nodes() {
///   if let node = element.value { print(node.address, node.name, node.state) }
/// }
/// ```
///
/// While it runs, what others send to this machine's address alone reaches it instead of a receiver at the same address.
public actor DMXNodes: NativeStreamEngine {
  /// Who is polled.
  public nonisolated let configuration: DMXNodesConfiguration

  private let browser: NativeDmxNodes
  /// The streams that it has returned.
  package let streams = EngineStreams()

  /// Creates a browser; nothing is opened.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation`` or ``LightingError/Code/native``.
  public init(_ configuration: DMXNodesConfiguration) throws(LightingError) {
    try self.init(configuration, runtime: nil)
  }

  /// Creates a browser on the caller's runtime.
  package init(_ configuration: DMXNodesConfiguration, runtime: NativeRuntime?) throws(LightingError) {
    self.configuration = configuration
    let native = try configuration.native()
    browser = try LightingError.rethrowing { () throws(NativeError) in try NativeDmxNodes(native, runtime: runtime) }
  }

  /// Opens the network and streams the nodes: those that are known, and then each change.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/unknownInterface`` or ``LightingError/Code/network``.
  public func nodes(
    buffering: StreamBuffering = .batched(capacity: 1_024, overflow: .dropOldest)
  ) throws(LightingError) -> EngineStream<DMXNode> {
    try nodes(buffering: buffering, reader: ElementReader { DMXNode($0) }, sequenceNumber: \.sequence)
  }

  /// As ``nodes(buffering:)``, for values of the caller's type.
  package func nodes<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativeDMXNode, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(LightingError) -> EngineStream<Value> {
    try started(orThrow: LightingError.self) { () throws(NativeError) in
      try browser.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
    }
  }

  /// The counts since the socket was opened, also after the last stream.
  public var counts: DMXNodesCounts? {
    NativeError.logging { () throws(NativeError) in DMXNodesCounts(try browser.counts()) }
  }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  package func refuseStreams() { browser.shutDown() }
}
