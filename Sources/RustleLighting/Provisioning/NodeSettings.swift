internal import RustleCore

/// A network's password, which no description shows.
public struct NodePassword: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  let text: String

  /// Takes a password of at most 64 bytes of UTF-8; an empty one is an open network.
  public init(_ text: String) { self.text = text }

  /// An open network.
  public static var open: Self { Self("") }

  /// Not the password.
  public var description: String { "(password)" }
  /// Not the password.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The values for a node.
public struct NodeSettings: Sendable, Hashable {
  /// Its name, 1 to 32 bytes of UTF-8.
  public var name: String
  /// Its network (SSID), 1 to 32 bytes of UTF-8.
  public var ssid: String
  /// The network's password. It goes in clear over the air, unless the link is encrypted.
  public var password: NodePassword
  /// Its universe, 0 to 32767.
  public var universe: Int
  /// Its DMX start address, 1 to 512.
  public var start: Int
  /// The slots that it takes, which have to be in the universe; nil: not known.
  public var footprint: Int?

  /// Values that are checked when they are used.
  public init(
    name: String, ssid: String, password: NodePassword, universe: Int, start: Int, footprint: Int? = nil
  ) {
    (self.name, self.ssid, self.password) = (name, ssid, password)
    (self.universe, self.start, self.footprint) = (universe, start, footprint)
  }
}

/// What a node says of itself.
public enum NodeFlag: Sendable, Hashable {
  /// It was never provisioned, or was reset.
  case unprovisioned
  /// It works with what it was given.
  case provisioned
  /// It takes values.
  case provisioning
  /// It connects to the network.
  case connecting
  /// It is connected to the network.
  case connected
  /// It refused the values, or found no network.
  case error
  /// A number of a later firmware.
  case other(Int)

  /// The name in outputs: that of the case, or the number.
  public var name: String {
    switch self {
    case .unprovisioned: "unprovisioned"
    case .provisioned: "provisioned"
    case .provisioning: "provisioning"
    case .connecting: "connecting"
    case .connected: "connected"
    case .error: "error"
    case .other(let number): "\(number)"
    }
  }

  init?(_ number: Int) {
    switch number {
    case 0: self = .unprovisioned
    case 1: self = .provisioned
    case 2: self = .provisioning
    case 3: self = .connecting
    case 4: self = .connected
    case 255: self = .error
    case nativeNodeNoFlag: return nil
    default: self = .other(number)
    }
  }
}

/// The values that a node holds. The password cannot be read.
public struct NodeConfiguration: Sendable, Hashable {
  /// Its name; bytes that are no UTF-8 are replaced.
  public let name: String
  /// Its network.
  public let ssid: String
  /// Its universe; nil: the node holds no number.
  public let universe: Int?
  /// Its DMX start address; nil: the node holds no number.
  public let start: Int?
  /// Its firmware.
  public let firmware: String
  /// What it says of itself.
  public let flag: NodeFlag?

  init(_ native: NativeNodeUpdate) {
    (name, ssid, firmware) = (native.name, native.ssid, native.firmware)
    universe = native.universe == nativeNodeNoNumber ? nil : native.universe
    start = native.start == nativeNodeNoNumber ? nil : native.start
    flag = NodeFlag(native.flag)
  }
}
