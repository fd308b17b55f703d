public import Foundation
internal import RustleCore

/// The merged levels of a universe, after a change.
public struct DMXUniverseLevels: Sendable, Hashable {
  /// The number in the stream, from 0.
  public let sequence: UInt64
  /// The number of the change: universes that changed together have the same.
  public let change: UInt64
  /// The time of the change.
  public let time: Date
  /// The universe.
  public let universe: DMXUniverse
  /// The sources at present.
  public let sources: Int
  /// The levels of all 512 slots.
  public let levels: [UInt8]

  init(_ native: NativeDMXLevels) {
    universe = DMXUniverse(received: native.universe, of: native.kind)
    sequence = native.sequence
    change = native.change
    time = Date(nanoseconds: native.timeNanoseconds)
    sources = native.sources
    levels = native.levels
  }
}

/// Something that happened to a source, a universe or a synchronization address.
public struct DMXEvent: Sendable, Hashable {
  /// The kinds of events.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The first packet of a source came.
    case sourceAppeared
    /// A source was silent too long.
    case sourceTimedOut
    /// A source said that it ends.
    case sourceTerminated
    /// Sources of higher priority took a source's place.
    case sourceDisplaced
    /// A source was forgotten, as the program asked for.
    case sourceForgotten
    /// More sources send than the universe merges. Reported once until a place is free.
    case sourcesExceeded
    /// No source is left.
    case universeLost
    /// Synchronization began, or is back.
    case syncHeard
    /// Synchronization stopped.
    case syncLost
    /// The group of a synchronization address was not joined, for the reason in the text.
    case groupRefused
    /// A kind that this version does not know.
    case other
  }

  /// The number in the stream, from 0.
  public let sequence: UInt64
  /// The time.
  public let time: Date
  /// What happened.
  public let kind: Kind
  /// The protocol.
  public let `protocol`: DMXProtocol
  /// The universe of sACN, the Port-Address, or the synchronization address; nil for ArtSync.
  public let universe: DMXUniverse?
  /// The source's identity, of sACN.
  public let cid: UUID?
  /// The source's IPv4 address, if it is known.
  public let address: String?
  /// The source's physical input, of Art-Net.
  public let physicalInput: Int
  /// The source's name, or a reason; may be empty.
  public let text: String

  init(_ native: NativeDMXEvent) {
    kind = native.event.flatMap { Kind(rawValue: "\($0)") } ?? .other
    self.protocol = native.kind == .artNet ? .artNet : .sacn
    sequence = native.sequence
    time = Date(nanoseconds: native.timeNanoseconds)
    let isArtSync = native.kind == .artNet && (kind == .syncHeard || kind == .syncLost)
    universe = isArtSync ? nil : DMXUniverse(received: native.universe, of: native.kind)
    cid = native.cidHigh == 0 && native.cidLow == 0 ? nil : UUID(high: native.cidHigh, low: native.cidLow)
    address = native.address == 0 ? nil : ipv4Text(native.address)
    physicalInput = native.physical
    text = native.text
  }
}

/// A source of a received universe.
public struct DMXSource: Sendable, Hashable {
  /// The identity, of sACN.
  public let cid: UUID?
  /// The name, of sACN; may be empty.
  public let name: String
  /// The IPv4 address of its last packet.
  public let address: String
  /// The physical input, of Art-Net.
  public let physicalInput: Int
  /// The priority of its last packet, 0 to 200, of sACN.
  public let priority: Int
  /// Whether it has per-address priorities, of sACN.
  public let hasAddressPriorities: Bool
  /// Whether it sends previews, which are not merged unless asked for.
  public let isPreview: Bool
  /// The synchronization address that its levels name, of sACN.
  public let synchronizationAddress: Int?

  /// By what the native side finds it.
  let identity: Identity

  struct Identity: Sendable, Hashable {
    let high: UInt64
    let low: UInt64
    let address: Int
    let physical: Int
  }

  init(_ native: NativeDMXSource) {
    cid = native.cidHigh == 0 && native.cidLow == 0 ? nil : UUID(high: native.cidHigh, low: native.cidLow)
    name = native.text
    address = ipv4Text(native.address)
    physicalInput = native.physical
    priority = native.priority
    hasAddressPriorities = native.hasPriorities
    isPreview = native.isPreview
    synchronizationAddress = native.syncAddress == 0 ? nil : native.syncAddress
    identity = Identity(
      high: native.cidHigh, low: native.cidLow, address: native.address, physical: native.physical)
  }
}

/// The counts of a receiver since its sockets were opened.
public struct DMXReceiverCounts: Sendable, Hashable {
  /// Datagrams read.
  public let datagrams: UInt64
  /// Changes of levels that were reported.
  public let levels: UInt64
  /// Datagrams that the system dropped before they were read.
  public let systemDrops: UInt64
  /// Malformed datagrams.
  public let malformed: UInt64
  /// Data of universes that are not received.
  public let otherUniverses: UInt64
  /// Synchronization packets that were taken.
  public let synchronizations: UInt64
  /// Frames that were not shown because they were not whole.
  public let incompleteFrames: UInt64
  /// Replies to ArtPolls that were sent.
  public let replies: UInt64

  init(_ native: NativeDMXReceiverCounts) {
    datagrams = native.datagrams
    levels = native.levels
    systemDrops = native.kernelDrops
    malformed = native.malformed
    otherUniverses = native.otherUniverses
    synchronizations = native.syncs
    incompleteFrames = native.framesIncomplete
    replies = native.replies
  }
}

/// The counts of a received universe.
public struct DMXUniverseCounts: Sendable, Hashable {
  /// Packets that were taken.
  public let packets: UInt64
  /// Packets out of order, which were dropped.
  public let outOfOrder: UInt64
  /// Packets of sources beyond the limit.
  public let excess: UInt64
  /// Preview packets, which were ignored.
  public let previews: UInt64
  /// The sources at present.
  public let sources: Int
  /// Packets per second, of all sources.
  public let rate: Double

  init(_ native: NativeDMXUniverseCounts) {
    packets = native.packets
    outOfOrder = native.outOfOrder
    excess = native.excess
    previews = native.previews
    sources = Int(clamping: native.sources)
    rate = native.hertz
  }
}

extension DMXUniverse {
  /// A universe that the native side names.
  init(received number: Int, of kind: NativeDMXProtocol?) {
    self.protocol = kind == .artNet ? .artNet : .sacn
    self.number = number
  }
}

extension Date {
  init(nanoseconds: Int64) { self.init(timeIntervalSince1970: Double(nanoseconds) / 1e9) }
}

extension UUID {
  init(high: UInt64, low: UInt64) {
    let bytes = [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10],
        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
