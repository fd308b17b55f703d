/// The settings of an equalizer's left and right channel.
///
/// ```swift
/// var gains = [Double](repeating: 0, count: 28)
/// gains[4] = 6  // 128 Hz on the left
/// let settings = try EqualizerSettings.graphic(gains: gains)
/// ```
///
/// Settings are checked when they are used, by ``check(sampleRate:)``.
public struct EqualizerSettings: Sendable, Hashable, Codable {
  /// The range of a band's gain, in dB.
  public static let gainRange = -24.0...24.0
  /// The range of the preamplification, in dB: wide bands add up to far more than each alone.
  public static let preampRange = -96.0...24.0
  /// The range of a band's width, in octaves.
  public static let bandwidthRange = 0.05...5.0
  /// The most bands of a channel.
  public static let maximumBandCount = 64
  /// The centre frequencies of the fourteen graphic bands, in Hz, low to high.
  public static let centerFrequencies: [Double] = [
    8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_072, 4_096, 5_120, 10_240, 16_384,
  ]
  /// Settings that leave the sound unchanged: no bands, 0 dB.
  public static let flat = Self()

  /// The bands of the left or only channel, at most ``maximumBandCount``.
  public var left: [EqualizerBand]
  /// The bands of the right channel, at most ``maximumBandCount``.
  public var right: [EqualizerBand]
  /// The preamplification of both channels in dB, within ``preampRange``.
  public var preamp: Double

  /// Creates settings of any bands.
  ///
  /// - Parameters:
  ///   - left: the bands of the left or only channel.
  ///   - right: the bands of the right channel.
  ///   - preamp: the preamplification of both in dB, within ``preampRange``.
  public init(left: [EqualizerBand] = [], right: [EqualizerBand] = [], preamp: Double = 0) {
    self.left = left
    self.right = right
    self.preamp = preamp
  }

  /// Returns settings of a graphic equalizer, whose bands are all peaking and equally wide.
  ///
  /// - Parameters:
  ///   - gains: in dB, the left channel's from low to high and then the right's: twice as many as `centers`.
  ///   - octaves: the width of each band, within ``bandwidthRange``. Where neighbours overlap their gains add: bands of 5
  ///     octaves, as in old presets, raise everything between them.
  ///   - centers: the frequencies of the bands in Hz, above 0, at most ``maximumBandCount``.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for another number of gains and for the first value out of
  ///   range.
  public static func graphic(
    gains: [Double], octaves: Double = 1, centers: [Double] = centerFrequencies
  ) throws(AudioError) -> Self {
    guard gains.count == 2 * centers.count else {
      throw .validation(
        "gains", expected: "\(2 * centers.count) numbers, two for each of \(centers.count) bands",
        got: "\(gains.count)",
        advice: "Pass the gains of the left channel from low to high, and then those of the right.")
    }
    guard Self.bandwidthRange.contains(octaves) else {
      let range = Self.bandwidthRange
      throw .validation(
        "octaves", expected: "\(range.lowerBound.plain) to \(range.upperBound.plain)", got: octaves.plain)
    }
    func bands(_ gains: ArraySlice<Double>) -> [EqualizerBand] {
      zip(centers, gains).map { .peaking(frequency: $0, gain: $1, octaves: octaves) }
    }
    let settings = Self(left: bands(gains.prefix(centers.count)), right: bands(gains.suffix(centers.count)))
    try settings.check(sampleRate: nil)
    return settings
  }

  /// Returns the settings without the bands at or above half of `sampleRate` Hz, where there is no sound: so a graphic
  /// equalizer's settings suit every rate.
  public func limited(toSampleRate sampleRate: Double) -> Self {
    func audible(_ bands: [EqualizerBand]) -> [EqualizerBand] { bands.filter { !($0.frequency >= 0.5 * sampleRate) } }
    return Self(left: audible(left), right: audible(right), preamp: preamp)
  }

  /// Moves a band's gain on one channel or both. A band that a channel does not have, and one without a gain, stay as they are.
  ///
  /// - Parameters:
  ///   - band: the index of the band.
  ///   - change: added to the gain, in dB.
  ///   - range: the ends of the way, in dB; a gain beyond them is not pulled back by a move the other way.
  ///   - channel: the channel whose band moves.
  public mutating func moveGain(
    ofBand band: Int, by change: Double, within range: ClosedRange<Double> = gainRange,
    on channel: Equalizer.Channel = .both
  ) {
    func move(_ bands: inout [EqualizerBand]) {
      guard bands.indices.contains(band), !bands[band].isPass else { return }
      let gain = bands[band].gain
      bands[band].gain =
        change > 0
        ? max(gain, min(range.upperBound, gain + change)) : min(gain, max(range.lowerBound, gain + change))
    }
    if channel != .right { move(&left) }
    if channel != .left { move(&right) }
  }

  /// Sets the gains of all bands to 0 dB; the preamplification stays.
  public mutating func flatten() {
    for index in left.indices { left[index].gain = 0 }
    for index in right.indices { right[index].gain = 0 }
  }

  /// Refuses values that are out of range.
  ///
  /// - Parameter sampleRate: in Hz; nil where it is not known yet, and then frequencies need only be above 0 and finite.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the first, for example `left band 3: gain:
  ///   expected -24 to 24 dB, got 30`.
  public func check(sampleRate: Double?) throws(AudioError) {
    if let sampleRate, !(1...1_000_000).contains(sampleRate) {
      throw .validation("sampleRate", expected: "1 to 1000000 Hz", got: sampleRate.plain)
    }
    for (name, bands) in [("left", left), ("right", right)] {
      guard bands.count <= Self.maximumBandCount else {
        throw .validation(
          name, expected: "at most \(Self.maximumBandCount) bands", got: "\(bands.count)",
          advice: "Leave some bands out.")
      }
      for (index, band) in bands.enumerated() {
        guard let fault = band.fault(sampleRate: sampleRate) else { continue }
        throw .validation(
          "\(name) band \(index + 1): \(fault.field)", expected: fault.expected, got: fault.got.plain)
      }
    }
    guard Self.preampRange.contains(preamp) else {
      throw .validation("preamp", expected: Self.preampRangeText, got: preamp.plain)
    }
  }

  /// ``gainRange`` as a text, for errors.
  static let gainRangeText = "\(gainRange.lowerBound.plain) to \(gainRange.upperBound.plain) dB"

  /// ``preampRange`` as a text, for errors.
  static let preampRangeText = "\(preampRange.lowerBound.plain) to \(preampRange.upperBound.plain) dB"

  enum CodingKeys: String, CodingKey, CaseIterable {
    case left, right
    case preamp = "preamp_db"
  }
}
