internal import RustleCore

/// A change of the state of an attempt with a node.
public struct NodeUpdate: Sendable, Hashable {
  /// Where an attempt is.
  public enum State: Sendable, Hashable {
    /// It has not begun.
    case idle
    /// Looking for the node.
    case scanning
    /// Connecting, until all characteristics are there.
    case connecting
    /// Reading the node's values.
    case readingConfiguration
    /// Writing, and reading back.
    case writingConfiguration
    /// Waiting for what the node says after the command.
    case applying
    /// Comparing everything again.
    case verifying
    /// Ended well: the link is down.
    case success
    /// Ended by an error: the link is down.
    case failed(NodeError)

    /// The name, as in the protocol's documents: `READING_CONFIG`.
    public var name: String {
      switch self {
      case .idle: "IDLE"
      case .scanning: "SCANNING"
      case .connecting: "CONNECTING"
      case .readingConfiguration: "READING_CONFIG"
      case .writingConfiguration: "WRITING_CONFIG"
      case .applying: "APPLYING"
      case .verifying: "VERIFYING"
      case .success: "SUCCESS"
      case .failed: "ERROR"
      }
    }

    /// Why it failed; nil: it did not.
    public var error: NodeError? { if case .failed(let error) = self { error } else { nil } }
    /// Whether it is the last one of its node.
    public var isLast: Bool { self == .success || error != nil }
  }

  /// The number in the stream, from 0.
  public let sequence: UInt64
  /// The state that begins.
  public private(set) var state: State
  /// The place of the node in the table, from 0; without a table 0.
  public let index: Int
  /// The number of nodes of the table; without one 1.
  public let nodeCount: Int
  /// The node's identifier, once there is one; before that the wanted name or identifier.
  public let node: String
  /// The name that it advertised; empty: none, or there is no node yet.
  public let advertisedName: String
  /// Its signal in dBm when it was last seen; nil: there is no node yet.
  public let rssi: Int?
  /// The try to connect, from 1; 0 before the first.
  public let attempt: Int
  /// The time since the attempt's start.
  public let elapsed: Duration
  /// The fraction of the attempt that is behind it, 0 to 1.
  public let progress: Double
  /// The node's values as last read, once they were.
  public let configuration: NodeConfiguration?
  /// Whether the link is down. With the last update it is, unless the disconnection was not confirmed in its time.
  public let isDisconnected: Bool

  init(_ native: NativeNodeUpdate) {
    sequence = native.sequence
    state =
      switch native.state {
      case .scanning: .scanning
      case .connecting: .connecting
      case .readingConfig: .readingConfiguration
      case .writingConfig: .writingConfiguration
      case .applying: .applying
      case .verifying: .verifying
      case .success: .success
      case .error: .failed(NodeError(NodeError.Code(native.failure), native.text))
      case .idle, nil: .idle
      }
    (index, nodeCount) = (native.index, native.nodes)
    (node, advertisedName) = (native.id, native.advertised)
    rssi = native.rssi == nativeNodeNoSignal ? nil : native.rssi
    attempt = native.attempt
    elapsed = .nanoseconds(Int64(clamping: native.elapsedNanoseconds))
    progress = Double(native.progress)
    configuration = native.hasConfiguration ? NodeConfiguration(native) : nil
    isDisconnected = native.isDisconnected
  }

  /// The last update of an attempt that is cancelled after this one: streams deliver none then.
  package var cancelled: Self {
    var last = self
    last.state = .failed(NodeError(.cancelled, "the attempt was cancelled"))
    return last
  }
}

extension NodeError.Code {
  /// The code of a failure; a failure has a number for each.
  init(_ failure: NativeNodeFailure?) {
    self = failure.flatMap { Self(rawValue: Int($0.rawValue)) } ?? .native
  }
}
