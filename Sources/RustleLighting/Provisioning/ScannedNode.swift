public import Foundation
internal import RustleCore

/// A node that a scan sees, after a change.
public struct ScannedNode: Sendable, Hashable {
  /// What happened to a node.
  public enum Change: String, Sendable, Hashable, CaseIterable {
    /// It is new.
    case appeared
    /// Its name, flag, firmware or signal changed, or it was seen again.
    case changed
    /// It was not seen for 10 s.
    case gone
  }

  /// The number in the stream, from 0.
  public let sequence: UInt64
  /// The time.
  public let time: Date
  /// What happened.
  public let change: Change
  /// Its index in the list, 0 to 1,023; it keeps it while it is there.
  public let index: Int
  /// What the radio calls it: on Linux its address.
  public let id: String
  /// Its name; empty: it advertises none.
  public let name: String
  /// Its signal in dBm, smoothed over about a second.
  public let rssi: Double
  /// What it says of itself, if it advertises it.
  public let flag: NodeFlag?
  /// Its firmware's version, `1.4`, if it advertises it.
  public let firmware: String?

  init(_ native: NativeNodeSighting) {
    sequence = native.sequence
    time = Date(nanoseconds: native.timeNanoseconds)
    change = native.change.flatMap { Change(rawValue: "\($0)") } ?? .changed
    index = native.index
    (id, name) = (native.id, native.name)
    rssi = Double(native.rssi)
    flag = NodeFlag(native.flag)
    firmware = native.hasFirmware ? "\(native.major).\(native.minor)" : nil
  }
}
