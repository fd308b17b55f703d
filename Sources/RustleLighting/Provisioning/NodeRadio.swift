internal import RustleCore

/// The characteristics of a node's GATT service.
public enum NodeCharacteristic: UInt8, Sendable, Hashable, CaseIterable {
  /// The node's name: read and write.
  case name = 0x10
  /// The network's name (SSID): read and write.
  case ssid = 0x11
  /// The network's password: write only.
  case password = 0x12
  /// The universe: read and write.
  case universe = 0x13
  /// The DMX start address: read and write.
  case start = 0x14
  /// What the node says of itself: read and notify.
  case flag = 0x15
  /// The firmware: read.
  case firmware = 0x16
  /// The command: write.
  case command = 0x20

  /// The UUID of the service.
  public static let service = "4368726f-6d61-444d-5800-000000000001"

  /// The UUID.
  public var uuid: String { Self.service.dropLast(2) + String(rawValue, radix: 16) }
}

/// Why a radio of the program's did not do what it was asked for.
public struct NodeRadioFailure: Error, Sendable, Hashable {
  /// What has to change.
  public enum Reason: Sendable, Hashable, CaseIterable {
    /// The system has no Bluetooth.
    case noBluetooth
    /// There is no adapter.
    case noAdapter
    /// Bluetooth is off.
    case adapterOff
    /// The user does not allow it.
    case notAuthorized
    /// The link is down.
    case notConnected
    /// Another one.
    case other
  }

  /// What has to change.
  public var reason: Reason
  /// The system's text. One that repeats the password is shown without it.
  public var text: String

  /// A failure.
  public init(_ reason: Reason, _ text: String) { (self.reason, self.text) = (reason, text) }

  var cause: NativeNodeCause {
    switch reason {
    case .noBluetooth: .noBluetooth
    case .noAdapter: .noAdapter
    case .adapterOff: .adapterOff
    case .notAuthorized: .notAuthorized
    case .notConnected: .notConnected
    case .other: .other
    }
  }
}

/// What a radio of the program's reports by itself.
public enum NodeRadioEvent: Sendable, Hashable {
  /// A node advertises: its identifier, of at most 40 bytes, its name, its signal in dBm, and the bytes of its manufacturer data after the
  /// company's two.
  case seen(id: String, name: String, rssi: Int?, manufacturerData: [UInt8] = [])
  /// The value of the flag changed.
  case notified([UInt8])
  /// The link went down.
  case disconnected
  /// Bluetooth went, and every link with it.
  case lost(NodeRadioFailure)
}

/// A Bluetooth LE radio of the program's, as CoreBluetooth: what ``NodeScanner`` and ``NodeProvisioner`` ask for, in place of BlueZ.
///
/// Each scan, and each session of attempts, has one of its own, with at most one link. Which call follows which, how long each may take
/// and what is made of an error stay with them: a method does what its name says, and throws what the system says. It may be called while
/// another one has not returned, as ``disconnect()`` in a connection that is being made.
public protocol NodeRadio: Sendable {
  /// What it reports by itself, for one reader.
  var events: AsyncStream<NodeRadioEvent> { get }
  /// Begins to report nodes that advertise ``NodeCharacteristic/service``, each time that they do. A scanner waits for it without a limit,
  /// as for the user's answer to the system's question.
  func scan() async throws(NodeRadioFailure)
  /// Ends the scan.
  func stopScan() async throws(NodeRadioFailure)
  /// Connects to a node that was seen, by its identifier.
  func connect(to node: String) async throws(NodeRadioFailure)
  /// Finds the characteristics of the service.
  func characteristics() async throws(NodeRadioFailure) -> [NodeCharacteristic]
  /// Pairs, so that the link is encrypted.
  func pair() async throws(NodeRadioFailure)
  /// Reads a value.
  func read(_ characteristic: NodeCharacteristic) async throws(NodeRadioFailure) -> [UInt8]
  /// Writes a value, and returns when the node has acknowledged it. One of them is the password: it belongs in no log.
  func write(_ value: [UInt8], to characteristic: NodeCharacteristic) async throws(NodeRadioFailure)
  /// Begins to report changes of the flag.
  func subscribe() async throws(NodeRadioFailure)
  /// Reports no more of them.
  func unsubscribe() async throws(NodeRadioFailure)
  /// Ends the link, or a connection that is being made, and returns when it is down.
  func disconnect() async throws(NodeRadioFailure)
  /// Ends what still runs. It is not used any more.
  func close() async
}
