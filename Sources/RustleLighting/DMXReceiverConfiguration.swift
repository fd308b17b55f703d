internal import RustleCore

/// The universes that are received, and how.
public struct DMXReceiverConfiguration: Sendable, Hashable {
  /// The merge of two sources of a Port-Address.
  public enum Merge: Sendable, Hashable {
    /// The highest level of each slot (HTP).
    case highest
    /// The latest packet's levels (LTP).
    case latest
  }

  /// What a universe shows when its last source is lost.
  public enum Loss: Sendable, Hashable {
    /// The last merged levels.
    case hold
    /// Level 0, which the levels reach in a straight line over this time.
    case zero(over: Duration = .zero)
  }

  /// The universes of sACN and Art-Net, 1 to 4,096.
  public var universes: [DMXUniverse]
  /// The interface, by name or address; empty: that of the default route; `demo`: levels come without a network.
  public var interface = ""
  /// Whether a synchronized frame is shown whole or not at all, instead of the latest of each universe; docs/lighting.md has the
  /// conditions.
  public var showsWholeFrames = false
  /// The merge of two sources of a Port-Address. Sources of sACN are merged by priority, then by the highest level.
  public var merge = Merge.highest
  /// What a universe shows when its last source is lost.
  public var loss = Loss.hold
  /// The sources of a universe of sACN that are merged at most, 1 to 64.
  public var maximumSourceCount = 16
  /// How long a new source of sACN waits for its per-address priorities before its levels count.
  public var settling = Duration.zero
  /// Whether preview packets count as others do.
  public var includesPreviews = false
  /// Whether ArtPolls are answered, as Art-Net wants of those who receive.
  public var answersPolls = true
  /// The short name of the node that answers, at most 17 bytes of UTF-8.
  public var name = "rustle"
  /// The node's long name, at most 63 bytes of UTF-8.
  public var longName = "rustle receiver"
  /// The port of sACN; nil: 5568.
  public var sacnPort: Int?
  /// The port of Art-Net; nil: 6454.
  public var artNetPort: Int?
  /// The levels of each universe a second with the interface `demo`, 0.001 to 10,000,000.
  public var demoRate = 44.0
  /// The number of levels after which a stream of levels ends; nil: no limit.
  public var levelsLimit: Int?

  /// - Parameter universes: the universes to receive.
  public init(_ universes: [DMXUniverse]) { self.universes = universes }

  func native() throws(LightingError) -> NativeDMXReceiverConfiguration {
    for (argument, value, range) in [
      ("maximumSourceCount", maximumSourceCount, 1...64), ("sacnPort", sacnPort ?? 1, 1...65_535),
      ("artNetPort", artNetPort ?? 1, 1...65_535), ("levelsLimit", levelsLimit ?? 1, 1...Int.max),
    ] where !range.contains(value) {
      throw .validation(argument, expected: "\(range.lowerBound) to \(range.upperBound)", got: "\(value)")
    }
    let numbers = { (kind: DMXProtocol) in
      universes.filter { $0.protocol == kind }.map { String($0.number) }.joined(separator: ",")
    }
    var (onLoss, fade) = (NativeDMXLoss.hold, Duration.zero)
    if case .zero(let over) = loss { (onLoss, fade) = (.zero, over) }
    return NativeDMXReceiverConfiguration(
      interface: interface, sacn: numbers(.sacn), artNet: numbers(.artNet), shortName: name, longName: longName,
      levelsPerSecond: demoRate, levelsLimit: levelsLimit.map(UInt64.init) ?? 0,
      settleNanoseconds: try nanoseconds(settling, "settling"), fadeNanoseconds: try nanoseconds(fade, "loss"),
      syncRule: showsWholeFrames ? .whole : .latest, merge: merge == .highest ? .htp : .ltp, onLoss: onLoss,
      sources: maximumSourceCount, sacnPort: sacnPort ?? 0, artNetPort: artNetPort ?? 0,
      includesPreviews: includesPreviews, answersPolls: answersPolls)
  }

  /// A time of 0 to an hour.
  private func nanoseconds(_ time: Duration, _ argument: String) throws(LightingError) -> UInt64 {
    guard time >= .zero, time <= .seconds(3_600) else {
      throw .validation(argument, expected: "0 to 3600 s", got: "\(time)")
    }
    let (seconds, attoseconds) = time.components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
