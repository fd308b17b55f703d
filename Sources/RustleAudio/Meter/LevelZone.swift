internal import RustleCore

/// A zone of the ``DisplayScale``.
public enum LevelZone: Int, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// Below 50.
  case silent
  /// From 50 to below 75.
  case quiet
  /// From 75 to below 90.
  case average
  /// From 90 to below 100.
  case noisy
  /// From 100 up to and including 120.
  case loud

  /// The name in English, in lower case.
  public var name: String {
    switch self {
    case .silent: "silent"
    case .quiet: "quiet"
    case .average: "average"
    case .noisy: "noisy"
    case .loud: "loud"
    }
  }

  /// Quieter zones come first.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  init(number: Int) { self = Self(rawValue: number) ?? .silent }
}

/// A scale from 0 to 120 for bars and numbers without decibels. It is not a sound pressure level: 50 is an average power of -15.2
/// dB relative to full scale, whatever the microphone.
public enum DisplayScale {
  /// The range of the scale.
  public static let range = 0.0...120.0

  /// Returns the value and the zone of an average power in dB relative to full scale: with a = 10^(power/20) and m = 10^-4,
  /// 120 √((a - m) / (1 - m)); 0 below -80 dB, 120 from 0 dB on.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native`` when the linked archive is not the one that the package was built
  ///   against.
  public static func value(ofPower power: Double) throws(AudioError) -> (value: Double, levelZone: LevelZone) {
    let (value, number) = try AudioError.rethrowing { () throws(NativeError) in
      try NativeCalls.displayScale(power: power)
    }
    return (value, LevelZone(number: number))
  }
}
