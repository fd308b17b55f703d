/// The sample rate and the channels of sound in memory.
public struct AudioFormat: Sendable, Hashable {
  /// The sample rate in Hz.
  public let sampleRate: Double
  /// The channels in their order within a frame.
  public let layout: ChannelLayout

  /// - Parameters:
  ///   - sampleRate: in hertz, 1 to 1,000,000.
  ///   - layout: 1 to 32 channels.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(sampleRate: Double, layout: ChannelLayout) throws(AudioError) {
    guard (1...1_000_000).contains(sampleRate) else {
      throw .validation("sampleRate", expected: "1 to 1000000 Hz", got: "\(sampleRate)")
    }
    guard (1...Self.maximumChannelCount).contains(layout.count) else {
      throw .validation("layout", expected: "1 to \(Self.maximumChannelCount) channels", got: "\(layout.count)")
    }
    self.sampleRate = sampleRate
    self.layout = layout
  }

  /// Creates a format with the default layout for its number of channels.
  ///
  /// - Parameters:
  ///   - sampleRate: in hertz, 1 to 1,000,000.
  ///   - channels: 1 to 32.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(sampleRate: Double, channels: Int) throws(AudioError) {
    guard (1...Self.maximumChannelCount).contains(channels) else {
      throw .validation("channels", expected: "1 to \(Self.maximumChannelCount)", got: "\(channels)")
    }
    try self.init(sampleRate: sampleRate, layout: .default(for: channels))
  }

  /// The samples of a frame.
  public var channels: Int { layout.count }

  /// The whole frames of a duration: at least 1, at most a billion.
  func frames(in duration: Duration) -> Int {
    Int(min(max(duration / .seconds(1) * sampleRate, 1), 1e9))
  }

  /// The most channels of a format.
  public static let maximumChannelCount = 32
}

extension AudioFormat: CustomStringConvertible {
  /// A description, for example `48000 Hz, stereo`.
  public var description: String {
    let exact = Int(exactly: sampleRate).map(String.init) ?? String(sampleRate)
    return "\(exact) Hz, \(layout)"
  }
}
