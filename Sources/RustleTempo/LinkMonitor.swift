public import RustleCore

/// A message by which a member of tempo sessions says to all that it is there or leaves, or a datagram that is no message.
public struct LinkMessage: Sendable, Hashable {
  /// The kinds of datagrams.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A member is there: sent several times per second.
    case alive
    /// The answer to it.
    case response
    /// A member leaves.
    case leaving
    /// It is no message.
    case malformed
  }

  /// Why a datagram is no message.
  public enum Fault: String, Sendable, Hashable, CaseIterable {
    /// It has 512 bytes or more.
    case length
    /// The header is not that of discovery, version 1.
    case header
    /// The type is none of the header's.
    case type
    /// The group id is not 0.
    case group
    /// An entry is longer than the rest of the message.
    case entry
    /// An entry of a known key has another size.
    case size
    /// An entry that the type needs is missing.
    case missing
    /// The tempo is not positive.
    case tempo
    /// A time or a number of beats is beyond 2^62.
    case range
    /// The payload of a measurement is too long.
    case payload
  }

  /// The state of a member.
  public struct State: Sendable, Hashable {
    /// The id of its session, as ``BeatState/sessionID``.
    public let sessionID: String
    /// The session's tempo in beats per minute.
    public let tempo: Double
    /// The session's beat at ``originTime``.
    public let originBeats: Double
    /// The time of the session, which is its founder's, at which its beat is ``originBeats``.
    public let originTime: Duration
    /// Whether the session's last start or stop is a start; nil: it had none, or does not share them.
    public let isPlaying: Bool?
    /// The address at which the member answers measurements, as `192.0.2.1:50000`; nil: it named none.
    public let responder: String?
    /// The time for which the member says that its state holds; others use 5 s.
    public let timeToLive: Duration
  }

  /// The message's number in its stream, from 0.
  public let sequence: UInt64
  /// When it was read.
  public let hostTime: HostTime
  /// What it is.
  public let kind: Kind
  /// Why it is no message; nil: it is one.
  public let fault: Fault?
  /// The id of the member, as ``BeatState/sessionID``; nil where it is no message.
  public let nodeID: String?
  /// The state of the member; nil where it leaves, and where it is no message.
  public let state: State?
  /// The IPv4 address and the port from which it came, as `192.0.2.1:50000`.
  public let source: String
  /// The IPv4 address of our interface by which it came.
  public let interface: String
  /// Its bytes; 512 for longer ones.
  public let byteCount: Int

  init(_ datagram: NativeLinkDatagram) {
    let kind = datagram.kind.flatMap { Kind(rawValue: "\($0)") } ?? .malformed
    (sequence, hostTime) = (datagram.sequence, HostTime(microseconds: datagram.hostUs))
    self.kind = kind
    fault = datagram.fault.flatMap { Fault(rawValue: "\($0)") }
    nodeID = kind == .malformed ? nil : identityText(datagram.node)
    source = "\(ipv4Text(datagram.address)):\(datagram.port)"
    interface = ipv4Text(datagram.interface)
    byteCount = datagram.length
    guard kind == .alive || kind == .response else {
      state = nil
      return
    }
    state = State(
      sessionID: identityText(datagram.session), tempo: datagram.beatsAMinute, originBeats: datagram.originBeats,
      originTime: .microseconds(datagram.originUs), isPlaying: datagram.startStopUs == 0 ? nil : datagram.isPlaying,
      responder: datagram.responderPort == 0
        ? nil : "\(ipv4Text(datagram.responderAddress)):\(datagram.responderPort)",
      timeToLive: .seconds(datagram.timeToLive))
  }
}

/// A listener of tempo sessions that decodes and checks what members send to all, and takes part in nothing.
///
/// ```swift
/// let monitor = try LinkMonitor()
/// for await element in try await monitor.messages() {
///   if let message = element.value { print(message.source, message.kind, message.state?.tempo ?? 0) }
/// }
/// ```
///
/// Answers of one member to another, and measurements, are not sent to all: it does not see them.
public actor LinkMonitor: NativeStreamEngine {
  /// What a monitor listens to.
  public struct Configuration: Sendable, Hashable {
    /// The interface that stands for messages of three members without a network.
    public static let demoInterface = "demo"
    /// The network interfaces by name or address; nil: all; ``demoInterface`` alone: a demonstration.
    public var interfaces: [String]?
    /// The port of the session's programs, 1 to 65535.
    public var port = 20_808
    /// The messages per second of the demonstration, 0.001 to 10,000,000.
    public var demoRate = 12.0
    /// The number of datagrams after which a stream ends; nil: no limit.
    public var messageLimit: Int?

    /// All interfaces.
    public init() {}
  }

  /// What it listens to.
  public nonisolated let configuration: Configuration
  private let monitor: NativeLinkMonitor
  /// The streams that it has returned.
  package let streams = EngineStreams()

  /// Creates a monitor; nothing is opened.
  ///
  /// - Throws: ``TempoError`` with ``TempoError/Code/validation``.
  public init(_ configuration: Configuration = Configuration()) throws(TempoError) {
    try self.init(configuration, runtime: nil)
  }

  /// Creates a monitor on the caller's runtime.
  package init(_ configuration: Configuration, runtime: NativeRuntime?) throws(TempoError) {
    self.configuration = configuration
    let native = NativeLinkMonitorConfiguration(
      interfaces: try nativeInterfaces(configuration.interfaces, port: configuration.port),
      messagesPerSecond: configuration.demoRate,
      messageLimit: configuration.messageLimit.map { UInt64(clamping: $0) } ?? 0, port: configuration.port)
    monitor = try TempoError.rethrowing { () throws(NativeError) in try NativeLinkMonitor(native, runtime: runtime) }
  }

  /// Opens the interfaces and streams what members send to all.
  ///
  /// - Parameter buffering: how the messages travel; by default the newest 1,024 wait.
  /// - Throws: ``TempoError`` with ``TempoError/Code/unknownInterface``, ``TempoError/Code/network`` or ``TempoError/Code/shutDown``.
  public func messages(
    buffering: StreamBuffering = .batched(capacity: 1_024, overflow: .dropOldest)
  ) throws(TempoError) -> EngineStream<LinkMessage> {
    try messages(buffering: buffering, reader: ElementReader { LinkMessage($0) }, sequenceNumber: \.sequence)
  }

  /// As ``messages(buffering:)``, for values of the caller's type.
  package func messages<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativeLinkDatagram, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(TempoError) -> EngineStream<Value> {
    try started(orThrow: TempoError.self) { () throws(NativeError) in
      try monitor.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
    }
  }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  package func refuseStreams() { monitor.shutDown() }
}
