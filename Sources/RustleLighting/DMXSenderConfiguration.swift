public import Foundation
internal import RustleCore

/// The source of DMX: who sends, how, and where.
public struct DMXSenderConfiguration: Sendable, Hashable {
  /// The synchronization of a frame's universes.
  public enum Synchronization: Sendable, Hashable {
    /// None: each universe acts when it arrives.
    case none
    /// sACN: a packet to this synchronization address, 1 to 63999, follows each frame. When it fails to come, receivers hold, or go
    /// on without it where `isForced`.
    case sacn(address: Int, isForced: Bool = false)
    /// Art-Net: an ArtSync follows each frame.
    case artSync
  }

  /// The protocol.
  public var `protocol`: DMXProtocol
  /// The interface of multicast and broadcast, by name or address; empty: that of the default route; `demo`: nothing is sent, all
  /// is counted.
  public var interface = ""
  /// IPv4 addresses, with or without a port. None: sACN is multicast. ``followsNodes`` alone: Art-Net polls the interface, and sends
  /// each Port-Address to the nodes that list it.
  public var destinations: [String] = []
  /// Whether the data go to the interface's directed broadcast address. Art-Net only.
  public var broadcasts = false
  /// The identity of the source: kept by the program, so that it is the same source after a restart. sACN only.
  public var cid: UUID
  /// The name of the source, at most 63 bytes of UTF-8. sACN only.
  public var name: String
  /// Frames per second, 1 to 200. Full universes are sent at most at 44 Hz on average.
  public var rate = 44.0
  /// The universes that a show sends by it; none: all of its protocol.
  public var universes: [ClosedRange<Int>] = []
  /// The time from which the frames are counted, in whole milliseconds: they begin at whole periods after it, and not before it, and a show
  /// has its time from then on, so that machines whose clocks agree send the same. nil: from the start.
  public var since: Date?
  /// The priority of universes, 0 to 200. sACN only.
  public var priority = 100
  /// The synchronization.
  public var synchronization = Synchronization.none
  /// The time from a frame's data to its synchronization packet.
  public var synchronizationGap = Duration.zero
  /// Whether the data are previews. sACN only.
  public var isPreview = false
  /// The routers that multicast may pass, plus one: 0 to 255.
  public var timeToLive = 1
  /// The file that the packets are written to in place of a network, a capture (pcap), with the ``demoInterface`` alone; a file that
  /// is there is replaced. nil: none.
  public var capture: String?
  /// Reports per second, 0.001 to 10,000,000.
  public var reportRate = 1.0
  /// The number of reports after which a session ends; nil: no limit.
  public var reportLimit: Int?

  /// The destination that stands for the nodes that list a Port-Address.
  public static let followsNodes = "auto"

  /// The interface that needs no network.
  public static let demoInterface = "demo"

  /// - Parameters:
  ///   - protocol: the protocol.
  ///   - cid: the identity; by default a new one.
  ///   - name: the name of the source.
  public init(_ protocol: DMXProtocol, cid: UUID = UUID(), name: String = "rustle") {
    self.protocol = `protocol`
    self.cid = cid
    self.name = name
  }

  func native() throws(LightingError) -> NativeDMXConfiguration {
    for (argument, value, range) in [
      ("priority", priority, 0...200), ("timeToLive", timeToLive, 0...255),
      ("reportLimit", reportLimit ?? 1, 1...Int.max),
    ] where !range.contains(value) {
      throw .validation(argument, expected: "\(range.lowerBound) to \(range.upperBound)", got: "\(value)")
    }
    if destinations.contains("") {
      throw .validation(
        "destination", expected: "an IPv4 address", got: "an empty text", advice: "Pass none to multicast sACN.")
    }
    guard synchronizationGap >= .zero, synchronizationGap <= .seconds(1) else {
      throw .validation("synchronizationGap", expected: "0 to 1 s", got: "\(synchronizationGap)")
    }
    var (address, isForced) = (0, false)
    if case .sacn(let given, let forced) = synchronization {
      (address, isForced) = (try DMXUniverse(given, of: .sacn).number, forced)
    }
    if let since, !(0.001...1e12).contains(since.timeIntervalSince1970) {
      throw .validation("since", expected: "a time after 1970", got: "\(since)")
    }
    let ranges = universes.map { "\($0.lowerBound)-\($0.upperBound)" }
    return NativeDMXConfiguration(
      interface: interface, destinations: destinations.joined(separator: ","), cid: cid.uuidString, name: name,
      capture: capture ?? "", universes: ranges.joined(separator: ","), framesASecond: rate,
      reportsPerSecond: reportRate, reportLimit: reportLimit.map(UInt64.init) ?? 0,
      syncGapNanoseconds: UInt64(synchronizationGap.components.attoseconds / 1_000_000_000)
        + UInt64(synchronizationGap.components.seconds) * 1_000_000_000,
      sinceMilliseconds: since.map { UInt64(($0.timeIntervalSince1970 * 1_000).rounded()) } ?? 0,
      kind: `protocol` == .sacn ? .sacn : .artNet, priority: priority, syncAddress: address, timeToLive: timeToLive,
      broadcasts: broadcasts, sendsArtSync: synchronization == .artSync, forcesSync: isForced, isPreview: isPreview)
  }
}

/// An address of a network interface of this machine.
public struct NetworkInterface: Sendable, Hashable {
  /// The interface's name.
  public let name: String
  /// The IPv4 address.
  public let address: String
  /// The directed broadcast address.
  public let broadcast: String
  /// Whether it is the loopback.
  public let isLoopback: Bool

  /// The addresses of the interfaces that are up.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/network``.
  public static func all() throws(LightingError) -> [Self] {
    try LightingError.rethrowing(NativeDMXInterface.all).map {
      Self(name: $0.name, address: $0.address, broadcast: $0.broadcast, isLoopback: $0.isLoopback)
    }
  }
}
