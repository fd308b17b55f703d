/// The channels of a frame, in their order.
public struct ChannelLayout: Sendable, Hashable {
  /// The loudspeaker position of a channel.
  public enum Channel: String, Sendable, Hashable, CaseIterable {
    /// Front left.
    case left
    /// Front right.
    case right
    /// Front centre; the one channel of mono.
    case center
    /// Low-frequency effects; not counted in loudness.
    case lowFrequency
    /// Left surround, at the side or behind.
    case leftSurround
    /// Right surround, at the side or behind.
    case rightSurround
    /// Back left, in layouts that have side channels too.
    case leftBack
    /// Back right, in layouts that have side channels too.
    case rightBack
    /// Another position, or not known.
    case discrete
  }

  /// The channels in their order.
  public let channels: [Channel]

  /// Creates a layout of any channels.
  public init(_ channels: [Channel]) { self.channels = channels }

  /// One channel.
  public static let mono = Self([.center])
  /// Left and right.
  public static let stereo = Self([.left, .right])

  /// Returns the default layout of `count` channels: mono, stereo, and from three to eight channels the order of WAV (left,
  /// right, centre, low frequency, surround); discrete beyond.
  public static func `default`(for count: Int) -> Self {
    switch count {
    case 1: .mono
    case 2: .stereo
    case 3: Self([.left, .right, .center])
    case 4: Self([.left, .right, .leftSurround, .rightSurround])
    case 5: Self([.left, .right, .center, .leftSurround, .rightSurround])
    case 6: Self([.left, .right, .center, .lowFrequency, .leftSurround, .rightSurround])
    case 8: Self([.left, .right, .center, .lowFrequency, .leftBack, .rightBack, .leftSurround, .rightSurround])
    default: Self(Array(repeating: .discrete, count: max(0, count)))
    }
  }

  /// The number of channels.
  public var count: Int { channels.count }
}

extension ChannelLayout: CustomStringConvertible {
  /// A description: `mono`, `stereo`, or the number of channels.
  public var description: String {
    switch self {
    case .mono: "mono"
    case .stereo: "stereo"
    default: "\(count) channels"
    }
  }
}
