internal import RustleCore

/// The counts of a universe of a sender since it was added.
public struct DMXSentCounts: Sendable, Hashable {
  /// Packets with its levels or priorities; each counts once, whatever the number of its destinations.
  public let packets: UInt64
  /// Its datagrams that the system refused, and those of frames whose destination answered that no program listens there.
  public let refusals: UInt64

  init(_ native: NativeDMXSentCounts) { (packets, refusals) = (native.packets, native.refusals) }
}

/// The counts of a sender since its start.
public struct DMXReport: Sendable, Hashable {
  /// The report's number in its session, from 0.
  public let sequence: UInt64
  /// Frames so far: one each period, whether or not a packet was due.
  public private(set) var frames: UInt64
  /// Frames that were skipped because the thread woke a whole period late.
  public private(set) var skippedFrames: UInt64
  /// Packets with levels or priorities; each counts once, whatever the number of its destinations.
  public private(set) var packets: UInt64
  /// Synchronization packets, likewise.
  public private(set) var synchronizations: UInt64
  /// Datagrams that the system accepted.
  public private(set) var datagrams: UInt64
  /// Their bytes.
  public private(set) var bytes: UInt64
  /// Datagrams that the system refused, and destinations' answers that no program listens there (ICMP port unreachable).
  public private(set) var refusals: UInt64
  /// How late the thread woke for a frame at most since the report before.
  public let lateness: Duration
  /// How late it woke at most.
  public private(set) var longestLateness: Duration
  /// The universes, with those that are ending.
  public let universes: Int
  /// Universes that no node lists, where the data follow the nodes: they are not sent. At the end those of the last frame.
  public let unheardUniverses: Int
  /// Whether the thread is scheduled before ordinary ones (SCHED_FIFO), which the system allows to root and within RLIMIT_RTPRIO.
  public let isRealtime: Bool

  init(_ report: NativeDMXReport) {
    sequence = report.sequence
    frames = report.frames
    skippedFrames = report.skipped
    packets = report.packets
    synchronizations = report.syncs
    datagrams = report.datagrams
    bytes = report.bytes
    refusals = report.refusals
    lateness = .nanoseconds(Int64(clamping: report.latenessNanoseconds))
    longestLateness = .nanoseconds(Int64(clamping: report.longestLatenessNanoseconds))
    universes = Int(clamping: report.universes)
    unheardUniverses = Int(clamping: report.unheard)
    isRealtime = report.isRealtime
  }

  /// The counts of this session and of those before it together.
  func adding(_ earlier: Self?) -> Self {
    guard let earlier else { return self }
    var sum = self
    for count: WritableKeyPath<Self, UInt64> in [
      \.frames, \.skippedFrames, \.packets, \.synchronizations, \.datagrams, \.bytes, \.refusals,
    ] {
      sum[keyPath: count] += earlier[keyPath: count]
    }
    sum.longestLateness = max(longestLateness, earlier.longestLateness)
    return sum
  }
}
