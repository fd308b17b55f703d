public import RustleCore

/// The error of a scan for nodes, or of an attempt to provision one: a stable code, what was expected and came, and advice. None holds
/// the password.
public struct NodeError: CodedError {
  /// The kind of error. The numbers and names are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// No node takes the values. Nothing was done; the message names all of them.
    case validation = 1
    /// The system has no Bluetooth service, or none that answers.
    case noBluetooth = 2
    /// There is no adapter, or none of the wanted name.
    case noAdapter = 3
    /// The adapter is off.
    case adapterOff = 4
    /// The system does not let the process use Bluetooth.
    case notAuthorized = 5
    /// The node was not seen, or none was.
    case notFound = 6
    /// No try connected.
    case notConnected = 7
    /// The node lacks characteristics of the service.
    case notOurService = 8
    /// The node does not pair, and an encrypted link was demanded.
    case notEncrypted = 9
    /// A step had no answer in its time.
    case timedOut = 10
    /// A step was answered by an error.
    case failed = 11
    /// The node holds another value than was written.
    case readBackDiffers = 12
    /// The node refused the values before it tried the network.
    case valuesRefused = 13
    /// The node did not join the network.
    case networkRefused = 14
    /// The link went down.
    case linkLost = 15
    /// The node did not say in its time that it is provisioned.
    case silent = 16
    /// The node said that it is provisioned, and then something else.
    case notVerified = 17
    /// The whole attempt took too long.
    case attemptTimedOut = 18
    /// It was cancelled.
    case cancelled = 19
    /// A table is malformed, or has values that no node takes.
    case malformedTable = 20
    /// The engine was shut down.
    case shutDown = 21
    /// The native side failed.
    case native = 22
    /// Several nodes in range have the name, or an earlier row of the table has the node.
    case ambiguous = 23

    /// The part that has to change before the call can succeed.
    public var origin: ErrorOrigin {
      switch self {
      case .validation: .arguments
      case .notFound, .ambiguous: .input
      case .malformedTable: .data
      case .noBluetooth, .noAdapter, .adapterOff, .notAuthorized: .machine
      default: .program
      }
    }

    var advice: String {
      switch self {
      case .validation: "Correct each of them."
      case .noBluetooth: "Install and start the system's Bluetooth service: bluetoothd of BlueZ."
      case .noAdapter: "Plug in a Bluetooth adapter, or name one that is there."
      case .adapterOff: "Switch it on: bluetoothctl power on; rfkill unblock bluetooth."
      case .notAuthorized: "Allow the user to use Bluetooth: on Debian by the group bluetooth."
      case .notFound:
        "Bring the node near, restart it, and check its name: a node that is connected does not advertise."
      case .ambiguous: "Name each node by its address, and once; rustle provision list has the addresses."
      case .notConnected: "Bring the node near and restart it; another program may be connected to it."
      case .notOurService: "Update the node's firmware, or choose another node."
      case .notEncrypted: "Use a firmware that pairs, or do without encryption where nobody listens."
      case .timedOut, .failed, .linkLost, .attemptTimedOut: "Bring the node near, and try again."
      case .readBackDiffers: "Try again; nothing was applied. A node that keeps it has other firmware."
      case .valuesRefused: "Check the values against the node's documentation."
      case .networkRefused: "Check the network's name and password, and that the node is in its range."
      case .silent, .notVerified: "Read the node after a while: it may have joined the network."
      case .cancelled: "Read the node before it is used: some values may be written."
      case .malformedTable: "Correct each of the lines that are named."
      case .shutDown: "Create a new one."
      case .native: "Create a new one, and report it with this text."
      }
    }
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.node"

  /// The kind of error.
  public let code: Code
  /// The expected and the received value in one sentence.
  public let message: String
  /// A way to avoid the error.
  public let advice: String

  /// Whether the same call may succeed later.
  public var isRetryable: Bool {
    switch code {
    case .adapterOff, .notFound, .notConnected, .timedOut, .failed, .readBackDiffers, .linkLost, .silent,
      .attemptTimedOut:
      true
    default: false
    }
  }

  init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
    // What BlueZ says of a characteristic that needs an encrypted link.
    let asksForPairing = code == .failed && message.hasSuffix("Not paired")
    advice = asksForPairing ? "Pair with the node first: --encrypt, requiresEncryption in Swift." : code.advice
  }
}

extension NodeError {
  /// The error that ended a scan by itself; nil: it runs, was stopped, or has reached its limit.
  public init?(endOf scan: EngineStream<ScannedNode>) {
    switch scan.outcome {
    case .failed(let reason):
      // The text begins with the name of the kind.
      let name = reason.prefix { $0 != ":" }
      let code = Code.allCases.first { $0.name == name }
      self.init(code ?? .native, code == nil ? reason : String(reason.dropFirst(name.count + 2)))
    case .panicked(let reason): self.init(.native, reason)
    case .ended, .cancelled, nil: return nil
    }
  }
}

extension NodeError: NativeCodedError {
  package init(_ error: NativeError) {
    let code: Code =
      switch error.status {
      case .noBluetooth: .noBluetooth
      case .malformedFile: .malformedTable
      case .invalidLength, .invalidValue, .invalidUTF8, .rateOutOfRange: .validation
      case .shutDown: .shutDown
      default: .native
      }
    self.init(code, error.message)
  }
}
