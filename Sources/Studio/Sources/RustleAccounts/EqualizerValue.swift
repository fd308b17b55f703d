public import Foundation

/// The gains of the setting `eq`: 14 bands of the left channel, then 14 of the right one, in dB.
public struct EqualizerValue: Sendable, Hashable {
  /// Both channels' bands.
  public static let count = 28
  /// In dB.
  public static let range: ClosedRange<Float> = -12...12
  /// No gain.
  public static let flat = EqualizerValue(unchecked: [Float](repeating: 0, count: count))

  /// In dB, ±12 each.
  public let bands: [Float]

  private init(unchecked bands: [Float]) { self.bands = bands }

  /// Nil unless there are 28 finite numbers within ±12 dB.
  public init?(_ bands: [Float]) {
    guard bands.count == Self.count, bands.allSatisfy(Self.range.contains) else { return nil }
    self.bands = bands
  }

  /// Reads 28 × Float32, little-endian; nil for other bytes.
  public init?(bytes: Data) {
    guard bytes.count == 4 * Self.count else { return nil }
    let bytes = Array(bytes)
    self.init(
      (0..<Self.count).map { band in
        Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[4 * band + $1]) << (8 * $1) })
      })
  }

  /// 28 × Float32, little-endian.
  public var bytes: Data {
    Data(bands.flatMap { band in (0..<4).map { UInt8(truncatingIfNeeded: band.bitPattern >> (8 * $0)) } })
  }

  /// The numbers with the fewest digits that read back as the same Float32.
  public var numbers: [Double] { bands.map { Double("\($0)") ?? Double($0) } }
}
