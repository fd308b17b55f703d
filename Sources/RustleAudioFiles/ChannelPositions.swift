internal import RustleAudio

/// Where the loudspeakers of a WAV file stand: one bit each, in the order in which their channels follow one another.
///
/// Numbers: Microsoft, "Multiple Channel Audio Data and WAVE Files", `dwChannelMask`.
struct ChannelPositions: OptionSet, Hashable {
  let rawValue: UInt32

  static let frontLeft = Self(rawValue: 0x1)
  static let frontRight = Self(rawValue: 0x2)
  static let frontCenter = Self(rawValue: 0x4)
  static let lowFrequency = Self(rawValue: 0x8)
  static let backLeft = Self(rawValue: 0x10)
  static let backRight = Self(rawValue: 0x20)
  static let sideLeft = Self(rawValue: 0x200)
  static let sideRight = Self(rawValue: 0x400)

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The positions of a layout; none where WAV cannot represent it: a channel twice, or in another order than that of the bits.
  /// Discrete channels can only be the last ones.
  init(_ layout: ChannelLayout) {
    let hasBack = layout.channels.contains(.leftBack) || layout.channels.contains(.rightBack)
    var positions: Self = []
    for (index, channel) in layout.channels.enumerated() {
      let position = Self(channel, hasBack: hasBack)
      if position.isEmpty {
        let isRestDiscrete = layout.channels[index...].allSatisfy { $0 == .discrete }
        self = isRestDiscrete ? positions : []
        return
      }
      guard position.rawValue > positions.rawValue else {
        self = []
        return
      }
      positions.insert(position)
    }
    self = positions
  }

  /// The surround channels stand behind, where readers expect the two of 5.1, unless there are others behind them.
  private init(_ channel: ChannelLayout.Channel, hasBack: Bool) {
    self =
      switch channel {
      case .left: .frontLeft
      case .right: .frontRight
      case .center: .frontCenter
      case .lowFrequency: .lowFrequency
      case .leftSurround: hasBack ? .sideLeft : .backLeft
      case .rightSurround: hasBack ? .sideRight : .backRight
      case .leftBack: .backLeft
      case .rightBack: .backRight
      case .discrete: []
      }
  }

  /// The layout of channels at these positions, one position each. What stands behind is surround unless there is something at
  /// the sides too.
  static func layout(of positions: [Self]) -> ChannelLayout {
    let hasSides = positions.contains(.sideLeft) || positions.contains(.sideRight)
    return ChannelLayout(
      positions.map { position in
        switch position {
        case .frontLeft: .left
        case .frontRight: .right
        case .frontCenter: .center
        case .lowFrequency: .lowFrequency
        case .backLeft: hasSides ? .leftBack : .leftSurround
        case .backRight: hasSides ? .rightBack : .rightSurround
        case .sideLeft: .leftSurround
        case .sideRight: .rightSurround
        default: .discrete
        }
      })
  }
}
