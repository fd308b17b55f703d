/// The gains of an account's equalizer: 14 bands of each channel, in dB, at 8, 16, 32, 64, 128, 256, 512, 1,024, 2,048, 3,072, 4,096,
/// 5,120, 10,240 and 16,384 Hz.
public struct EqualizerGains: Sendable, Hashable {
  /// The number of bands of a channel.
  public static let bandCount = 14
  /// The gains that an account keeps.
  public static let range: ClosedRange<Float> = -12...12
  /// No gain in any band.
  public static let flat = Self(checked: Array(repeating: 0, count: 2 * bandCount))

  /// Those of the left channel and then those of the right one.
  let numbers: [Float]

  /// Creates gains.
  ///
  /// - Throws: ``AccountError`` with ``AccountError/Code/validation`` unless each channel has 14 gains within ``range``.
  public init(left: [Float], right: [Float]) throws(AccountError) {
    for (name, gains) in [("left", left), ("right", right)] {
      guard gains.count == Self.bandCount, gains.allSatisfy(Self.range.contains) else {
        throw AccountError(
          .validation, "\(name): expected 14 gains from -12 to 12 dB, got \(gains)",
          advice: "Pass a gain for each band.")
      }
    }
    numbers = left + right
  }

  init?(numbers: [Float]) {
    guard numbers.count == 2 * Self.bandCount, numbers.allSatisfy(Self.range.contains) else { return nil }
    self.numbers = numbers
  }

  private init(checked numbers: [Float]) { self.numbers = numbers }

  /// The gains of the left channel.
  public var left: [Float] { Array(numbers.prefix(Self.bandCount)) }
  /// The gains of the right channel.
  public var right: [Float] { Array(numbers.suffix(Self.bandCount)) }

  /// These gains, with those of `other` in some bands.
  func replacing(_ bands: some Sequence<Int>, by other: Self) -> Self {
    var numbers = numbers
    for band in bands { numbers[band] = other.numbers[band] }
    return Self(checked: numbers)
  }

  /// The bands in which two values differ.
  func differences(from other: Self) -> Set<Int> {
    Set(numbers.indices.filter { numbers[$0] != other.numbers[$0] })
  }
}
